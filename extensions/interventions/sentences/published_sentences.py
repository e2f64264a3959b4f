"""The interventions of Zhao et al. (2021): NAME_interventions.json and unqover_NAME_interventions.tsv.

They are read as published, mistakes included. Their categories of attributes have different names from the
clusters of UnQover's word lists, which lack lists for some of these categories.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import WordListError
from nextset.extensions.interventions.intervention import Kind
from nextset.extensions.interventions.sentences.sentence_files import Sentence, not_plain
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.hidden_controls import hidden_control
from nextset.files.separated_rows import separated_rows
from nextset.files.yaml_reader import read_text

__all__ = ["is_published_sentences", "read_published_sentences"]

SOURCE = "LEI (Zhao et al. 2021)"
_FILE = re.compile(r"(?:unqover_)?(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*)_interventions\.(?P<ending>json|tsv)")
_KINDS: tuple[Kind, ...] = ("ethical", "adversarial", "irrelevant")
_CLUSTERS: Mapping[str, tuple[str, ...]] = {
    "": (),
    "none": (),
    "general": (),
    "poverty": ("poverty", "poor"),
    "success": ("success", "negative"),
    "superiority": ("superiority", "negative"),
}
"""The clusters of attributes of a published category, if their names differ. A sentence without a cluster is
added to every question."""
_DOMAINS = {"ethnicity": "race"}
"""The domain of NLI items of a class, if its name differs."""
_MISSING = "NaN"
_CATEGORY = "activity category"


@dataclass(frozen=True)
class _Cell:
    kind: Kind
    category: str
    text: str
    line: int | None


def is_published_sentences(file: Path) -> bool:
    """Return whether ``file`` is named like a published file of interventions."""
    return _FILE.fullmatch(file.name) is not None


def read_published_sentences(file: Path) -> tuple[Sentence, ...]:
    """Return the sentences of ``file``, for the class that its name begins with, in English.

    A sentence that is repeated within its kind and category counts once. Raises WordListError for any other
    layout.
    """
    named = _FILE.fullmatch(file.name)
    if named is None:
        raise WordListError(
            f"{file.name!r} is not the name of a published file of interventions",
            file=file,
            remedy="keep the published name, such as gender_interventions.json",
        )
    text = read_text(file, WordListError)
    cells = _cells_of_json(file, text) if named["ending"] == "json" else _cells_of_table(file, text)
    sentences: dict[tuple[str, str, str], Sentence] = {}
    count: dict[tuple[str, str], int] = {}
    for cell in cells:
        words = cell.text.strip()
        if not words or words == _MISSING:
            continue
        _check(file, cell, words)
        key = (cell.kind, cell.category, words)
        if key in sentences:
            continue
        number = count[key[:2]] = count.get(key[:2], 0) + 1
        sentences[key] = Sentence(
            language="en",
            kind=cell.kind,
            name=f"{cell.category or 'none'}-{number}",
            text=words,
            join=" ",
            classes=(named["name"],),
            clusters=_CLUSTERS.get(cell.category, (cell.category,)),
            domains=(_DOMAINS.get(named["name"], named["name"]),),
            source=SOURCE,
        )
    if not sentences:
        raise WordListError("the file has no sentences", file=file, remedy="download it again")
    return tuple(sentences.values())


def _cells_of_json(file: Path, text: str) -> Iterator[_Cell]:
    try:
        data = parse_foreign_json(text)
    except ForeignJsonError as e:
        raise WordListError(str(e), file=file, line=e.line, remedy="download the file again") from None
    for kind in _keys(file, data, "the file", _KINDS):
        categories = data[kind]
        for category in _keys(file, categories, kind):
            listed = categories[category]
            if not isinstance(listed, list) or not all(isinstance(s, str) or s != s for s in listed):
                raise WordListError(
                    f"{kind}.{category[:40]} is not a list of sentences", file=file, remedy=_LAYOUT
                )
            for sentence in listed:
                if isinstance(sentence, str):  # an empty cell of the table became the number NaN
                    yield _Cell(_KINDS[_KINDS.index(kind)], category, sentence, None)


_LAYOUT = 'write {"ethical": {"CATEGORY": ["A sentence.", …]}, "adversarial": …, "irrelevant": …}'


def _keys(file: Path, found: Any, where: str, known: tuple[Kind, ...] = ()) -> list[Any]:
    """Return the keys of ``found``; raises WordListError if it has none, or one that is not in ``known``."""
    if not isinstance(found, dict) or not found:
        raise WordListError(f"{where} is not an object with keys", file=file, remedy=_LAYOUT)
    for key in found:
        if known and key not in known:
            raise WordListError(f"{key[:40]!r} is not a kind of intervention", file=file, remedy=_LAYOUT)
    return list(found)


def _cells_of_table(file: Path, text: str) -> Iterator[_Cell]:
    rows = separated_rows(io.StringIO(text, newline=""), file, WordListError, tabs=True)
    head = [name.strip().lower() for name in next(rows, (1, []))[1]]
    kinds = [next((k for k in _KINDS if name.startswith(f"{k} interventions")), None) for name in head]
    if not any(kinds):
        raise WordListError(
            "no column is called ethical, adversarial or irrelevant Interventions",
            file=file,
            line=1,
            remedy="keep the published header; columns are separated by tabs",
        )
    category = head.index(_CATEGORY) if _CATEGORY in head else None
    for number, row in rows:
        if not any(map(str.strip, row)):
            continue
        named = row[category].strip() if category is not None else ""
        if category is not None and not named:
            raise WordListError(
                "the sentences have no activity category", file=file, line=number, remedy="write one"
            )
        for kind, cell in zip(kinds, row, strict=True):
            if kind is not None:
                yield _Cell(kind, named, cell, number)


def _check(file: Path, cell: _Cell, text: str) -> None:
    for part in (text, cell.category):
        if not (hidden_control(part) or not_plain(part) or "\n" in part or len(part) > 1_000):
            continue
        raise WordListError(
            f"{part[:60]!r} contains a control character, a slot or a special token, or is too long",
            file=file,
            line=cell.line,
            remedy="write plain sentences of at most 1,000 characters",
        )
