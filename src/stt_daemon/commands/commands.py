"""The room's way in: from what was typed or said to an outcome, with the one question that may be open.

Owned by the core's loop; nothing here waits. `now` is always `Clock.monotonic()`.

Typed: `typed(line)` for a line that starts with "/". Spoken: `spoken(text)` for a settled turn in command
mode; on `Unmatched` ask a model with `choice_request` and hand its reply to `chosen`, or without a model
show `unsure`. Only an outcome `Run` is ever carried out; a user command's process is `argv(run)`.

While a proposal waits, a yes or no is what the core takes from the keyboard, or from speech in command mode:
in any other mode "yes" belongs to the meeting. Other commands leave the proposal waiting (it survives a new
conversation); a new proposal replaces it; it expires after `confirm_within_s`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stt_daemon.commands.argv import ArgvRefused, build_argv
from stt_daemon.commands.builtin import BUILTIN
from stt_daemon.commands.choice import ChoiceRequest, NoChoice, choice_request, read_choice
from stt_daemon.commands.matching import Match, spoken_matches, tidy, typed_match
from stt_daemon.commands.outcomes import Ask, NeedsConfirmation, Outcome, Refused, Run, Source, Unmatched
from stt_daemon.commands.registry import Command, Registry, UserCommand
from stt_daemon.commands.values import Unreadable, Value
from stt_daemon.commands.words import forms
from stt_daemon.domain.text import plain

CONFIRM_WITHIN_S = 30.0
"""A yes that comes later answers something else."""


@dataclass(frozen=True)
class Proposal:
    """A command that waits for a yes until `expires` (monotonic seconds)."""

    run: Run
    question: str
    expires: float


@dataclass(frozen=True)
class _OpenArgument:
    """A command whose argument `name` was asked for; `heard` is what was said for it and not understood."""

    match: Match
    name: str
    heard: str
    source: Source
    doubtful: bool
    expires: float


class Commands:
    """Raises ConfigError if the user's commands cannot be used."""

    def __init__(
        self, user: Sequence[UserCommand] = (), *, confirm_within_s: float = CONFIRM_WITHIN_S
    ) -> None:
        self.registry = Registry(BUILTIN, user)
        self._within_s = confirm_within_s
        self._proposal: Proposal | None = None
        self._open: _OpenArgument | None = None

    def waiting(self, now: float) -> Proposal | None:
        """The proposal that waits for a yes; one that has expired is dropped."""
        if self._proposal is not None and now >= self._proposal.expires:
            self._proposal = None
        return self._proposal

    def asking(self, now: float) -> bool:
        """Whether the next spoken turn is expected to answer a question."""
        if self._open is not None and now >= self._open.expires:
            self._open = None
        return self._open is not None or self.waiting(now) is not None

    def typed(self, line: str, now: float) -> Outcome:
        """A line that starts with "/"."""
        name, rest = [*line.strip().removeprefix("/").split(maxsplit=1), "", ""][:2]
        command = self.registry.named(name)
        if command is None:
            near = difflib.get_close_matches(name.casefold(), self.registry.names, n=3)
            return Ask(
                f"There is no command /{tidy(plain(name))[:40]}.", tuple(f"/{other}" for other in near)
            )
        match = typed_match(rest, command)
        if match is None and not command.typed:
            return Ask(
                f"/{name} takes {len(command.params)} arguments: say or type its phrase.", (), command.id
            )
        if match is None:
            return Ask(f"It is {command.usage()}.", (), command.id)
        return self._complete(match, "typed", now)

    def spoken(self, text: str, now: float) -> Outcome | Unmatched:
        """A settled turn in command mode."""
        expected = self.asking(now)
        matches = spoken_matches(text, self.registry.commands)
        if self._open is not None:
            answered = self._answer(self._open, text, matches, now)
            if answered is not None:
                return answered
        if len(matches) == 1:
            return self._complete(matches[0], "spoken", now)
        if matches:
            return _which(matches)
        if not forms(text):
            return Ask("Nothing was understood. Which command do you want?", waits=expected)
        return Unmatched(text)

    def choice_request(self, text: str) -> ChoiceRequest:
        """The prompt with which a model is asked about an unmatched turn."""
        return choice_request(text, self.registry)

    def chosen(self, text: str, reply: str, now: float) -> Outcome:
        """A model's reply about `text`, checked."""
        choice = read_choice(text, reply, self.registry)
        if isinstance(choice, NoChoice):
            return self.unsure(text)
        return self._complete(Match(choice.command, choice.texts), "chosen", now, doubtful=not choice.sure)

    def unsure(self, text: str) -> Ask:
        """The question when nothing fits: with up to three phrases that sound alike."""
        said = " ".join(forms(text))
        known = {
            " ".join(p.literals): p.shown() for c in self.registry.commands for p in c.phrases if c.choosable
        }
        near = difflib.get_close_matches(said[:200], known, n=3, cutoff=0.6)
        options = tuple(known[phrase] for phrase in near)
        return Ask(
            "I am not sure which command that was." + (" Did you mean one of these?" if options else ""),
            options,
        )

    def argv(self, run: Run) -> tuple[str, ...] | Refused:
        """The words of a user command's process; run them without a shell, for at most `timeout_s`."""
        command = self.registry.get(run.command)
        if command is None or command.program is None:
            return Refused(f"{run.command!r} starts no program", run.command)
        built = build_argv(command.program, run.args)
        return Refused(built.reason, run.command) if isinstance(built, ArgvRefused) else built

    def _complete(self, match: Match, source: Source, now: float, *, doubtful: bool = False) -> Outcome:
        """Read the arguments; then run, ask to confirm, or ask for what is missing."""
        command = match.command
        if command.id in ("yes", "no"):
            return self._settle(command.id == "yes", now)
        args: dict[str, Value] = {}
        for param in command.params:
            if param.name not in match.texts:
                if param.name in command.optional:
                    continue
                return self._ask_for(match, param.name, "", param.asks, (), source, now, doubtful=doubtful)
            value = param.read(match.texts[param.name])
            if isinstance(value, Unreadable):
                heard = match.texts[param.name]
                question = f"{_sentence(value.reason)} {param.asks}"
                return self._ask_for(
                    match, param.name, heard, question, value.options, source, now, doubtful=doubtful
                )
            args[param.name] = value
        self._open = None
        run = Run(command.id, args, source)
        if command.program is not None and isinstance(built := self.argv(run), Refused):
            return built
        if doubtful or _confirms(command, source):
            return self._propose(run, doubtful=doubtful, now=now)
        return run

    def _ask_for(
        self,
        match: Match,
        name: str,
        heard: str,
        question: str,
        options: tuple[str, ...],
        source: Source,
        now: float,
        *,
        doubtful: bool,
    ) -> Ask:
        """Ask for one argument. A typed command is typed again; a spoken one may be answered."""
        if source == "typed":
            return Ask(f"{question} It is {match.command.usage()}.", options, match.command.id)
        texts = {key: text for key, text in match.texts.items() if key != name}
        self._open = _OpenArgument(
            Match(match.command, texts), name, heard, source, doubtful, now + self._within_s
        )
        return Ask(question, options, match.command.id, waits=True)

    def _answer(
        self, open_: _OpenArgument, text: str, matches: Sequence[Match], now: float
    ) -> Outcome | None:
        """Take a turn as the answer to the question for an argument; None if it is something else."""
        command = open_.match.command
        param = command.param(open_.name)
        assert param is not None
        if any(match.command.id == "no" for match in matches):
            self._open = None
            return Refused("declined", command.id)
        candidates = [f"{open_.heard} {text}"] if open_.heard and param.type == "time" else []
        readable = [c for c in (tidy(text), *candidates) if not isinstance(param.read(c), Unreadable)]
        if matches and param.type == "text":
            self._open = None
            return Ask(
                f"Is that a command or the answer? Say the whole of it, such as “{_example(command)}”.",
                tuple(f"{match.command.title}" for match in matches),
            )
        if readable and not matches:
            filled = Match(command, {**open_.match.texts, open_.name: readable[0]})
            return self._complete(filled, open_.source, now, doubtful=open_.doubtful)
        if matches:
            self._open = None
            return None
        value = param.read(tidy(text))
        reason = _sentence(value.reason) if isinstance(value, Unreadable) else ""
        return Ask(f"{reason} {param.asks}".strip(), (), command.id, waits=True)

    def _propose(self, run: Run, *, doubtful: bool, now: float) -> NeedsConfirmation:
        replaced = self.waiting(now)
        question = self._question(run, doubtful=doubtful)
        self._proposal = Proposal(run, question, now + self._within_s)
        return NeedsConfirmation(run, question, replaced.run if replaced else None)

    def _settle(self, yes: bool, now: float) -> Outcome:
        waiting = self.waiting(now)
        self._proposal = None
        if waiting is None:
            return Refused("nothing waits for an answer")
        if not yes:
            return Refused("declined", waiting.run.command)
        return replace(waiting.run, confirmed=True)

    def _question(self, run: Run, *, doubtful: bool) -> str:
        command = self.registry.get(run.command)
        assert command is not None
        with_args = ", ".join(f"{name} “{value}”" for name, value in run.args.items())
        opening = "Did you mean: " if doubtful else "Really "
        return f"{opening}{command.title}{f' ({with_args})' if with_args else ''}? Yes or no."


def _confirms(command: Command, source: Source) -> bool:
    asked_of: Mapping[str, Iterable[Source]] = {
        "never": (),
        "chosen": ("chosen",),
        "spoken": ("spoken", "chosen"),
        "always": ("typed", "spoken", "chosen"),
    }
    return source in asked_of[command.confirm]


def _which(matches: Sequence[Match]) -> Ask:
    options = tuple(dict.fromkeys(_meant(match) for match in matches))
    return Ask("That could mean several things. Which one?", options)


def _meant(match: Match) -> str:
    given = ", ".join(f"{name} “{text}”" for name, text in match.texts.items())
    return f"{match.command.title} ({given})" if given else match.command.title


def _example(command: Command) -> str:
    return next((p.shown() for p in command.phrases if p.slots), command.phrases[0].shown())


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."
