"""The lines of UnQover's word lists: ``[head] cluster | text``, aligned by their order under each head."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import read_text
from nextset.generation.questions.published_corrections import corrected

__all__ = ["Line", "Reader", "Row"]

_HEAD = re.compile(r"\[(subj|p_act|l_act)(?:-([A-Za-z0-9]+))?(?::([A-Za-z0-9]+))?\]")
_ENTRY = re.compile(r"(\[[^\s\]]+\])\s(?:([^|]*)\|)?([^|]*)")


@dataclass(frozen=True)
class Line:
    """A line that is neither empty nor a comment."""

    number: int
    """The line's number, from 1."""
    text: str
    """The text, without spaces at its ends."""


@dataclass(frozen=True)
class Row:
    """The entries at the same place under each head: one subject or attribute in all its forms."""

    line: int
    """The line of the base form."""
    cluster: str
    """The cluster; may be empty."""
    texts: dict[str, str]
    """The text by head."""


@dataclass(frozen=True)
class _Entry:
    line: int
    cluster: str
    text: str


@dataclass(frozen=True)
class Reader:
    """The reader of the files in one folder, with a record of the files that it read."""

    folder: Path
    correct: bool
    """True if the mistakes that published_corrections.yaml lists are corrected."""
    files: dict[Path, None] = field(default_factory=dict)
    """The files that were read, in order."""

    def lines(self, file: Path, most: int | None = None) -> list[Line]:
        """Return the lines of ``file``; raises WordListError if there are none, or more than ``most``."""
        self.files.setdefault(file)
        text = read_text(file, WordListError)
        stripped = ((i, line.strip()) for i, line in enumerate(text.split("\n"), 1))
        lines = [Line(i, self._corrected("", t)) for i, t in stripped if t and not t.startswith("#")]
        for line in lines:
            self._check_characters(file, line)
        if not lines:
            raise WordListError(
                "the file has no lines", file=file, remedy="write one entry per line, or delete the file"
            )
        if most is not None and len(lines) > most:
            raise WordListError(
                f"the file has more lines than allowed ({most})",
                file=file,
                line=lines[most].number,
                remedy="remove this line and the following ones",
            )
        return lines

    def _check_characters(self, file: Path, line: Line) -> None:
        hidden = [c for c in line.text if c != "\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
        if hidden or not unicodedata.is_normalized("NFC", line.text):
            what = f"the control character {hidden[0]!a}" if hidden else "text that is not in Unicode NFC"
            raise WordListError(
                f"{line.text[:60]!a} contains {what}",
                file=file,
                line=line.number,
                remedy="write plain text in NFC",
            )

    def _corrected(self, head: str, text: str) -> str:
        return re.sub(" +", " ", corrected(head, text)) if self.correct else text

    def table(self, file: Path, base: str, *, optional: bool = False) -> list[Row]:
        """Return the rows under ``base`` and its variants; no rows if they are ``optional`` and missing.

        Raises WordListError if a line is not an entry, heads differ in length, or clusters differ.
        """
        columns: dict[str, list[_Entry]] = {}
        for line in self.lines(file):
            match = _ENTRY.fullmatch(line.text)
            if not match or not match[3].strip():
                raise WordListError(
                    f"{line.text[:60]!r} is not an entry", file=file, line=line.number,
                    remedy="write [slot] text, or [slot] cluster | text",
                )  # fmt: skip
            slot = _HEAD.fullmatch(match[1])
            if not slot or (slot[2] and slot[2] == slot[3]):
                raise WordListError(
                    f"{match[1]} is not a slot", file=file, line=line.number,
                    remedy="use [subj], [p_act] or [l_act], with forms as in [p_act-single:neg]",
                )  # fmt: skip
            if any(c in match[3] for c in "[]{}"):
                raise WordListError(
                    f"{match[3].strip()[:60]!r} contains a bracket", file=file, line=line.number,
                    remedy="use slots only in the files of slots/",
                )  # fmt: skip
            if slot[1] == base[1:-1]:
                entry = _Entry(
                    line.number, (match[2] or "").strip(), self._corrected(match[1], match[3].strip())
                )
                columns.setdefault(match[1], []).append(entry)
        if base not in columns:
            if optional and not columns:
                return []
            raise WordListError(f"the file has no {base} line", file=file, remedy=f"add {base} lines")
        for head, column in columns.items():
            if len(column) != len(columns[base]):
                raise WordListError(
                    f"{head} and {base} differ in the number of entries ({len(column)} and "
                    f"{len(columns[base])})",
                    file=file,
                    line=column[-1].line,
                    remedy="list every form, in the same order",
                )
        return [_row(file, base, i, columns) for i in range(len(columns[base]))]


def _row(file: Path, base: str, i: int, columns: dict[str, list[_Entry]]) -> Row:
    cluster = columns[base][i].cluster
    for head, column in columns.items():
        if column[i].cluster not in ("", cluster):
            raise WordListError(
                f"{head} has the cluster {column[i].cluster!r}, but {base} has {cluster!r}",
                file=file,
                line=column[i].line,
                remedy="list every form in the same order",
            )
    return Row(columns[base][i].line, cluster, {head: column[i].text for head, column in columns.items()})
