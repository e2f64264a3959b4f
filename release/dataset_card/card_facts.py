"""The facts on a dataset card, as records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.pipeline.server_costs import ServerCost
from nextset.records.port_decisions import PortDecision
from nextset.release.dataset_card.card_configs import CardConfig
from nextset.release.dataset_card.card_counts import Statistics
from nextset.release.dataset_card.paper_tables import IMPORTED, ModelShift, PartStages, StageCount
from nextset.release.dataset_card.released_columns import Column
from nextset.release.dataset_card.unanswered_prompts import UnansweredPrompts
from nextset.release.forms.form_counts import FormCounts
from nextset.release.source_rows import Kind
from nextset.release.version_folder.release_manifest import Waiver
from nextset.study.stereotype_sentences import StereotypeRow

__all__ = [
    "Card",
    "CardAgreement",
    "CardExposure",
    "CardImage",
    "CardModel",
    "CardOverlap",
    "CardOwnCode",
    "CardPack",
]


@dataclass(frozen=True)
class CardModel:
    """A model that took part in making the dataset."""

    name: str
    """The model's published name."""
    revision: str
    """Digest of its weights."""
    role: Literal["fill", "filter", "held out"]
    version: str | None = None
    """The imported version that the model took part in; null for this version."""

    @property
    def toy(self) -> bool:
        """True if the model is one of the small built-in models."""
        return self.name.startswith("builtin:")


@dataclass(frozen=True)
class CardAgreement:
    """A coefficient of agreement on the verdicts."""

    value: float | None
    """The coefficient; null if it is undefined."""
    low: float | None
    """The lower end of its 95 % interval; null if there is none."""
    high: float | None
    """The upper end."""
    why_undefined: str | None
    """The reason if there is no value."""
    note: str
    """The data it was computed from, if not all; usually empty."""


@dataclass(frozen=True)
class CardExposure:
    """Counts of the items with stereotypes that annotators read for the dataset, without names."""

    domain: str | None
    """The domain; null for all domains together."""
    people: int
    """Annotators who read an item of the domain."""
    items: int
    """Items that they read, counted each time."""
    fewest: int
    """The fewest items that one annotator read."""
    median: float
    """The median over annotators."""
    most: int
    declined: int
    """The number of times that an annotator declined to judge."""


@dataclass(frozen=True)
class CardImage:
    """A plot in the dataset's folder."""

    path: str
    """Its path in the folder, such as images/stages.png."""
    alt: str
    """Its content as text, for readers who do not see it."""


@dataclass(frozen=True)
class CardOverlap:
    """Rows that also occur in other data."""

    source: str
    """The other data: a file, a Hub id, or an earlier version."""
    exact: int
    """Rows whose text occurs there."""
    near: int
    """Rows with the same text or a near duplicate there."""


@dataclass(frozen=True)
class CardOwnCode:
    """A file of the authors with a rule, a measure or a scorer that the study used."""

    path: str
    """Its path in the folder, such as own_code/rules.py."""
    sha256: str
    """The hash of its content, in hex."""
    uses: tuple[str, ...]
    """The uses of its code: rule, scorer, measure."""


@dataclass(frozen=True)
class CardPack:
    """A language pack that made questions or masked statements."""

    language: str
    """BCP 47 tag."""
    checked_by: str
    """The native speakers who checked it; empty if it has not been checked."""
    accepted: tuple[str, ...] = ()
    """Findings of lint about the pack that a person has accepted, each with the reason."""


