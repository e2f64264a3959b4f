"""Hand-written YAML, read safely: every value has its line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.error import MarkedYAMLError

from nextset.errors import InputError
from nextset.files.hidden_controls import hidden_control
from nextset.files.regular_file import require_file

__all__ = ["LocatedYaml", "Location", "line_of", "read_text", "read_yaml"]

MAX_BYTES = 4_000_000
"""The maximum size of a hand-written file; a larger one is refused before it is parsed."""

MAX_DIGITS = 40
"""The most characters of a number: longer ones take long to read, and Python refuses to show them."""

MAX_BRACKETS = 50
"""The most nested brackets: PyYAML's time for a bracket grows with the number of brackets around it."""

_TEXT = "tag:yaml.org,2002:str"
_READ = {
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq")
}
"""The types of plain YAML; other types need a tag."""
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_NO_TAGS = "use plain YAML, without tags"

_FEWER_BRACKETS = "write fewer nested brackets"

_BEGIN = "begin it with `format: 1`, and write one key per line, as docs/reference shows"

Location = tuple[str | int, ...]


@dataclass(frozen=True)
class LocatedYaml:
    """The data of a YAML file, and the line (from 1) and the text of each value."""

    data: Any
    lines: Mapping[Location, int]
    written: Mapping[Location, str]
    """The texts of values other than lists and keys with values, such as ``no`` for False."""

    def line(self, location: Location) -> int | None:
        """Return the line of the value at ``location``, or of the nearest one around it."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location)


def line_of(file: Path | None, *location: str | int, value: str = "") -> int | None:
    """Return the line of ``location`` in ``file``, or of the text ``value`` below it; None without a file."""
    if file is None or not file.is_file():
        return None
    located = read_yaml(file, InputError)
    below = (at for at, text in located.written.items() if text == value and at[: len(location)] == location)
    return located.line(next(below, location) if value else location)


def read_text(path: Path, error: type[InputError]) -> str:
    """Return the text of a UTF-8 file of at most `MAX_BYTES` that does not contain NUL."""
    try:
        require_file(path, error, "name a regular file")
        size = path.stat().st_size
        if size > MAX_BYTES:
            with path.open("rb") as f:
                line = f.read(MAX_BYTES).count(b"\n") + 1
            raise error(
                f"the file has {size:,} bytes; a hand-written file has at most {MAX_BYTES:,}",
                file=path,
                line=line,
                remedy="split the file, or import data with `nextset import`",
            )
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise error("no such file", file=path, remedy="check the path") from None
    except PermissionError:
        raise
    except OSError as e:
        raise error(f"the file cannot be read: {e.strerror}", file=path, remedy="check the path") from None
    except UnicodeDecodeError as e:
        line = path.read_bytes()[: e.start].count(b"\n") + 1
        raise error("the file is not UTF-8", file=path, line=line, remedy="save the file as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise error("a NUL character", file=path, line=line, remedy="remove the character")
    return text


def read_yaml(path: Path, error: type[InputError]) -> LocatedYaml:
    """Read one YAML document with `yaml.safe_load`'s rules.

    Refused, with their line, are repeated keys, aliases, tags, numbers of more than `MAX_DIGITS`, texts that
    are not Unicode, and the characters that `hidden_control` finds.
    """
    text = read_text(path, error)
    try:
        located = _read_by_libyaml(text) or _located(_Loader(text))
        if located is None:
            raise error("the file is empty", file=path, remedy=_BEGIN)
        return located
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        problem = getattr(e, "problem", None) or getattr(e, "reason", None) or "no document"
        line = mark.line + 1 if mark is not None else None
        if isinstance(e, yaml.reader.ReaderError):
            line = text[: e.position].count("\n") + 1
        lines_read = text.split("\n")
        at = lines_read[line - 1] if line is not None and line <= len(lines_read) else ""
        problem = _NAMED.sub(r"\1", problem)
        remedy = getattr(e, "note", None) or _syntax_remedy(problem, at)
        raise error(f"not YAML: {problem}", file=path, line=line, remedy=remedy) from None
    except RecursionError:
        raise error("nested too deeply", file=path, remedy=_FEWER_BRACKETS) from None


_NAMED = re.compile(r"(found (?:undefined alias|duplicate anchor|undefined tag handle)).*", re.DOTALL)
"""The problems in which PyYAML quotes a name that is perhaps a secret, pasted after * or &."""
_SERVER = "server"
_PLAIN = re.compile(r"[a-z_]{1,30}")


def _syntax_remedy(problem: str, line: str) -> str:
    """Return a remedy for the usual causes of a problem in ``line``."""
    if "\\t" in problem:
        return "indent with spaces, not with tabs"
    if re.match(r"\s*(?:-\s*)?[\w-]+:\s*\{\{|\s*-\s*\{\{", line):
        return "put a text that begins with {{ in quotes"
    if problem.startswith("mapping values are not allowed"):
        return "put a text that contains a colon and a space in quotes"
    return "use plain YAML, without tags; check indentation and quotes in that line and the line before it"


class _Loader(yaml.SafeLoader):
    """`yaml.SafeLoader` for at most `MAX_BRACKETS`."""

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:
        """Read an opening bracket."""
        if self.flow_level >= MAX_BRACKETS:
            raise MarkedYAMLError(
                problem="nested too deeply", problem_mark=self.get_mark(), note=_FEWER_BRACKETS
            )
        super().fetch_flow_collection_start(TokenClass)


_FAST = getattr(yaml, "CSafeLoader", None)
"""The loader of libyaml, several times as fast; None if PyYAML was built without it."""
_READ_DIFFERENTLY = re.compile(r"\t|[|>][-+0-9]*#|(?:^|[\s\[{,:-])!", re.M)
"""What libyaml accepts and PyYAML does not: tabs, a comment that touches a block's sign, empty tags."""


