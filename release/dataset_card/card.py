"""The dataset card: README.md with YAML front matter for the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nextset.html.content_warning import CONTENT_WARNING
from nextset.release.dataset_card.card_counts import Statistics
from nextset.release.dataset_card.markdown_escape import escaped
from nextset.release.dataset_files.released_columns import Column

__all__ = ["Card", "CardAgreement", "CardExposure", "CardModel", "render_card"]

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class CardModel:
    """A model that had a part in the dataset."""

    name: str
    """The model as the study names it."""
    revision: str
    """Digest of its weights."""
    role: Literal["fill", "filter", "held out"]
    """Its role."""

    @property
    def toy(self) -> bool:
        """Whether the model is one of the small built-in models."""
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
    """The most."""
    declined: int
    """How often an annotator declined to judge."""


@dataclass(frozen=True)
class Card:
    """The facts on a dataset card."""

    name: str
    """The dataset's name."""
    version: str
    """Its version."""
    languages: tuple[str, ...]
    """BCP 47 tags."""
    license: str
    """The licence, as the Hub abbreviates it."""
    authors: tuple[str, ...]
    """The dataset's authors; may be empty."""
    about: str
    """The study's description of itself; may be empty."""
    fill_premise: bool
    """Whether the masked language model saw the premise too."""
    models: tuple[CardModel, ...]
    """The models, in the study's order."""
    rule: str
    """The filter's rule, as text."""
    scored: str
    """How the models' scores were computed, as text."""
    pairs: Literal["whole", "apart"]
    """Whether items that differ only by group were kept together."""
    balance: str
    """The filter's measures for the balance, as text."""
    warnings: tuple[str, ...]
    """Stances or groups whose share the filter shifted."""
    judge: Literal["rule", "people"]
    """Who judged the hypotheses."""
    aggregate: Literal["majority", "dawid_skene", "mace"]
    """How the judgments of a hypothesis were aggregated."""
    per_cent: CardAgreement
    """The percentage of pairs of judgments with the same verdict."""
    alpha: CardAgreement
    """Krippendorff's α of the verdicts."""
    exposure: tuple[CardExposure, ...]
    """The items that annotators read: all domains, then each; empty if there were no annotators."""
    statistics: Statistics
    """Counts of the items."""
    columns: tuple[Column, ...]
    """The columns, in their order."""


def render_card(card: Card) -> str:
    """Return the card as Markdown with YAML front matter; all of its texts are escaped."""
    import yaml
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        """Escape a value that the template prints, unless it is marked as safe."""
        return value if isinstance(value, Markup) else Markup(escaped(str(value)))

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    front = yaml.safe_dump(_front_matter(card), sort_keys=False, allow_unicode=True, width=10_000)
    return environment.get_template("card.md.j2").render(
        card=card, front=Markup(front), warning=CONTENT_WARNING, toys=_toys(card.models)
    )


def _toys(models: Sequence[CardModel]) -> bool:
    return any(model.toy for model in models)


def _flat(text: str) -> str:
    """Return ``text`` on one line, so that no line of it can end the front matter."""
    return " ".join(text.split())


def _front_matter(card: Card) -> dict[str, Any]:
    n = card.statistics.items
    return {
        "pretty_name": _flat(card.name),
        "language": [_flat(language) for language in card.languages],
        "license": _flat(card.license),
        "version": _flat(card.version),
        "task_categories": ["text-classification"],
        "task_ids": ["natural-language-inference"],
        "size_categories": [next((name for limit, name in _SIZES if n < limit), "n>1M")],
        "tags": ["bias", "stereotypes", "natural-language-inference", "nextset"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "test", "path": "data/test-00000-of-00001.parquet"}],
            }
        ],
    }
