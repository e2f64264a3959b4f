"""The vocabularies of BBQ beside its templates: vocabulary.csv and vocabulary_proper_names.csv."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.row_files import rows_of_file

__all__ = ["LABELS", "NAMES", "BbqVocabulary", "Label", "ProperName", "folded"]

LABELS, NAMES = "vocabulary.csv", "vocabulary_proper_names.csv"
"""The names of the files."""
_MOST = 20_000


def folded(text: str) -> str:
    """Return ``text`` in lower case, letters and digits alone: DisabilityStatus equals Disability_status."""
    return "".join(character for character in text.casefold() if character.isalnum())


@dataclass(frozen=True)
class Label:
    """A word for a group."""

    category: str
    subcategory: str
    text: str
    group: str
    """The wider group, such as Europe or lowSES; may be empty."""


@dataclass(frozen=True)
class ProperName:
    """A name of a person."""

    text: str
    kind: str
    """first, last, or first_only for a first name that stands alone."""
    gender: str
    """F, M, or empty for last names."""
    ethnicity: str
    """Such as Latino; empty for first_only."""


class BbqVocabulary:
    """The vocabularies in a folder, each read when a template needs it."""

    def __init__(self, folder: Path, beside: dict[Path, None]) -> None:
        """Read from ``folder``, and add the files that were read to ``beside``."""
        self._folder = folder
        self._beside = beside
        self._labels: list[Label] | None = None
        self._names: list[ProperName] | None = None

    def labels(self, category: str, subcategory: str = "") -> list[Label]:
        """Return the words of a category, those that the file does not exclude; raises WordListError."""
        if self._labels is None:
            self._labels = [
                Label(row["Category"], row["SubCat"], row["Name"], row["Info"])
                for row in self._rows(LABELS, ("Category", "SubCat", "Name", "Info", "Pilot_include"))
                if row["Pilot_include"] != "No"
            ]
        return [
            label
            for label in self._labels
            if folded(label.category) == folded(category) and subcategory in ("", label.subcategory)
        ]

    def names(self, kind: str, gender: str = "") -> list[ProperName]:
        """Return the proper names of a ``kind``, of one gender or of both; raises WordListError."""
        if self._names is None:
            self._names = [
                ProperName(row["Name"], row["First_last"], row["gender"], row["ethnicity"])
                for row in self._rows(NAMES, ("Name", "First_last", "gender", "ethnicity"))
            ]
        return [name for name in self._names if name.kind == kind and gender in ("", name.gender)]

    def _rows(self, name: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
        file = self._folder / name
        if not file.exists():
            raise WordListError(
                "no such file, but the templates beside it take their people from it",
                file=file,
                remedy="copy the vocabulary of the templates to the same folder",
            )
        self._beside[file] = None
        rows: list[dict[str, str]] = []
        for line, row in rows_of_file(file, WordListError):
            missing = [column for column in columns if column not in row]
            if missing:
                raise WordListError(
                    f"the column {missing[0]!r} is missing", file=file, line=1, remedy="add the column"
                )
            if len(rows) == _MOST:
                raise WordListError(
                    f"the file has more than {_MOST:,} rows", file=file, line=line, remedy="remove some"
                )
            rows.append({column: row[column].strip() for column in columns})
        return [row for row in rows if row["Name"]]