def _read_by_libyaml(text: str) -> LocatedYaml | None:
    """Return the document as libyaml reads it; None for all that PyYAML refuses, which says what is wrong."""
    if _FAST is None or _READ_DIFFERENTLY.search(text):
        return None
    try:
        located = _located(_FAST(text))
    except (yaml.YAMLError, RecursionError):
        return None
    return located if located is None or max(map(len, located.lines)) < MAX_BRACKETS else None


def _located(loader: Any) -> LocatedYaml | None:
    """Return the document that ``loader`` reads; None if it is empty. Raises YAMLError."""
    root = loader.get_single_node()
    if root is None:
        return None
    lines: dict[Location, int] = {}
    written: dict[Location, str] = {}
    _check_node(loader, root, (), lines, written, set())
    return LocatedYaml(loader.construct_document(root), lines, written)


def _check_node(
    loader: yaml.SafeLoader,
    node: yaml.Node,
    at: Location,
    lines: dict[Location, int],
    written: dict[Location, str],
    seen: set[int],
) -> None:
    """Record the lines and texts of ``node`` and its inner nodes; raise YAMLError if one is not allowed."""
    lines.setdefault(at, node.start_mark.line + 1)
    if id(node) in seen:
        raise _yaml_error(node, "an alias", "write the text out; aliases can multiply a text endlessly")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        _check_bare_texts(node, itertools.chain(*node.value))
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _yaml_error(key, "a key that is not a text", "write each key as one word")
            name = str(key.value)
            shown = _shown(name, at)
            if key.tag != _TEXT:
                raise _yaml_error(key, f"the key {shown} is not read as text", "put the key in quotes")
            _check_text(key)
            if name != name.strip():
                raise _yaml_error(key, f"spaces around the key {shown}", "remove the spaces")
            if name in keys:
                raise _yaml_error(key, f"the key {shown} is listed twice", "remove one of them")
            keys.add(name)
            lines[(*at, name)] = key.start_mark.line + 1
            _check_node(loader, value, (*at, name), lines, written, seen)
    elif isinstance(node, yaml.SequenceNode):
        _check_bare_texts(node, node.value)
        for i, value in enumerate(node.value):
            _check_node(loader, value, (*at, i), lines, written, seen)
    elif isinstance(node, yaml.ScalarNode):
        _check_text(node)
        _check_value(loader, node)
        written[at] = node.value
    if node.tag not in _READ:
        raise _yaml_error(node, f"the tag {_shown(node.tag, at)}", _NO_TAGS)


def _shown(name: str, at: Location) -> str:
    """Return ``name`` as an error shows it; in a section about a server, only a name that is no secret."""
    return repr(name) if _SERVER not in at or _PLAIN.fullmatch(name) else "that is written here"


def _check_bare_texts(node: yaml.CollectionNode, values: Iterable[yaml.Node]) -> None:
    """Raise YAMLError for a ? in a text without quotes between brackets, which only libyaml accepts."""
    for value in values if node.flow_style else ():
        if isinstance(value, yaml.ScalarNode) and not value.style and "?" in value.value:
            raise _yaml_error(value, "a question mark between brackets", "put the text in quotes")


def _check_text(node: yaml.Node) -> None:
    if any("\ud800" <= c <= "\udfff" for c in node.value):
        raise _yaml_error(node, "half a character (a lone surrogate)", "write the character itself")
    if (hidden := hidden_control(node.value)) is not None:
        raise _yaml_error(node, f"the control character U+{ord(hidden):04X}", "remove it")


def _check_value(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> None:
    """Raise YAMLError unless the text of ``node`` is a value of the type that its tag names."""
    if node.tag in _NUMBERS and len(node.value) > MAX_DIGITS:
        problem = f"a number of {len(node.value):,} characters"
        raise _yaml_error(
            node, problem, f"write at most {MAX_DIGITS} characters, or put it in quotes if it is a text"
        )
    if node.tag in _NUMBERS and (":" in node.value or re.match(r"[-+]?0[0-9_]", node.value)):
        problem = f"the number {node.value}, which YAML reads in base {60 if ':' in node.value else 8}"
        raise _yaml_error(node, problem, "write it in base 10, or put it in quotes if it is a text")
    try:
        loader.construct_object(node)
    except ValueError as e:
        raise _yaml_error(node, str(e), "put dates and numbers in quotes") from None
    except (LookupError, AttributeError):
        # PyYAML raises these for an explicit tag that does not fit its value, such as `!!bool x`
        raise _yaml_error(node, f"the tag {node.tag!r} does not fit its value", _NO_TAGS) from None


def _yaml_error(node: yaml.Node, problem: str, remedy: str) -> MarkedYAMLError:
    return MarkedYAMLError(problem=problem, problem_mark=node.start_mark, note=remedy)
