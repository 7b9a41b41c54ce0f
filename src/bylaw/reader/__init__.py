"""Text to nodes with positions to values: the only room that knows YAML.

`parse` turns text into nodes and says everything that is wrong with it as YAML. `read` turns a node into a declared
document and says everything that is wrong with it as that document. `schema` gives the document's JSON Schema.
"""

from bylaw.reader.documents import Document, read, schema
from bylaw.reader.nodes import Entry, ListNode, MapNode, Node, Scalar, plain
from bylaw.reader.parse import Limits, parse
from bylaw.reader.problems import Problems, near
from bylaw.reader.shapes import BAD, Bad, Bounds, Items, Text
from bylaw.reader.source import Source, load

__all__ = [
    "BAD",
    "Bad",
    "Bounds",
    "Document",
    "Entry",
    "Items",
    "Limits",
    "ListNode",
    "MapNode",
    "Node",
    "Problems",
    "Scalar",
    "Source",
    "Text",
    "load",
    "near",
    "parse",
    "plain",
    "read",
    "schema",
]
