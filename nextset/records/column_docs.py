"""The documentation of a record's columns, taken from the sentence under each field."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import re
import textwrap
from collections.abc import Mapping

__all__ = ["attribute_docs", "column_docs", "column_table", "joined_ends"]

_LOWER = re.compile(r"(?:The l|L)ower end of ")
_UPPER = re.compile(r"(?:The u|U)pper end(?: of the interval)?\.")


def column_docs(record: type) -> dict[str, str]:
    """Return the sentence under each field of a record class, own and inherited, in order."""
    docs: dict[str, str] = {}
    for part in filter(dataclasses.is_dataclass, record.__mro__):
        docs = {**attribute_docs(part), **docs}
    return {f.name: docs[f.name] for f in dataclasses.fields(record)}


@functools.cache
def attribute_docs(record: type) -> dict[str, str]:
    """Return the sentence under each attribute that the class itself declares, if it has one."""
    source = textwrap.dedent(inspect.getsource(record))
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    docs: dict[str, str] = {}
    name = ""
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and name:
            docs[name] = " ".join(str(node.value.value).split())
            name = ""
    return docs


def joined_ends(docs: Mapping[str, str]) -> dict[str, str]:
    """Return ``docs`` with the ends of an interval as one entry, if the upper end's sentence adds nothing."""
    joined: dict[str, str] = {}
    for name, text in docs.items():
        lower = next(reversed(joined), "")
        match = _LOWER.match(joined.get(lower, ""))
        if match and _UPPER.fullmatch(text):
            joined[f"{lower}`, `{name}"] = f"The ends of {joined.pop(lower)[match.end() :]}"
        else:
            joined[name] = text
    return joined


def column_table(source: type | Mapping[str, str]) -> str:
    """Return the columns of a record's table, or columns with their meanings, as a Markdown table."""
    docs = joined_ends(column_docs(source) if isinstance(source, type) else source)
    escaped = {name: text.replace("|", "\\|") for name, text in docs.items()}
    rows = [f"| `{name}` | {text} |" for name, text in escaped.items()]
    return "\n".join(["| column | meaning |", "|---|---|", *rows])
