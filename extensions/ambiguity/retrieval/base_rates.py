"""Base rates: the shares of groups that retrieved passages and answers are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nextset.array_types import Floats
from nextset.errors import InputError, examples
from nextset.extensions.ambiguity.retrieval.retrieval_records import BaseRate
from nextset.extensions.ambiguity.retrieval.title_groups import TitleGroups
from nextset.extensions.ambiguity.settings.retrieval_settings import TOLERANCE
from nextset.files.row_files import columns_line, rows_of_file
from nextset.files.similar_column import similar_column
from nextset.letter_case import folded

__all__ = ["BaseRates", "base_rates", "occupation_key", "read_base_rates"]


_COLUMNS = ("occupation", "group", "share")


@dataclass(frozen=True)
class BaseRates:
    """Shares of the groups, for all questions or by occupation."""

    groups: tuple[str, ...]
    overall: Floats | None
    """The shares for every question, shape (groups,); None if there are no base rates, or they are by
    occupation."""
    by_occupation: Mapping[str, Floats] = field(default_factory=dict)
    """The shares for each occupation, in lower case."""
    sources: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The source that a table gives for an occupation and a group."""
    source: str = ""
    """The source of `overall`."""

    def of(self, occupations: Sequence[str]) -> Floats:
        """Return the shares for questions about ``occupations``, shape (questions, groups); NaN without a
        base rate."""
        none = np.full(len(self.groups), np.nan)
        if not self.by_occupation:
            return np.tile(none if self.overall is None else self.overall, (len(occupations), 1))
        shares = [self.by_occupation.get(occupation_key(name), none) for name in occupations]
        return np.array(shares).reshape(len(occupations), len(self.groups))

    def rows(self) -> Iterator[BaseRate]:
        """Yield each share with its source."""
        for i, group in enumerate(self.groups):
            if self.overall is not None:
                yield BaseRate(occupation="", group=group, share=float(self.overall[i]), source=self.source)
        for occupation, shares in self.by_occupation.items():
            for group, share in zip(self.groups, shares.tolist(), strict=True):
                source = self.sources.get((occupation, group), "")
                yield BaseRate(occupation=occupation, group=group, share=share, source=source)


def base_rates(
    written: str | Mapping[str, float], groups: Sequence[str], titles: TitleGroups, file: Path | None
) -> BaseRates:
    """Return the base rates that the setting ``written`` names; ``file`` is the table, if it names one.

    For the collection, they are the shares among its titles of a known group, each title once. Raises
    InputError for a table that cannot be used.
    """
    if file is not None:
        return read_base_rates(file, groups)
    if not isinstance(written, str):
        shares = np.array([float(written[group]) for group in groups])
        return BaseRates(tuple(groups), shares / shares.sum(), source="given in study.yaml")
    if written == "equal":
        return BaseRates(tuple(groups), np.full(len(groups), 1 / len(groups)), source="equal shares")
    return BaseRates(tuple(groups), titles.shares, source="titles of the collection with a known group")


def read_base_rates(file: Path, groups: Sequence[str]) -> BaseRates:
    """Return the base rates of a table with the columns occupation, group, share, and perhaps source.

    The table is CSV, JSON lines or Parquet. Every occupation needs one share above 0 for each of ``groups``,
    and the shares must sum to 1. Raises InputError with line and remedy.
    """
    known = {folded(group): group for group in groups}
    lines: dict[str, int] = {}
    shares: dict[str, dict[str, float]] = {}
    sources: dict[tuple[str, str], str] = {}
    for line, row in rows_of_file(file, InputError):
        _check_columns(row, file, line)
        occupation, group = (_text(row, column, file, line) for column in ("occupation", "group"))
        name, key = known.get(folded(group)), occupation_key(occupation)
        if name is None:
            raise InputError(
                f"{group!r:.80} is not a group of this study",
                file=file,
                line=line,
                remedy=f"write one of {', '.join(groups)}, or add it to ambiguity.retrieval.groups",
            )
        if name in shares.setdefault(key, {}):
            raise InputError(
                f"the row for {occupation}, {name} is repeated",
                file=file,
                line=line,
                remedy="write one row per occupation and group",
            )
        lines.setdefault(key, line)
        shares[key][name] = _share(row["share"], file, line)
        source = row.get("source")
        sources[key, name] = str(source) if source is not None else ""
    if not shares:
        raise InputError(
            "the table has no rows",
            file=file,
            remedy="write one row per occupation and group, with its share",
        )
    for key, by_group in shares.items():
        _check_occupation(key, by_group, groups, file, lines[key])
    table = {
        key: np.array([by_group[group] for group in groups]) / sum(by_group.values())
        for key, by_group in shares.items()
    }
    return BaseRates(tuple(groups), None, table, sources)


def occupation_key(occupation: str) -> str:
    """Return ``occupation`` in the form that is compared: in lower case, with single spaces."""
    return " ".join(folded(occupation).split())


def _check_columns(row: Mapping[str, Any], file: Path, line: int) -> None:
    for column in _COLUMNS:
        if column in row:
            continue
        meant = next((name for name in row if similar_column(name, _COLUMNS) == column), None)
        remedy = f"rename the column {meant!r}" if meant else "use the columns occupation, group and share"
        raise InputError(
            f"there is no column {column!r}; the file has {examples(row, 12)}",
            file=file,
            line=columns_line(file, line),
            remedy=remedy,
        )


def _text(row: Mapping[str, Any], column: str, file: Path, line: int) -> str:
    value = row[column]
    if not isinstance(value, str) or not value.strip():
        raise InputError(
            f"{column}: {value!r:.80} is not a text", file=file, line=line, remedy="write a text"
        )
    return value.strip()


def _share(value: Any, file: Path, line: int) -> float:
    try:
        share = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if not 0 < share <= 1:
        raise InputError(
            f"share: {value!r:.80} is not a share",
            file=file,
            line=line,
            remedy="write a number above 0 and at most 1, such as 0.35",
        )
    return share


def _check_occupation(
    key: str, shares: Mapping[str, float], groups: Sequence[str], file: Path, line: int
) -> None:
    missing = [group for group in groups if group not in shares]
    if missing:
        raise InputError(
            f"{key}: there is no share of {', '.join(missing)}",
            file=file,
            line=line,
            remedy="write one row per group",
        )
    total = sum(shares.values())
    if abs(total - 1) > TOLERANCE:
        raise InputError(
            f"{key}: the shares sum to {total:.3g}", file=file, line=line, remedy="write shares that sum to 1"
        )
