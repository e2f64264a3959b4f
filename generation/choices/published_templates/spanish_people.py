"""The people of EsBBQ's and CaBBQ's templates, and the two vocabularies beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.choices.published_templates.bbq_vocabulary import folded
from nextset.generation.choices.published_templates.braced_text import braced_lists
from nextset.generation.choices.published_templates.people_pairs import PeoplePairs, different_pairs
from nextset.generation.choices.published_templates.slotted_text import Entry
from nextset.generation.choices.published_templates.workbook_rows import workbook_rows

__all__ = ["SpanishRow", "SpanishVocabulary", "spanish_pairs"]

_LABELS, _NAMES = "vocabulary.xlsx", "vocabulary_proper_names.xlsx"
_UNMARKED = "not-stereotyped"
_EXCLUDED = ("0", "FALSE", "false")


@dataclass(frozen=True)
class SpanishRow:
    """The cells of a row that decide about its people."""

    category: str
    subcategory: str
    names: str
    targets: tuple[str, ...]
    others: tuple[str, ...]
    """The groups that the stereotype is not about; may be empty."""
    groups: tuple[str, str]
    """The groups of NAME1 and NAME2 that the row declares; may be empty."""
    gender: str
    """f or m, the grammatical gender of both people; empty if it varies."""
    proper: bool
    """True if the people have proper names."""

    def person(self, text: str, group: str, forms: Mapping[str, str]) -> Entry:
        """Return a person, who is targeted if a part of the group, or the text, is a target."""
        parts = [part.strip() for part in group.split(",")]
        return Entry(text, group, not {text, *parts}.isdisjoint(self.targets), forms)


@dataclass(frozen=True)
class _Label:
    text: str
    feminine: str
    forms: Mapping[str, str]
    feminine_forms: Mapping[str, str]
    group: str


@dataclass(frozen=True)
class _ProperName:
    text: str
    forms: Mapping[str, str]
    gender: str
    ethnicity: str


class SpanishVocabulary:
    """The vocabularies in a folder, in one of the two languages, each read when a template needs it."""

    def __init__(self, folder: Path, language: str, beside: dict[Path, None]) -> None:
        """Read from ``folder``, and add the files that were read to ``beside``."""
        self._folder = folder
        self._language = language
        self._beside = beside
        self._read: dict[str, list[Mapping[str, str]]] = {}

    def labels(self, category: str, subcategory: str = "") -> list[_Label]:
        """Return the words of a category, those that the file does not exclude; raises WordListError."""
        at = self._language
        return [
            _Label(
                row[f"name_{at}"],
                row.get(f"f_{at}") or row[f"name_{at}"],
                _definite(row.get(f"name_def_{at}", "")),
                _definite(row.get(f"f_def_{at}", "")),
                row.get("information", ""),
            )
            for row in self._rows(_LABELS, f"name_{at}")
            if folded(row.get("category", "")) == folded(category)
            and subcategory in ("", row.get("subcategory", ""))
            and row.get("include_name", "") not in _EXCLUDED
        ]

    def names(self) -> list[_ProperName]:
        """Return the proper names; raises WordListError."""
        at = self._language
        return [
            _ProperName(
                row[f"proper_name_{at}"],
                _definite(row.get(f"proper_name_def_{at}", "")),
                row.get("gender", ""),
                row.get(f"ethnicity_{at}", ""),
            )
            for row in self._rows(_NAMES, f"proper_name_{at}")
        ]

    def unmarked(self) -> set[str]:
        """Return the ethnicities that no stereotype of the set is about."""
        return {label.text for label in self.labels("RaceEthnicity") if label.group == _UNMARKED}

    def _rows(self, name: str, column: str) -> list[Mapping[str, str]]:
        if name not in self._read:
            file = self._folder / name
            if not file.exists():
                raise WordListError(
                    "no such file, but the templates beside it take their people from it",
                    file=file,
                    remedy="copy the vocabulary of the templates to the same folder",
                )
            self._beside[file] = None
            rows = [row.cells for row in workbook_rows(file, WordListError)]
            if not any(column in row for row in rows):
                raise WordListError(
                    f"the column {column!r} is missing or empty", file=file, line=1, remedy="add the column"
                )
            self._read[name] = [
                {key: text.strip() for key, text in row.items()}
                for row in rows
                if row.get(column, "").strip()
            ]
        return self._read[name]


def _definite(text: str) -> dict[str, str]:
    return {"def": text} if text else {}


def spanish_pairs(row: SpanishRow, vocabulary: SpanishVocabulary) -> PeoplePairs:
    """Return the pairs of a row: its own lists, proper names, occupations, or targets × other groups."""
    if row.proper:
        return _proper_pairs(row, vocabulary)
    if row.names:
        lists = braced_lists(row.names)
        first, second = (_own(lists.get(f"NAME{i + 1}", {}), row, row.groups[i]) for i in (0, 1))
        return PeoplePairs(((first, second),))
    labels = vocabulary.labels(row.category, row.subcategory)
    if not row.targets or {label.group for label in labels} & set(row.targets):
        groups = dict.fromkeys(label.group for label in labels)
        lists_of = [
            [_person(row, label, label.group) for label in labels if label.group == g] for g in groups
        ]
        return PeoplePairs(
            tuple((lists_of[i], other) for i in range(len(lists_of)) for other in lists_of[i + 1 :])
        )
    others = row.others or tuple(label.text for label in labels if label.group == _UNMARKED)
    return PeoplePairs((tuple(_named(texts, row, labels) for texts in (row.targets, others)),))  # type: ignore[arg-type]


def _own(forms: Mapping[str, tuple[str, ...]], row: SpanishRow, group: str) -> list[Entry]:
    plain = forms.get("") or tuple(text.partition(" ")[2] for text in next(iter(forms.values()), ()))
    return [
        row.person(text, group or text, {f: texts[i] for f, texts in forms.items() if f and i < len(texts)})
        for i, text in enumerate(plain)
    ]


def _named(texts: Iterable[str], row: SpanishRow, labels: Sequence[_Label]) -> list[Entry]:
    known = {label.text: label for label in labels}
    return [_person(row, known.get(text) or _Label(text, text, {}, {}, ""), text) for text in texts]


def _person(row: SpanishRow, label: _Label, group: str) -> Entry:
    if row.gender == "f":
        return row.person(label.feminine, group, label.feminine_forms)
    return row.person(label.text, group, label.forms)


def _proper_pairs(row: SpanishRow, vocabulary: SpanishVocabulary) -> PeoplePairs:
    """Return targets × names of unmarked ethnicity, women × men, or any two names of one gender."""
    names, unmarked = vocabulary.names(), vocabulary.unmarked()
    plain = [name for name in names if name.ethnicity in unmarked]
    marked = [name for name in names if name.ethnicity in row.targets]
    if marked:
        pairs = [_block(row, _of(marked, gender), _of(plain, gender), _both) for gender in "fm"]
        wanted = [pair for gender, pair in zip("fm", pairs, strict=True) if row.gender in ("", gender)]
        return PeoplePairs(tuple(wanted))
    if folded(row.category) == "gender":
        return PeoplePairs((_block(row, _of(plain, "f"), _of(plain, "m"), lambda name: name.gender),))
    people = _of(plain, row.gender) if row.gender else plain
    return different_pairs([row.person(name.text, name.text, name.forms) for name in people])


def _both(name: _ProperName) -> str:
    return f"{name.gender}, {name.ethnicity}"


def _of(names: Iterable[_ProperName], gender: str) -> list[_ProperName]:
    return [name for name in names if name.gender == gender]


def _block(
    row: SpanishRow,
    first: Iterable[_ProperName],
    second: Iterable[_ProperName],
    group: Callable[[_ProperName], str],
) -> tuple[list[Entry], list[Entry]]:
    one, two = ([row.person(n.text, group(n), n.forms) for n in names] for names in (first, second))
    return one, two
