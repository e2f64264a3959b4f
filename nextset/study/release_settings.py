"""The section release of study.yaml: the dataset version."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_serializer, model_validator

from nextset.files.yaml_model import HandWritten, Prose
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
    """release.verdicts: the units that count as valid. Exactly one of these keys, or only its name;
    default: aggregated."""

    aggregated: Named = None
    """Units whose verdict is valid after validate.aggregate and adjudication."""
    majority: Named = None
    """Units that are valid by more than half of their judgments, or by adjudication."""
    unanimous: Named = None
    """Units that are valid by every judgment, and by adjudication if there is one."""
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
    """release.overlap: the comparisons that find duplicates and contamination."""

    near: float = Field(default=0.8, gt=0, le=1, allow_inf_nan=False, strict=True)
    """The least Jaccard similarity of word 3-grams at which two texts are near duplicates."""
    against: tuple[str, ...] = ()
    """Files (CSV, TSV, JSONL, Parquet, text) or Hub ids of data that models may have seen."""


class PersonDataSettings(HandWritten):
    """release.annotators: data about annotators that is published in addition to their judgments."""

    demographics: str = ""
    """A CSV file of demographic fields by annotator."""
    k: int = Field(default=5, ge=2, strict=True)
    """The fewest annotators who may share a combination of values."""


class Waivers(HandWritten):
    """release.waivers: refusals that the authors waive; the reasons appear on the card."""

    incomplete: Prose = ""
    """The reason why pairs or sets of counterfactuals may lack members."""
    not_minimal: Prose = ""
    """The reason why the members of a pair may differ in more than the group."""
    unpinned: Prose = ""
    """The reason why models without a pinned revision may have been used."""


class ReleaseSettings(HandWritten):
    """release: the dataset version that the study makes."""

    name: Annotated[str, written_as(NAME, "my-dataset")]
    """The name of the dataset."""
    version: Annotated[str, written_as(f"({VERSION})?", "0.1.0")] = ""
    """major.minor.patch; default: 1.0.0, or computed from the changes since the previous version."""
    version_reason: Prose = ""
    """The reason why the version differs from the computed one."""
    previous: str = ""
    """The previous version: its folder, or ORG/NAME@REVISION on the Hub."""
    license: Prose = ""
    """The licence's identifier on the Hub, such as cc-by-4.0; a dataset without one is not published."""
    authors: tuple[str, ...] = ()
    """The authors, for the card and its citation."""
    verdicts: VerdictRule = VerdictRule(aggregated=True)
    """The rule for counting units as valid."""
    counterfactuals: bool = True
    """Add each item's counterpart, with the groups swapped only in the hypothesis."""
    group_terms: str = "builtin:en"
    """The lexicon that swaps groups in imported texts: builtin:LANGUAGE or a file."""
    controls: bool = True
    """Add the templates' test items as the split controls."""
    by_domain: bool = False
    """Add one config per domain."""
    formats: tuple[Literal["csv", "jsonl", "bbq"], ...] = ()
    """Formats of the items besides Parquet; bbq: choice items as JSON lines in the layout of BBQ."""
    overlap: OverlapSettings = OverlapSettings()
    annotators: PersonDataSettings = PersonDataSettings()
    waivers: Waivers = Waivers()
    draft: bool = False
    """Allow later builds to replace this version; a draft cannot be published or be a previous version."""
    private: bool = False
    """Make the repository on the Hub private."""
    gated: bool = False
    """Require readers on the Hub to ask for access."""
