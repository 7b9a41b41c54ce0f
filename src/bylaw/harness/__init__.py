"""Runs plans: trials on slots, needs answered, cells and groups judged, every step told to listeners."""

from bylaw.harness.front import run
from bylaw.harness.questions import Answerer
from bylaw.harness.stop import Stop
from bylaw.harness.workers import SYSTEM_CLOCK, Clock, run_plan

__all__ = ["SYSTEM_CLOCK", "Answerer", "Clock", "Stop", "run", "run_plan"]
