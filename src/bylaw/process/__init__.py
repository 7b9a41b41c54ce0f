"""Running a program with everything it starts, under a time limit."""

from bylaw.process.excerpt import excerpt, tail
from bylaw.process.program import CannotStart, Ended, run_program

__all__ = ["CannotStart", "Ended", "excerpt", "run_program", "tail"]
