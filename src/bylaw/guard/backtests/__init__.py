"""What would change on recorded traffic: other policies asked about the calls of an audit log."""

from bylaw.guard.backtests.backtest import backtest
from bylaw.guard.backtests.changes import KINDS, Change, Example, Kind, Undecided
from bylaw.guard.backtests.report import Report, Unread

__all__ = ["KINDS", "Change", "Example", "Kind", "Report", "Undecided", "Unread", "backtest"]
