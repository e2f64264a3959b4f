"""The label map of a classifier: the outputs for entailment, neutral and contradiction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.study.model_key import model_setting

__all__ = ["NOT_ENTAILMENT", "SPELLINGS", "LabelMap", "Labelled", "label_map"]

NOT_ENTAILMENT = "not_entailment"
"""Neutral and contradiction in one: the second label of a model with two labels."""

SPELLINGS = {
    "entailment": "entailment", "entail": "entailment", "entails": "entailment", "entailed": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction", "contradict": "contradiction", "contradicts": "contradiction",
    "contradicted": "contradiction", "contradictory": "contradiction",
    "notentailment": NOT_ENTAILMENT, "nonentailment": NOT_ENTAILMENT, "notentailed": NOT_ENTAILMENT,
    "notentail": NOT_ENTAILMENT,
}  # fmt: skip
"""The labels by their spellings in published models: lower case, without spaces, dashes and underscores."""
NUMBERED = re.compile(r"label[_ -]?\d+|\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LabelMap:
    """The meaning of each of a model's outputs."""

    entailment: int
    """The output for entailment."""
    neutral: int | None
    """The output for neutral; None for a model with two labels."""
    contradiction: int | None
    """The output for contradiction; None for a model with two labels."""

    @property
    def two_way(self) -> bool:
        """True if the model only distinguishes entailment from the rest."""
        return self.neutral is None or self.contradiction is None

    @property
    def names(self) -> tuple[str, ...]:
        """The meaning of each output, in order."""
        if self.two_way:
            return ("entailment", NOT_ENTAILMENT) if self.entailment == 0 else (NOT_ENTAILMENT, "entailment")
        places = {self.entailment: "entailment", self.neutral: "neutral", self.contradiction: "contradiction"}
        return tuple(places[i] for i in range(len(LABELS)))


@runtime_checkable
class Labelled(Protocol):
    """A scorer that knows the meaning of its model's outputs."""

    @property
    def labels(self) -> LabelMap:
        """The meaning of each output."""
        ...


def known_label(text: str) -> str | None:
    """Return the label that ``text`` spells, regardless of case, spaces, dashes and underscores, or None."""
    return SPELLINGS.get(re.sub(r"[\s_-]", "", text.lower()))


def label_map(name: str, id2label: Mapping[int, str], declared: Sequence[str] = ()) -> LabelMap:
    """Return the label map of the model ``name``, from its config's ``id2label`` or as ``declared``.

    The names must be the three labels, or entailment and not_entailment, in any order; case, dashes and
    underscores are ignored. ``declared`` comes from the study, with one label per output, for a config that
    does not name them. Raises ModelError if names are missing or unknown, and if ``declared`` does not fit
    them.
    """
    written = [str(id2label[i]) for i in sorted(id2label)]
    known = [known_label(text) for text in written]
    if not declared:
        labels = _of(known)
        if labels is None:
            raise _unnamed(name, written)
        return labels
    declared_as = f"{name}: the labels that you name are {', '.join(declared)}"
    if len(declared) != len(written):
        raise ModelError(
            f"{declared_as}, but the model has {len(written)} outputs",
            remedy=f"write one label per output: the three labels, or entailment and {NOT_ENTAILMENT}",
        )
    clash = next((i for i, label in enumerate(known) if label is not None and label != declared[i]), None)
    if clash is not None:
        raise ModelError(
            f"{declared_as}, but its config calls output {clash} {written[clash]!r}",
            remedy="remove the labels, or correct id2label in the model's config.json",
        )
    labels = _of(declared)
    if labels is None:
        raise ModelError(
            f"{declared_as}, which is neither the three labels nor entailment and {NOT_ENTAILMENT}",
            remedy="write each label once, in the order of the model's outputs",
        )
    return labels


def _of(names: Sequence[str | None]) -> LabelMap | None:
    if sorted(map(str, names)) == sorted(LABELS):
        return LabelMap(*(names.index(label) for label in LABELS))
    if sorted(map(str, names)) == sorted(("entailment", NOT_ENTAILMENT)):
        return LabelMap(names.index("entailment"), None, None)
    return None


def _unnamed(name: str, written: Sequence[str]) -> ModelError:
    remedy = f"choose an NLI model: entailment, neutral and contradiction, or entailment and {NOT_ENTAILMENT}"
    if len(written) in (2, len(LABELS)) and all(NUMBERED.fullmatch(text.strip()) for text in written):
        setting = model_setting(
            name, "labels: [LABEL, LABEL]" if len(written) == 2 else "labels: [LABEL, LABEL, LABEL]"
        )
        remedy = f"write the meaning of each output, in order, {setting}"
    return ModelError(
        f"{name} has the labels {', '.join(written)}, which are not those of an NLI model", remedy=remedy
    )
