"""A draft becomes a contract that binds: the mark goes, and the comments that speak of a draft."""

from __future__ import annotations

from pathlib import Path

from bylaw.observe.changing import changed, parsed
from bylaw.observe.files import read_text, replace_file
from bylaw.observe.headings import without_heading
from bylaw.observe.writing import STATUS
from bylaw.reader import MapNode, Problems, Scalar, plain


def promote(text: str, *, file: str = "contract") -> str:
    """The same text without `status: observed` and without the comments a draft begins with.

    Raises `InvalidFile` for a text that is no contract, and for a contract that is no draft, which binds already.
    """
    root = parsed(text, file=file)
    require_draft(root)
    wanted = {key: value for key, value in plain(root).items() if key != "status"}
    return without_heading(changed(text, root, wanted, file=file))


def promote_file(path: Path) -> None:
    """Promotes a draft where it lies; raises `InvalidFile`, and leaves it as it is, where it is none."""
    mark, text = read_text(path)
    replace_file(path, mark + promote(text, file=str(path)).encode())


def is_draft(root: MapNode) -> bool:
    status = root.get("status")
    return isinstance(status, Scalar) and status.value == STATUS


def require_draft(root: MapNode) -> None:
    if is_draft(root):
        return
    problems = Problems()
    if "status" in root.entries:
        said = f"this contract is no draft: its `status` is not `{STATUS}`"
        problems.add("not-a-draft", said, root.where("status"))
    else:
        problems.add("not-a-draft", f"this contract is promoted already: it has no `status: {STATUS}`", root.span)
    problems.raise_errors()
