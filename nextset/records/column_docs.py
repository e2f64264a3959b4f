"""The documentation of a record's columns, taken from the sentence under each field."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap

__all__ = ["attribute_docs", "column_docs", "column_table"]


def column_docs(record: type) -> dict[str, str]:
    """Return the sentence under each field of a record class, own and inherited, in order."""
    found: dict[str, str] = {}
    for part in filter(dataclasses.is_dataclass, record.__mro__):
        found = {**attribute_docs(part), **found}
    return {f.name: found[f.name] for f in dataclasses.fields(record)}


def attribute_docs(record: type) -> dict[str, str]:
    """Return the sentence under each attribute that the class itself declares, if it has one."""
    source = textwrap.dedent(inspect.getsource(record))
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and name:
            found[name] = " ".join(str(node.value.value).split())
            name = ""
    return found


def column_table(record: type) -> str:
    """Return the columns of a record's table as a Markdown table."""
    rows = [f"| `{name}` | {text} |" for name, text in column_docs(record).items()]
    return "\n".join(["| column | what it holds |", "|---|---|", *rows])
