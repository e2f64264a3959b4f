"""The section release of study.yaml: the dataset version."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_serializer, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as

__all__ = [
    "NAME",
    "VERSION",
    "OverlapSettings",
    "PersonDataSettings",
    "ReleaseSettings",
    "VerdictRule",
    "Waivers",
]

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
"""The pattern of a dataset's name."""
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
VERSION = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
"""The pattern of a version: major.minor.patch, numbers of up to 9 digits without leading zeros."""
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
Named = Literal[True] | None


class VerdictRule(HandWritten):
    """release.verdicts: which units count as valid. Exactly one of these keys, or only its name."""

    aggregated: Named = None
    """Units whose verdict, by validate.aggregate and adjudication, is valid."""
    majority: Named = None
    """Units that more than half of their judgments, or the adjudication, call valid."""
    unanimous: Named = None
    """Units that every judgment calls valid, and the adjudication if there is one."""
    posterior_at_least: Share | None = None
    """Units that are valid with at least this probability, by validate.aggregate."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, written: Any) -> Any:
        if isinstance(written, str):
            return {written: True}
        if not isinstance(written, dict | VerdictRule):
            raise WrongValue("it is not a rule", f"write one of {', '.join(cls.model_fields)}")
        return written

    @model_validator(mode="after")
    def _one(self) -> VerdictRule:
        if len(self.written()) != 1:
            names = ", ".join(type(self).model_fields)
            raise WrongValue("there must be exactly one rule", f"write one of {names}")
        return self

    def written(self) -> dict[str, Any]:
        """Return the one key that was written, with its value."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) is not None
        }

    @model_serializer
    def _serialized(self) -> dict[str, Any]:
        return self.written()


class OverlapSettings(HandWritten):
    """release.overlap: what is compared to find duplicates and contamination."""

    near: float = Field(default=0.8, gt=0, le=1, allow_inf_nan=False, strict=True)
    """Texts are near duplicates from this Jaccard similarity of their word 3-grams on."""
    against: tuple[str, ...] = ()
    """Files (CSV, JSONL, Parquet, text) or Hub ids of data that a model may have seen in training."""


class PersonDataSettings(HandWritten):
    """release.annotators: what is published about annotators besides their judgments."""

    demographics: str = ""
    """A CSV file with a column annotator (pseudonyms) and one column per demographic field."""
    k: int = Field(default=5, ge=2, strict=True)
    """Every combination of demographic values must be shared by at least this many annotators."""


class Waivers(HandWritten):
    """release.waivers: refusals that the authors set aside; the reasons appear on the card."""

    incomplete: str = ""
    """Why pairs or sets of counterfactuals may lack members."""
    not_minimal: str = ""
    """Why the members of a pair may differ in more than the group."""
    unpinned: str = ""
    """Why models without a pinned revision may have been used."""


class ReleaseSettings(HandWritten):
    """release: the dataset version."""

    name: Annotated[str, written_as(NAME, "my-dataset")]
    version: Annotated[str, written_as(f"({VERSION})?", "0.1.0")] = ""
    """major.minor.patch; left out: 1.0.0, or computed from what changed since the previous version."""
    version_reason: str = ""
    """Why the version is another one than the computed one."""
    previous: str = ""
    """The version before this one: its folder, or ORG/NAME@REVISION on the Hub."""
    license: str = ""
    """The licence, as the Hub abbreviates it, such as cc-by-4.0; a dataset without one is not published."""
    authors: tuple[str, ...] = ()
    verdicts: VerdictRule = VerdictRule(aggregated=True)
    """Which units count as valid."""
    counterfactuals: bool = True
    """Add each item's counterpart, with the groups swapped only in the hypothesis."""
    group_terms: str = "builtin:en"
    """The lexicon of group terms that swaps groups in imported texts: builtin:LANGUAGE or a file."""
    controls: bool = True
    """Add the templates' test items as the split controls."""
    by_domain: bool = False
    """Add a config per domain."""
    formats: tuple[Literal["csv", "jsonl"], ...] = ()
    """Formats of the items besides Parquet."""
    overlap: OverlapSettings = OverlapSettings()
    annotators: PersonDataSettings = PersonDataSettings()
    waivers: Waivers = Waivers()
    draft: bool = False
    """Whether later builds may replace this version; a draft is neither published nor a previous version."""
    private: bool = False
    """Whether the repository on the Hub is private."""
    gated: bool = False
    """Whether readers on the Hub have to ask for access."""
