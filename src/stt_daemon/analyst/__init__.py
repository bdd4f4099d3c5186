"""The rolling summary: what was said longer ago, in a few points; what was said just now, word for word."""

from stt_daemon.analyst.rolling import Fold, RollingSummary, SummarySnapshot
from stt_daemon.analyst.stage import AnalystStage, TextGenerator

__all__ = ["AnalystStage", "Fold", "RollingSummary", "SummarySnapshot", "TextGenerator"]
