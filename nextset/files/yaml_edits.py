"""Edits of hand-written YAML that change a few values and leave every other byte as a person wrote it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import yaml

from nextset.files.yaml_reader import Location

__all__ = ["UnsafeEdit", "appended_item", "edited_yaml"]

_NULL = "tag:yaml.org,2002:null"

_New = dict[str, Any]
"""New keys of a mapping, with their texts or their own new keys."""


class UnsafeEdit(ValueError):
    """The layout of a file does not allow the edit; the message says why."""


def edited_yaml(text: str, texts: Mapping[Location, str]) -> str:
    """Return the YAML document ``text`` with other values at the locations of ``texts``.

    Values are written in double quotes. Missing keys are added after the last key of their mapping. Comments,
    order and layout stay. The result is read again and compared: raises UnsafeEdit if anything else would
    change.
    """
    if not texts:
        return text
    root = _root(text)
    changes: list[tuple[int, int, str]] = []
    added: dict[int, tuple[yaml.Node, _New]] = {}
    for at, value in texts.items():
        node, rest = _nearest(root, at)
        if not rest:
            changes.append(_replaced(text, node, value))
            continue
        new = added.setdefault(id(node), (node, {}))[1]
        for step in rest[:-1]:
            new = new.setdefault(str(step), {})
        new[str(rest[-1])] = value
    changes += [_inserted(text, node, new) for node, new in added.values()]
    return _checked(text, changes, _with_values(yaml.safe_load(text), texts))


def appended_item(text: str, at: str, item: Mapping[str, Any], instead_of: int | None = None) -> str:
    """Return the YAML document ``text`` with ``item`` in the list of its top-level key ``at``.

    The item is appended, or replaces the item ``instead_of`` (from 0). A missing key, or a key whose value is
    not a list, gets a list. Texts are written in double quotes. Raises UnsafeEdit as `edited_yaml` does.
    """
    root = _root(text)
    data = yaml.safe_load(text)
    written = _flow(item)
    listed = list(data[at]) if isinstance(data.get(at), list) else []
    if instead_of is None:
        listed.append(dict(item))
    else:
        listed[instead_of] = dict(item)
    node, rest = _nearest(root, (at,))
    if rest:
        change = _inserted(text, node, {at: [item]})
    elif not isinstance(node, yaml.SequenceNode):
        start, end, _ = _replaced(text, node, "")
        space = " " if start == end else ""
        change = (start, end, f"{space}[{written}]{_line_end(text, start, end)}")
    elif instead_of is not None:
        old = node.value[instead_of]
        end = _content_end(old)
        change = (old.start_mark.index, end, written + _line_end(text, old.start_mark.index, end))
    elif node.flow_style:
        last = _content_end(node.value[-1]) if node.value else node.start_mark.index + 1
        change = (last, last, f"{', ' if node.value else ''}{written}")
    else:
        change = _new_line(text, node.value[-1], node.start_mark.column, f"- {written}")
    return _checked(text, [change], {**data, at: listed})


def _root(text: str) -> yaml.Node:
    root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        raise UnsafeEdit("the file is empty")
    return root


def _nearest(root: yaml.Node, at: Location) -> tuple[yaml.Node, Location]:
    """Return the node at ``at``, or the nearest one around it with the steps that are missing below it."""
    node = root
    for i, step in enumerate(at):
        if isinstance(node, yaml.MappingNode):
            child = next((value for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            child = node.value[step]
        else:
            child = None
        if child is None:
            return node, at[i:]
        node = child
    return node, ()


def _replaced(text: str, node: yaml.Node, value: str) -> tuple[int, int, str]:
    if not isinstance(node, yaml.ScalarNode):
        raise UnsafeEdit(f"line {node.start_mark.line + 1} has keys or a list instead of a text")
    start, end = node.start_mark.index, node.end_mark.index
    space = " " if start == end else ""  # nothing is written after the colon
    return start, end, space + _quoted(value) + _line_end(text, start, end)


def _line_end(text: str, start: int, end: int) -> str:
    """Return the line end of the value from ``start`` to ``end``; only a block text includes one."""
    return _newline(text) if end > start and text[end - 1] == "\n" else ""


def _inserted(text: str, node: yaml.Node, new: _New) -> tuple[int, int, str]:
    """Return the insertion of the keys ``new`` into the mapping ``node``."""
    if isinstance(node, yaml.ScalarNode) and node.tag == _NULL:
        start, end = node.start_mark.index, node.end_mark.index
        return start, end, f"{' ' if start == end else ''}{{{_pairs(new)}}}"
    if not isinstance(node, yaml.MappingNode):
        raise UnsafeEdit(f"line {node.start_mark.line + 1} has a text or a list instead of keys")
    if node.flow_style:
        at = _content_end(node.value[-1][1]) if node.value else node.start_mark.index + 1
        return at, at, f"{', ' if node.value else ''}{_pairs(new)}"
    lines = [f"{_key(name)}: {_flow(value)}" for name, value in new.items()]
    return _new_line(text, node.value[-1][1], node.start_mark.column, *lines)


def _new_line(text: str, last: yaml.Node, column: int, *lines: str) -> tuple[int, int, str]:
    """Return the insertion of ``lines`` below the node ``last``, starting at ``column`` (from 0)."""
    end = _content_end(last)
    newline = _newline(text)
    if end and text[end - 1] == "\n":  # a block text includes its line end
        return end, end, "".join(f"{' ' * column}{line}{newline}" for line in lines)
    at = text.find("\n", end)
    at = len(text) if at < 0 else at
    at -= text[at - 1 : at] == "\r"
    return at, at, "".join(f"{newline}{' ' * column}{line}" for line in lines)


def _content_end(node: yaml.Node) -> int:
    """Return where ``node`` ends, without the comments and empty lines after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _content_end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _pairs(new: Mapping[str, Any]) -> str:
    return ", ".join(f"{_key(name)}: {_flow(value)}" for name, value in new.items())


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{_pairs(value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _quoted(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").isalnum() and yaml.safe_load(name) == name
    return name if plain else _quoted(name)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")


def _with_values(data: Any, texts: Mapping[Location, str]) -> Any:
    """Return a copy of ``data`` with ``texts`` in it."""
    changed = copy.deepcopy(data)
    for at, value in texts.items():
        inner = changed
        for i, step in enumerate(at[:-1]):
            if isinstance(inner, dict) and inner.get(step) is None:
                inner[step] = {}
            inner = inner[step]
            if not isinstance(inner, dict | list):
                raise UnsafeEdit(f"there is a text instead of keys at {at[: i + 1]}")
        inner[at[-1]] = value
    return changed


def _order(change: tuple[int, int, str]) -> tuple[int, int, int, int]:
    """Return a key that sorts changes by their place, and changes at one place in the right order.

    A value comes before additions after it, and the keys of an inner mapping before those of an outer one.
    """
    start, end, new = change
    rank = 2 if new[:1] in "\r\n" else 1 if new.startswith(",") else 0
    return start, end, rank, -(len(new) - len(new.lstrip()))


def _checked(text: str, changes: list[tuple[int, int, str]], expected: Any) -> str:
    """Return ``text`` with ``changes``; raises UnsafeEdit unless the result is read as ``expected``."""
    for start, end, new in sorted(changes, key=_order, reverse=True):
        text = text[:start] + new + text[end:]
    try:
        edited = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        raise UnsafeEdit(f"the layout of the file does not allow it: {e}") from None
    if edited != expected:
        raise UnsafeEdit("the layout of the file does not allow it: a new text would change another text")
    return text
