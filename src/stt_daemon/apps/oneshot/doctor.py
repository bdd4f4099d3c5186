"""Is this machine fit to listen: a list of checks, each told as data. One thread, the caller's.

A check that breaks is a finding, never the end of the others. A missing microphone is a warning, since files
still work; a missing PortAudio is a failure, since nothing live can ever work without it.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from stt_daemon.domain import BYTES_PER_SAMPLE, SAMPLE_RATE, Clock
from stt_daemon.domain.text import plain
from stt_daemon.errors import ErrorRecord, LlmError, SttDaemonError
from stt_daemon.wiring.probes import LoadedModel, Probes

log = logging.getLogger(__name__)

Status = Literal["ok", "warn", "fail"]

LAG_RTF = 0.7
"""Above this share of real time finals and partials together leave the lane no rest."""
LOW_SPACE = 1_000_000_000
"""Bytes; about nine hours of kept audio."""
NO_SPACE = 100_000_000
"""Bytes; under an hour of kept audio."""
QUIET_DB = -70.0
"""A live microphone in a quiet room lies above this; below, it is turned down or covered."""
NARROW, SHORT = 60, 20


@dataclass(frozen=True)
class Check:
    """One finding. `mend` says what to do about a warn or fail."""

    name: str
    status: Status
    message: str
    mend: str = ""


@dataclass(frozen=True)
class Terminal:
    """What is known of the terminal that stdout leads to."""

    is_tty: bool
    term: str
    columns: int
    lines: int
    encoding: str


@dataclass(frozen=True)
class Configured:
    """How the configuration was read: from where, with which warnings, or why not."""

    path: str = ""
    warnings: tuple[str, ...] = ()
    error: ErrorRecord | None = None


class Doctor:
    """Runs the checks in order; later ones use what earlier ones found."""

    def __init__(
        self,
        probes: Probes,
        *,
        clock: Clock,
        clip: Path,
        sessions_dir: Path,
        python: tuple[int, int, int],
        terminal: Terminal,
        configured: Configured,
        free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    ) -> None:
        self._probes = probes
        self._clock = clock
        self._clip = clip
        self._sessions_dir = sessions_dir
        self._python = python
        self._terminal = terminal
        self._configured = configured
        self._free_bytes = free_bytes
        self._listening_lacks = "not asked yet"
        self._model: LoadedModel | None = None

    def run(self) -> list[Check]:
        """All checks, in the order in which they are shown."""
        checks: list[tuple[str, Callable[[str], Check]]] = [
            ("python", self._check_python),
            ("portaudio", self._check_portaudio),
            ("audio devices", self._check_devices),
            ("level", self._check_level),
            ("model", self._check_model),
            ("speed", self._check_speed),
            ("llm", self._check_llm),
            ("laya", self._check_laya),
            ("disk", self._check_disk),
            ("terminal", self._check_terminal),
            ("configuration", self._check_configuration),
        ]
        return [_guarded(name, check) for name, check in checks]

    def _check_python(self, name: str) -> Check:
        version = ".".join(map(str, self._python))
        if (3, 10) <= self._python[:2] <= (3, 13):
            return Check(name, "ok", f"Python {version}")
        return Check(name, "warn", f"Python {version} is untried", "use Python 3.10 to 3.13")

    def _check_portaudio(self, name: str) -> Check:
        self._listening_lacks = "PortAudio is missing"
        version = self._probes.portaudio()
        self._listening_lacks = "the devices could not be listed"
        return Check(name, "ok", version)

    def _check_devices(self, name: str) -> Check:
        if self._listening_lacks == "PortAudio is missing":
            return Check(name, "warn", "not listed: PortAudio is missing")
        devices = self._probes.devices()
        if not devices:
            self._listening_lacks = "there is no input device"
            return Check(name, "warn", "no input device", "plug a microphone in; files work without one")
        self._listening_lacks = ""
        default = next((device.name for device in devices if device.default), "none")
        count = "1 input device" if len(devices) == 1 else f"{len(devices)} input devices"
        return Check(name, "ok", f"{count}, default: {default}")

    def _check_level(self, name: str) -> Check:
        if self._listening_lacks:
            return Check(name, "warn", f"not measured: {self._listening_lacks}")
        probe = self._probes.level()
        if probe.digital_silence:
            mend = "unmute it, or give this program the permission to record"
            return Check(name, "warn", f"{probe.device}: digital silence: muted or no permission", mend)
        found = f"{probe.device}: {probe.db:.0f} dBFS"
        if probe.clipping:
            return Check(name, "warn", f"{found}, clipping", "turn the input volume down")
        if probe.db < QUIET_DB:
            return Check(name, "warn", f"{found}, almost silent", "turn the input volume up")
        return Check(name, "ok", found)

    def _check_model(self, name: str) -> Check:
        self._model = self._probes.model()
        return Check(name, "ok", f"{self._model.name} loads")

    def _check_speed(self, name: str) -> Check:
        if self._model is None:
            return Check(name, "warn", "not measured: no model")
        begun = self._clock.monotonic()
        duration = self._model.transcribe(self._clip)
        factor = (self._clock.monotonic() - begun) / duration
        found = f"{factor:.2f} s of work for a second of speech"
        if factor > LAG_RTF:
            return Check(
                name, "warn", f"{found}: the text will lag behind", "set [whisper].model to a smaller one"
            )
        return Check(name, "ok", found)

    def _check_llm(self, name: str) -> Check:
        """Everything but chat and chosen commands works without one, so this never fails."""
        try:
            server = self._probes.llm()
        except LlmError as error:
            record = ErrorRecord.of(error)
            return Check(name, "warn", record.message, record.mend or "everything but the chat works without")
        found = f"{server.kind} at {server.address}, model {server.model or 'unnamed'}"
        if server.warning:
            return Check(name, "warn", f"{found}: {server.warning}", "mend [llm] in the configuration")
        if server.context_tokens is None:
            return Check(
                name, "warn", f"{found}, context size unknown", "set [llm].context_tokens to what it can hold"
            )
        return Check(name, "ok", f"{found}, context of {server.context_tokens} tokens")

    def _check_laya(self, name: str) -> Check:
        """Listening and chat work without triage, so this never fails."""
        try:
            found = self._probes.laya()
        except SttDaemonError as error:
            record = ErrorRecord.of(error)
            return Check(name, "warn", record.message, record.mend or "everything but triage works without")
        return Check(name, "ok", found or "triage is switched off")

    def _check_disk(self, name: str) -> Check:
        place = next(path for path in (self._sessions_dir, *self._sessions_dir.parents) if path.exists())
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            return Check(name, "fail", f"cannot write to {place}", "set [sessions].dir to another place")
        free = self._free_bytes(place)
        hours = free / (SAMPLE_RATE * BYTES_PER_SAMPLE * 3600)
        found = f"{free / 1e9:.1f} GB free, {hours:.0f} hours of audio, in {self._sessions_dir}"
        status: Status = "fail" if free < NO_SPACE else "warn" if free < LOW_SPACE else "ok"
        return Check(name, status, found, "" if status == "ok" else "make room, or set [audio].keep to false")

    def _check_terminal(self, name: str) -> Check:
        terminal = self._terminal
        if not terminal.is_tty:
            return Check(name, "ok", "no terminal here: headless works, the interface would not")
        found = f"{terminal.term or 'unknown'}, {terminal.columns}x{terminal.lines}, {terminal.encoding}"
        if terminal.term in ("", "dumb"):
            return Check(name, "warn", found, "use a terminal that sets TERM; headless works")
        if terminal.encoding.lower().replace("-", "") != "utf8":
            return Check(name, "warn", found, "choose a UTF-8 locale, such as LANG=C.UTF-8")
        if terminal.columns < NARROW or terminal.lines < SHORT:
            return Check(name, "warn", found, f"{NARROW}x{SHORT} or more shows everything")
        return Check(name, "ok", found)

    def _check_configuration(self, name: str) -> Check:
        configured = self._configured
        if configured.error is not None:
            return Check(name, "fail", configured.error.message, configured.error.mend)
        if configured.warnings:
            return Check(name, "warn", "; ".join(configured.warnings), f"mend {configured.path}")
        return Check(name, "ok", configured.path or "no file, defaults")


def checks_data(checks: Sequence[Check]) -> dict[str, Any]:
    """As `--json` shows them."""
    return {"checks": [asdict(check) for check in checks]}


def check_lines(check: Check, width: int) -> list[str]:
    """Mark, name in `width` columns and finding; in a second line the mend, if there is one."""
    lines = [f"{check.status:<4}  {check.name:<{width}}  {check.message}"]
    if check.mend:
        lines.append(f"{'':<4}  {'':<{width}}  -> {check.mend}")
    return lines


@contextmanager
def bundled_clip() -> Iterator[Path]:
    """The speech clip that comes with the program, as a file: 11 s, mono, 16 kHz, public domain."""
    with resources.as_file(resources.files("stt_daemon") / "data" / "jfk.wav") as path:
        yield path


def _guarded(name: str, check: Callable[[str], Check]) -> Check:
    try:
        found = check(name)
    except Exception as error:
        log.exception("the check of %s failed", name)
        record = ErrorRecord.of(error)
        found = Check(name, "fail", record.message, record.mend)
    return Check(found.name, found.status, plain(found.message), plain(found.mend))
