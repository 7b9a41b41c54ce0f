"""Paths of a workspace, which must not lead out of it."""

from __future__ import annotations

import os
from pathlib import Path


class LeavesWorkspace(Exception):
    """The path, and the way by which it leaves."""


def inside(root: Path, path: str) -> Path:
    """Where `path` really is, all symbolic links followed; `root` is a real path itself.

    Nothing may be running in the workspace: a link that changes between this answer and its use is not noticed.
    """
    if "\0" in path:
        raise LeavesWorkspace(f"`{path!r}` is no path: there is a NUL byte in it")
    if Path(path).is_absolute():
        raise LeavesWorkspace(f"`{path}` is absolute: paths are relative to the workspace")
    if Path(os.path.normpath(path)).parts[:1] == ("..",):
        raise LeavesWorkspace(f"`{path}` leaves the workspace")
    real = Path(os.path.realpath(root / path))
    if real != root and root not in real.parents:
        raise LeavesWorkspace(f"`{path}` leaves the workspace through a symbolic link")
    return real
