"""Pairs of premise and hypothesis with a label, from any table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.errors import InputError
from nextset.records.class_labels import is_no_class
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT, known_label
from nextset.study.training_settings import COLUMNS
from nextset.training.training_data.data_parts import check_part, part_of
from nextset.training.training_data.data_source import DataSource
from nextset.training.training_data.wanted_columns import wanted_columns

__all__ = ["NO_LABEL", "NliExample", "NliExamples", "read_nli"]

_COLUMNS = COLUMNS["nli"]
NO_LABEL = "pairs without a label"
"""The reason for dropping rows whose annotators did not agree (in SNLI, their label is - or −1)."""
_TWO = ("entailment", NOT_ENTAILMENT)
_SHOWN = 6
"""The most unknown labels that an error names."""


@dataclass(frozen=True, slots=True)
class NliExample:
    """A pair with its label."""

    premise: str
    hypothesis: str
    label: str
    """entailment, neutral or contradiction; or entailment or not_entailment."""
    part: str = ""
    """The pair's part of the data, such as its genre; empty unless parts are requested."""


@dataclass(frozen=True)
class NliExamples:
    """The pairs of some sources."""

    pairs: tuple[NliExample, ...]
    """The pairs in order."""
    labels: tuple[str, ...]
    """The labels of a model that is trained on the pairs, in the order of its outputs."""
    dropped: Mapping[str, int]
    """The numbers of dropped rows, by reason."""


def read_nli(
    sources: Sequence[DataSource],
    columns: Mapping[str, str],
    labels: Sequence[str] | Mapping[str, str],
    by: str = "",
) -> NliExamples:
    """Return the pairs of ``sources``, with the column ``by`` as their parts, if it is given.

    ``columns`` maps premise, hypothesis and label to the tables' names. ``labels`` are the meanings of the
    numbers 0, 1, …, or a mapping of the tables' labels. Without ``labels``, usual spellings of labels are
    known, and so are numbers that the source itself names. A mapping also applies to these names.
    Raises InputError with file, line and remedy.
    """
    counts: Counter[str] = Counter()
    meant = _meant(labels)
    pairs = tuple(pair for source in sources for pair in _pairs(source, columns, meant, by, counts))
    for source in sources:
        source.check_unchanged()
    seen_labels = {pair.label for pair in pairs}
    if not pairs:
        raise InputError("no pair has a label", file=sources[0].place, remedy="name data with labels")
    if NOT_ENTAILMENT in seen_labels and not seen_labels <= set(_TWO):
        raise InputError(
            f"some labels are {NOT_ENTAILMENT}, and others are neutral or contradiction",
            file=sources[0].place,
            remedy=f"map them with labels, such as {{neutral: {NOT_ENTAILMENT}}}",
        )
    return NliExamples(pairs, _TWO if NOT_ENTAILMENT in seen_labels else LABELS, dict(counts))


def _meant(labels: Sequence[str] | Mapping[str, str]) -> Sequence[str] | Mapping[str, str]:
    """Return ``labels`` in nextset's spelling; raises InputError for others, and a list with one twice."""
    if isinstance(labels, Mapping):
        return {text: _label_of(meaning) for text, meaning in labels.items()}
    meant = list(map(_label_of, labels))
    twice = next((label for label in LABELS if meant.count(label) > 1), None)
    if twice is not None:
        raise InputError(
            f"labels: {', '.join(labels)} has {twice} twice",
            remedy="write the meaning of each number once, in order; to give several labels one meaning, map "
            f"each by name: labels: {{NAME: {twice}}} (--labels NAME={twice} on the command line)",
        )
    return meant


def _label_of(meaning: str) -> str:
    label = known_label(meaning)
    if label is None:
        raise InputError(
            f"labels: {meaning!r:.60} is not a label",
            remedy=f"write {', '.join(LABELS)} or {NOT_ENTAILMENT}",
        )
    return label


def _pairs(
    source: DataSource,
    columns: Mapping[str, str],
    labels: Sequence[str] | Mapping[str, str],
    by: str,
    counts: Counter[str],
) -> Iterator[NliExample]:
    names = wanted_columns(source.columns(), _COLUMNS, columns, source.place)
    check_part(by, source)
    numbered, unknown = source.names.get(names["label"], ()), dict[str, int]()
    for line, row in source.rows():
        texts = [row.get(names[column]) for column in _COLUMNS[:2]]
        for column, text in zip(_COLUMNS, texts, strict=False):
            if not isinstance(text, str) or not text.strip():
                raise InputError(
                    f"the {column} is {'empty' if text in ('', None) else 'not a text'}: {text!r:.60}",
                    file=source.place,
                    line=line,
                    remedy="correct or remove the row",
                )
        text = _named(row.get(names["label"]), labels, numbered, source, line)
        label = known_label(labels.get(text, text) if isinstance(labels, Mapping) else text)
        if label is None and is_no_class(text):
            counts[NO_LABEL] += 1
        elif label is None:
            unknown.setdefault(text, line)
            if len(unknown) > _SHOWN:
                break
        else:
            yield NliExample(str(texts[0]), str(texts[1]), label, part_of(row, by, source))
    if unknown:
        shown = [text[:20] for text in list(unknown)[:_SHOWN]]
        raise InputError(
            f"unknown label {', '.join(map(repr, shown))}",
            file=source.place,
            line=next(iter(unknown.values())),
            remedy="correct the data, or write what each label means, as in labels: "
            f"{{{', '.join(f'{text}: LABEL' for text in shown)}}} in training.yaml "
            f"(--labels {','.join(f'{text}=LABEL' for text in shown)} on the command line)",
        )


def _named(
    written: Any,
    labels: Sequence[str] | Mapping[str, str],
    numbered: Sequence[str],
    source: DataSource,
    line: int,
) -> str:
    """Return the label of a row as a name, also for a number with a meaning; raises InputError for others."""
    if isinstance(written, float) and written.is_integer():
        written = int(written)
    text = "" if written is None else str(written).strip()
    mapped, meanings = (labels, numbered) if isinstance(labels, Mapping) else ({}, labels or numbered)
    if text not in mapped and re.fullmatch(r"[0-9]{1,4}", text) and not isinstance(written, bool):
        text = meanings[int(text)].strip() if int(text) < len(meanings) else text
        if text.isdecimal():
            raise InputError(
                f"the label {text} has no name",
                file=source.place,
                line=line,
                remedy="write their meanings in order, such as labels: [entailment, neutral, contradiction] "
                "(--labels entailment,neutral,contradiction on the command line)",
            )
    return text
