"""Commands: from words to one entry of a closed registry, or a question. Pure; `Commands` is the way in."""

from stt_daemon.commands.choice import ChoiceRequest
from stt_daemon.commands.commands import Commands, Proposal
from stt_daemon.commands.modes import Mode, ModeChange, ModePhrases, mode_change
from stt_daemon.commands.outcomes import Ask, NeedsConfirmation, Outcome, Refused, Run, Unmatched
from stt_daemon.commands.registry import CommandsError, EntryProblem, Registry, UserCommand
from stt_daemon.commands.values import Duration, TimeOfDay, Value

__all__ = [
    "Ask",
    "ChoiceRequest",
    "Commands",
    "CommandsError",
    "Duration",
    "EntryProblem",
    "Mode",
    "ModeChange",
    "ModePhrases",
    "NeedsConfirmation",
    "Outcome",
    "Proposal",
    "Refused",
    "Registry",
    "Run",
    "TimeOfDay",
    "Unmatched",
    "UserCommand",
    "Value",
    "mode_change",
]
