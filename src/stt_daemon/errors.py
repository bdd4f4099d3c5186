"""The exception tree, and the plain-data form of an error that crosses a pipe.

Foreign exceptions are translated once, where the foreign library is called, with `raise ... from`.
Every error a user can cause carries one readable line that names the file, key or device, and the mend.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorRecord:
    """An error as data: what a child sends to the supervisor before it ends.

    `code` is a short stable word for programs, `message` one line for people, `mend` what to do about it
    (may be empty), `detail` the traceback text for the log (may be empty).
    """

    code: str
    message: str
    mend: str = ""
    detail: str = ""

    @classmethod
    def of(cls, error: BaseException) -> ErrorRecord:
        """Describe any exception; one of our own keeps its code and mend."""
        detail = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        if isinstance(error, SttDaemonError):
            return cls(error.code, str(error), error.mend, detail)
        return cls("unexpected", f"{type(error).__name__}: {error}", "", detail)

    def line(self) -> str:
        """One line for the terminal."""
        return f"{self.message} ({self.mend})" if self.mend else self.message


class SttDaemonError(Exception):
    """Root of everything this program raises on purpose."""

    code = "error"

    def __init__(self, message: str, *, mend: str = "", code: str = "") -> None:
        super().__init__(message)
        self.mend = mend
        if code:
            self.code = code


class ConfigError(SttDaemonError):
    """The configuration cannot be used; exit code 2."""

    code = "config"


class UsageError(SttDaemonError):
    """The command line asks for something impossible; exit code 2."""

    code = "usage"


class AudioError(SttDaemonError):
    """A device, file or stream cannot be read."""

    code = "audio"


class ModelError(SttDaemonError):
    """A model is missing, incomplete or cannot run on this machine."""

    code = "model"


class LlmError(SttDaemonError):
    """The language model cannot be reached, or what came back is not an answer.

    `n_ctx` and `n_prompt` are tokens and known only when the context was exceeded; `partial` is the cleaned
    text that had arrived before the failure (never reasoning), for showing, not for storing as an answer.
    """

    code = "llm"

    def __init__(
        self,
        message: str,
        *,
        mend: str = "",
        code: str = "",
        n_ctx: int | None = None,
        n_prompt: int | None = None,
        partial: str = "",
    ) -> None:
        super().__init__(message, mend=mend, code=code)
        self.n_ctx = n_ctx
        self.n_prompt = n_prompt
        self.partial = partial


class SessionError(SttDaemonError):
    """A session folder cannot be made, read or written."""

    code = "session"


class ChannelError(SttDaemonError):
    """The other end of a channel is gone, or what it sent cannot be read."""

    code = "channel"


class AlreadyRunningError(SttDaemonError):
    """Another instance holds this sessions directory; exit code 3."""

    code = "already_running"
