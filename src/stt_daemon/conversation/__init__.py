"""Conversation: what a chat request holds and remembers. Pure; `Conversation` is the way in."""

from stt_daemon.conversation.alerts import ContextAlert
from stt_daemon.conversation.compaction import (
    CompactionAccepted,
    CompactionRejected,
    CompactionRequest,
    accept_compaction,
)
from stt_daemon.conversation.conversation import ChatSnapshot, Conversation, Restored
from stt_daemon.conversation.counting import CachedCounter, scaled
from stt_daemon.conversation.history import Exchange
from stt_daemon.conversation.plan import Limits, RequestPlan, RequestRefused
from stt_daemon.conversation.ports import PromptMessage, TokenCounter
from stt_daemon.conversation.records import ReplyFigures
from stt_daemon.conversation.transcript import (
    AllSessions,
    PastLine,
    RecentMinutes,
    Scope,
    ThisSession,
    TranscriptBlock,
    TranscriptMaterial,
    scope_of,
)
from stt_daemon.domain.citations import (
    CheckedText,
    Citation,
    CitationFilter,
    CitationIndex,
    check_citations,
)

__all__ = [
    "AllSessions",
    "CachedCounter",
    "ChatSnapshot",
    "CheckedText",
    "Citation",
    "CitationFilter",
    "CitationIndex",
    "CompactionAccepted",
    "CompactionRejected",
    "CompactionRequest",
    "ContextAlert",
    "Conversation",
    "Exchange",
    "Limits",
    "PastLine",
    "PromptMessage",
    "RecentMinutes",
    "ReplyFigures",
    "RequestPlan",
    "RequestRefused",
    "Restored",
    "Scope",
    "ThisSession",
    "TokenCounter",
    "TranscriptBlock",
    "TranscriptMaterial",
    "accept_compaction",
    "check_citations",
    "scaled",
    "scope_of",
]
