"""`nextset models check`: what a model is, how it is asked, and whether it passes its canaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from nextset.errors import NextsetError
from nextset.html.notebook_html import notebook_block, notebook_table
from nextset.records.short_repr import short_repr
from nextset.scoring.checks.canaries import FailedCanaries, canaries_of, check_canaries
from nextset.scoring.model_kinds import KINDS, Kind, kind_of, scorer_of
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.models.tensor_shapes import tensors
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Asking, Form
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = [
    "CheckedModel",
    "CheckedModels",
    "LongText",
    "Preflight",
    "check_models",
    "preflight",
    "usual_form",
]

USUAL: dict[Kind, Form] = {
    "nli": "nli",
    "spans": "question",
    "choices": "qa",
    "masked_lm": "statement",
    "causal_lm": "nli",
    "server": "nli",
}
"""The usual form for each kind."""
OTHER_USES: dict[Kind, str] = {
    "causal_lm": "fill.model, which writes, and fill.fluency.model: neither needs clear pairs",
    "server": "fill.model, which writes and needs no clear pairs",
}
"""What models of these kinds can be named as besides the models of a filter or an audit."""
TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""The types of weights as safetensors files name them, and as torch does."""


@dataclass(frozen=True)
class LongText:
    """A text that is longer than the model reads."""

    tokens: int
    """Its length, special tokens included."""
    beginning: str
    """Its first characters."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """The properties of a model that can be used."""

    name: str
    """As the study names it."""
    kind: str
    """Its kind, such as NLI classifier."""
    form: Form
    """The form that it is asked about."""
    digest: str
    """Digest of its weights."""
    canaries: str
    """How many canaries it answered correctly, or why it was asked none."""
    architecture: str | None = None
    """The class that it is an instance of; this and the rest are null for a model behind a server."""
    parameters: int | None = None
    """The number of its weights."""
    weights: str | None = None
    """The type of the weights in its files, such as float32."""
    precision: str | None = None
    """The precision that it computes in."""
    device: str | None = None
    """The device that it runs on."""
    max_length: int | None = None
    """The longest text that it reads, in tokens."""
    labels: tuple[str, ...] | None = None
    """The meaning of each output, in their order; null for a model that is not a classifier."""
    two_way: bool = False
    """Whether it has two labels: then there is an accuracy, but no measure that needs contradiction."""
    mask_token: str | None = None
    """Its mask token; null for a model that does not need one."""
    too_long: tuple[LongText, ...] = ()
    """Those of the given texts that are longer than it reads."""
    truncates: bool = False
    """Whether the study says to cut these texts; if not, a run stops at them."""


@runtime_checkable
class _Here(Protocol):
    """A scorer whose model runs in this process."""

    @property
    def precisions(self) -> PrecisionPair:
        """The model."""
        ...


def usual_form(source: ModelSource) -> Form:
    """The form that a model of this kind is asked about by default; raises ModelError."""
    return USUAL[kind_of(source)]


def preflight(
    source: ModelSource, asking: Asking, longest_texts: Sequence[tuple[str, ...]] = ()
) -> Preflight:
    """Load the model, ask its canaries, and measure ``longest_texts``, each a text or a pair of texts.

    Raises ModelError if it cannot be loaded, is not of a kind that ``asking`` needs, has unknown labels,
    lacks a mask token that it needs, or fails its canaries.
    """
    scorer = scorer_of(source, asking)
    found = Preflight(
        name=source.name,
        kind=KINDS[kind_of(source)],
        form=asking.form,
        digest=source.digest,
        canaries=check_canaries(scorer, canaries_of(source, asking), source.name),
        truncates=asking.model.too_long == "truncate",
    )
    if source.folder is None or not isinstance(scorer, _Here):
        return found
    loaded = scorer.precisions.quick
    labels = scorer.labels if isinstance(scorer, NliClassifier) else None
    return replace(
        found,
        architecture=type(loaded.model).__name__,
        parameters=loaded.model.num_parameters(),
        weights=", ".join(_weight_types(source.name, source.folder)),
        precision=loaded.precision,
        device=str(loaded.device),
        max_length=loaded.max_length,
        labels=None if labels is None else labels.names,
        two_way=labels is not None and labels.two_way,
        mask_token=loaded.tokenizer.mask_token if asking.form == "statement" else None,
        too_long=_too_long(loaded, longest_texts),
    )


def _weight_types(name: str, folder: Path) -> list[str]:
    """The types of the weights, as the files name them."""
    found = {tensor.dtype for tensor in tensors(name, folder).values()}
    return sorted(TYPES.get(dtype, dtype) for dtype in found)


def _too_long(loaded: Loaded, texts: Sequence[tuple[str, ...]]) -> tuple[LongText, ...]:
    inputs = [one if len(one) > 1 else one[0] for one in texts]
    lengths = [len(e.ids) for e in loaded.tokenizer.backend_tokenizer.encode_batch(inputs)]
    return tuple(
        LongText(n, " ".join(one)[:100])
        for n, one in zip(lengths, texts, strict=True)
        if n > loaded.max_length
    )


@short_repr
@dataclass(frozen=True)
class CheckedModel:
    """A model that was checked, and the result."""

    name: str
    """The name that was given."""
    found: Preflight | None
    """Its properties; None for a model that cannot be used."""
    problem: str = ""
    """Why it cannot be used; empty if it can."""
    remedy: str = ""
    """How to solve the problem; empty if there is none."""
    other_uses: str = ""
    """What a model that only fails its canaries can be used for all the same; may be empty."""


class CheckedModels(list[CheckedModel]):
    """Models that were checked, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Return the models as HTML, with why some cannot be used."""
        columns = ("model", "kind", "form", "canaries", "parameters", "labels", "problem")
        shown = 7 if any(checked.problem for checked in self) else 6
        return notebook_block(notebook_table(columns[:shown], [_shown(checked)[:shown] for checked in self]))


def _shown(checked: CheckedModel) -> tuple[object, ...]:
    found = checked.found
    if found is None:
        return (checked.name, *[None] * 5, f"{checked.problem} ({checked.remedy})")
    return (checked.name, found.kind, found.form, found.canaries, found.parameters, found.labels, "")


def check_models(
    names: Sequence[str],
    form: Form | None = None,
    settings: ModelSettings | None = None,
    scoring: ScoringSettings | None = None,
    base: Path = Path(),
) -> CheckedModels:
    """Load each model and ask its canaries of ``form``, by default the usual form of its kind.

    ``settings`` are those of models.NAME in a study, the same for all; folders are relative to ``base``.
    """
    checked = CheckedModels()
    for name in names:
        try:
            source = locate(name, base)
            asking = Asking(
                form or usual_form(source), scoring or ScoringSettings(), settings or ModelSettings()
            )
            checked.append(CheckedModel(name, preflight(source, asking)))
        except FailedCanaries as e:
            other = OTHER_USES.get(kind_of(source), "") if form is None else ""
            checked.append(CheckedModel(name, None, str(e), e.remedy, other))
        except NextsetError as e:
            checked.append(CheckedModel(name, None, str(e), e.remedy))
    return checked