@dataclass(frozen=True)
class Card:
    """The facts on a dataset card."""

    name: str
    """The dataset's name."""
    version: str
    languages: tuple[str, ...]
    """BCP 47 tags."""
    license: str
    """The licence, as the Hub abbreviates it; empty if none was chosen."""
    authors: tuple[str, ...]
    """The dataset's authors; may be empty."""
    about: str
    """The study's description of itself; may be empty."""
    fill_premise: bool
    """True if the model that filled the masks saw the premise too."""
    models: tuple[CardModel, ...]
    """The models, in the study's order; may be empty."""
    rule: str
    """The filter's rule, as text; empty if there was no filter."""
    scored: str
    """The way the models' scores were computed, as text."""
    pairs: Literal["whole", "apart"]
    """whole: items that differ only by group were kept together; apart: individually."""
    balance: str
    """The filter's measures for the balance, as text."""
    warnings: tuple[str, ...]
    """Stances or groups whose share the filter shifted."""
    judge: Literal["rule", "people", "nobody"]
    """Who judged the units; rule: no one did, but a rule checked their form."""
    aggregate: Literal["majority", "dawid_skene", "mace"]
    """The method that aggregated the judgments of a unit."""
    per_cent: CardAgreement
    """The percentage of pairs of judgments with the same verdict."""
    alpha: CardAgreement
    """Krippendorff's α of the verdicts."""
    exposure: tuple[CardExposure, ...]
    """The items that annotators read: all domains, then each; empty if there were no annotators."""
    statistics: Statistics | None
    """Counts of the items; null if there are none."""
    columns: tuple[Column, ...]
    """The columns of the first main config, in their order."""
    kinds: tuple[Kind, ...] = ("items",)
    """The main configs."""
    counts: tuple[tuple[Kind, FormCounts], ...] = ()
    """Counts of the rows of the forms other than NLI items."""
    columns_by_config: tuple[tuple[str, tuple[Column, ...]], ...] = ()
    """The columns of the other configs, by name."""
    configs: tuple[CardConfig, ...] = ()
    """The configs with their splits, the main ones first."""
    canary: str = ""
    """The canary GUID, also in every row of the main configs; empty if there is none."""
    verdicts: str = ""
    """The rule that selects units by verdict, as text (`verdict_words`); empty if nothing was judged."""
    previous: str | None = None
    """The version before this one; null for the first."""
    withdrawn: int = 0
    """Items that were withdrawn, in this version and earlier ones."""
    waivers: tuple[Waiver, ...] = ()
    """Checks that the authors waived, with their reasons."""
    no_group: int = 0
    """Items, except controls, whose texts name no known group."""
    few_judgments: int = 0
    """Released units that have fewer judgments than the study asks for."""
    judged_pairs: bool = False
    """True if annotators judged each premise with its hypothesis."""
    pairs_checked: int | None = None
    """Pairs and sets of counterfactuals that were checked; null if they were not."""
    pairs_incomplete: int = 0
    """Pairs and sets that lack a member."""
    pairs_not_minimal: int = 0
    """Pairs whose members differ in more than the group."""
    pairs_flagged: int = 0
    """Items whose counterfactual could not be made safely: a person should check them."""
    exact_duplicates: int | None = None
    """Rows with the same text as another row of this version; null if they were not counted."""
    near_duplicates: int | None = None
    """Rows that are nearly the same as a row of another template or set; null if they were not looked for."""
    near_threshold: float = 0.8
    """The lowest Jaccard similarity of word 3-grams of near duplicates."""
    overlaps: tuple[CardOverlap, ...] = ()
    """Overlaps with earlier versions and with other data."""
    demographics: tuple[str, ...] = ()
    """The fields that are published about annotators; empty if there are none."""
    k: int | None = None
    """The lowest number of annotators that share a combination of values of these fields."""
    packs: tuple[CardPack, ...] = ()
    """The language packs that made the questions and masked statements."""
    stereotypes: tuple[StereotypeRow, ...] = ()
    """The released stereotypes that templates state as sentences."""
    parts: tuple[PartStages, ...] = ()
    """Rows by stereotype, or by class of subjects, after each stage."""
    stages: tuple[StageCount, ...] = ()
    """Rows after each stage."""
    shifts: tuple[ModelShift, ...] = ()
    """The models before and after the filter."""
    images: tuple[CardImage, ...] = ()
    """Plots."""
    own_code: tuple[CardOwnCode, ...] = ()
    """The files with code of the authors that the study ran; empty if there are none."""
    formats: tuple[str, ...] = ()
    """Formats besides Parquet: csv or jsonl."""
    fill_proposals: Literal["", "words", "hypotheses"] = ""
    """The kind of text that a model that writes proposed; empty if there was no such model."""
    servers: tuple[ServerCost, ...] = ()
    """The use and cost of models behind servers, by model and stage; empty if there were none."""
    silent: tuple[UnansweredPrompts, ...] = ()
    """The rates of prompts without a choice, by model; empty if there are no such prompts."""
    ported: tuple[PortDecision, ...] = ()
    """The decisions on the templates of a set from another culture; empty if it is not such a set."""
    draft: bool = False
    """True if a later build may replace this version."""

    @property
    def toys(self) -> bool:
        """True if a small built-in model took part in making the dataset."""
        return any(model.toy for model in self.models)

    @property
    def imported(self) -> int:
        """The imported pairs among the candidates."""
        return sum(stage.rows for stage in self.stages if stage.stage == IMPORTED)

    @property
    def only_imported(self) -> bool:
        """True if all candidates were imported, so that no template of the study made one."""
        return 0 < self.candidates <= self.imported

    @property
    def imported_versions(self) -> tuple[str, ...]:
        """The imported versions whose models are listed."""
        return tuple(dict.fromkeys(model.version for model in self.models if model.version))

    @property
    def candidates(self) -> int:
        """The candidates of the filter, of all parts."""
        return sum(part.candidates for part in self.parts)

    @property
    def rows(self) -> int:
        """The rows of the main configs."""
        counted = self.statistics.items if self.statistics is not None else 0
        return counted + sum(counts.total for _, counts in self.counts)
