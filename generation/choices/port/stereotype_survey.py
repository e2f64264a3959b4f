"""The answers of people to the question which group a stereotype is about, or whether there is none."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import WordListError
from nextset.files.file_search import files_below
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file
from nextset.generation.pack_sheets.sheet_rows import read_sheet

__all__ = ["NONE", "SURVEY_COLUMNS", "SurveyCounts", "group_key", "read_survey", "stereotype_key"]

NONE = "none"
"""The answer of a person who knows no such stereotype."""
SURVEY_COLUMNS: Mapping[str, str] = {
    "person": "a random code of the person, made by the page",
    "category": "the category of the stereotype",
    "stereotype": "the stereotype",
    "answer": f"a group that it is about, or {NONE}; one row for each group that the person chose",
}
"""The columns of a file of answers, with their meanings."""
_NOBODY = ("no_stereo", "none")
"""The keys for people who know no such stereotype, in a file of counts."""
_MOST_BYTES = 50_000_000
_MOST_PEOPLE = 1_000_000_000


@dataclass(frozen=True)
class SurveyCounts:
    """The answers about one stereotype."""

    people: int
    """The number of people who answered."""
    none: int
    """The number of people who said that there is no such stereotype."""
    by_group: Mapping[str, int]
    """The number of people who chose each group."""
    persons: Mapping[str, frozenset[str]] | None = None
    """The people who chose each group, by their codes; None if only counts are known."""

    @property
    def known(self) -> float | None:
        """The share of the people who named a group, in [0, 1]; None if nobody was asked."""
        return None if not self.people else (self.people - self.none) / self.people

    @property
    def most_named(self) -> str:
        """The group that most people chose, the first in alphabetical order of several; may be empty."""
        named = {group: n for group, n in self.by_group.items() if n}
        return min(named, key=lambda group: (-named[group], group)) if named else ""

    def named(self, groups: Iterable[str]) -> float | None:
        """Return the share of the people who chose one of ``groups``, in [0, 1]; None if nobody was asked.

        If only counts are known and people could choose several groups, it is the share of the group that was
        chosen most, which is a lower bound.
        """
        if not self.people:
            return None
        wanted = {group_key(group) for group in groups}
        chosen = [name for name in self.by_group if not wanted.isdisjoint(_parts(name))]
        if self.persons is not None:
            return len(frozenset[str]().union(*(self.persons[name] for name in chosen))) / self.people
        counts = [self.by_group[name] for name in chosen]
        once = sum(self.by_group.values()) + self.none <= self.people
        return (sum(counts) if once else max(counts, default=0)) / self.people


def group_key(group: str) -> str:
    """Return the name of a group as names are compared: NFC, without spaces at its ends and case."""
    return unicodedata.normalize("NFC", group).strip().casefold()


def stereotype_key(category: str, stereotype: str) -> tuple[str, str]:
    """Return what identifies a stereotype in a survey."""
    return group_key(category), group_key(stereotype)


def _parts(name: str) -> set[str]:
    """Return the groups that a survey's answer names: several have commas between them."""
    return {group_key(part) for part in name.split(",")} | {group_key(name)}


def read_survey(path: Path, people: int | None) -> dict[tuple[str, str], SurveyCounts]:
    """Return the answers in a CSV file or in all of a folder, or the counts in a JSON file, by stereotype.

    A file of counts is a list of objects with category, stereotype and survey_stats, the number of people by
    group. ``people`` is the number of people asked about each stereotype, which such a file does not have;
    None for the sum of its counts. Raises WordListError with the place and a remedy.
    """
    if path.is_dir():
        files = sorted(files_below(path, (".csv",), WordListError))
        if not files:
            raise WordListError("the folder has no CSV files", file=path, remedy="add the files of answers")
        return _of_answers(files)
    if path.suffix.casefold() == ".json":
        return _of_counts(path, people)
    return _of_answers([path])


def _of_answers(files: Sequence[Path]) -> dict[tuple[str, str], SurveyCounts]:
    answers: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in files:
        for row in read_sheet(file, SURVEY_COLUMNS):
            texts = {name: text.strip() for name, text in row.texts.items()}
            empty = [name for name in SURVEY_COLUMNS if not texts[name]]
            if empty:
                raise WordListError(
                    f"the cell {empty[0]} is empty", file=file, line=row.line, remedy="remove the row"
                )
            answers[stereotype_key(texts["category"], texts["stereotype"])][texts["answer"]].add(
                texts["person"]
            )
    return {key: _of_persons(chosen) for key, chosen in answers.items()}


def _of_persons(chosen: Mapping[str, set[str]]) -> SurveyCounts:
    groups = {group: frozenset(persons) for group, persons in chosen.items() if group.casefold() != NONE}
    naming = frozenset[str]().union(*groups.values())
    everyone = naming.union(*chosen.values())
    counts = {group: len(persons) for group, persons in groups.items()}
    return SurveyCounts(len(everyone), len(everyone - naming), counts, groups)


def _of_counts(path: Path, people: int | None) -> dict[tuple[str, str], SurveyCounts]:
    remedy = "check that it is JSON in UTF-8"
    try:
        require_file(path, WordListError)
        if path.stat().st_size > _MOST_BYTES:
            raise WordListError("the file has more than 50 MB", file=path, remedy="name the survey's counts")
        entries = parse_foreign_json(path.read_bytes().decode("utf-8-sig"))
    except ForeignJsonError as e:
        raise WordListError(str(e), file=path, line=e.line, remedy=remedy) from None
    except (OSError, UnicodeDecodeError) as e:
        problem = f"the survey cannot be read: {str(e)[:200]}"
        raise WordListError(problem, file=path, remedy=remedy) from None
    if not isinstance(entries, list):
        raise _not_counts(path, "it is not a list")
    return dict(_counts(path, i, entry, people) for i, entry in enumerate(entries, 1))


def _counts(path: Path, number: int, entry: Any, people: int | None) -> tuple[tuple[str, str], SurveyCounts]:
    if not isinstance(entry, dict) or not isinstance(entry.get("survey_stats"), dict):
        raise _not_counts(path, f"entry {number} has no survey_stats")
    names = entry.get("category"), entry.get("stereotype")
    if not all(isinstance(name, str) for name in names):
        raise _not_counts(path, f"entry {number} has no category or stereotype")
    stats = entry["survey_stats"]
    wrong = next(
        (k for k, n in stats.items() if type(n) is not int or not 0 <= n <= _MOST_PEOPLE),
        None,
    )
    if wrong is not None:
        raise _not_counts(path, f"entry {number}: {wrong[:40]!r} is not a number of people")
    counts: Counter[str] = Counter(stats)
    none = sum(counts.pop(key) for key in stats if group_key(key) in _NOBODY)
    asked = people if people is not None else none + sum(counts.values())
    most = max([none, *counts.values()])
    if most > asked:
        raise WordListError(
            f"entry {number}: {most} people gave one answer, but {asked} were asked",
            file=path,
            remedy="correct choices.port.people in study.yaml",
        )
    return stereotype_key(str(names[0]), str(names[1])), SurveyCounts(asked, none, dict(counts))


def _not_counts(path: Path, problem: str) -> WordListError:
    return WordListError(
        f"the file has no counts of a survey: {problem}",
        file=path,
        remedy="write a list of objects with category, stereotype and survey_stats, or name a CSV file",
    )
