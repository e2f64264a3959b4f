"""`nextset models check`: the properties of a model, and the result of its canaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from nextset.artifacts.answer_usage import NotedAnswer, model_answers
from nextset.errors import NextsetError
from nextset.forms import FormName
from nextset.html.notebook_html import notebook_block, notebook_table
from nextset.records.short_repr import short_repr
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import FailedCanaries
from nextset.scoring.checks.canaries import canaries_of, check_canaries
from nextset.scoring.model_kinds import check_settings, model_kind, scorer_of
from nextset.scoring.models.labels import Labelled
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.server_address import address_place
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.models.tensor_shapes import tensors
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

TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""The types of weights: their names in safetensors files, and in torch."""


@dataclass(frozen=True)
class LongText:
    """A text that is longer than the model's maximum."""

    tokens: int
    """The length of the text, special tokens included."""
    beginning: str
    """The first characters of the text."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """The properties of a model that can be used."""

    name: str
    """The model's name in the study."""
    kind: str
    """The model's kind, such as NLI classifier."""
    form: FormName
    """The form that it is asked about."""
    digest: str
    """Digest of the model's weights."""
    canaries: str
    """The number of canaries that it answered correctly, or the reason why it was not asked."""
    architecture: str | None = None
    """The class of the model; this and the following fields are null for a model behind a server."""
    parameters: int | None = None
    """The number of the model's weights."""
    weights: str | None = None
    """The type of the weights in its files, such as float32."""
    precision: str | None = None
    """The precision that it computes in."""
    device: str | None = None
    """The device that it runs on."""
    max_length: int | None = None
    """The maximum length of a text, in tokens."""
    labels: tuple[str, ...] | None = None
    """The meaning of each output, in order; null for a model that is not a classifier."""
    two_way: bool = False
    """True if it has two labels; then there is an accuracy, but no measure that needs contradiction."""
    mask_token: str | None = None
    """The mask token; null for a model that does not need a mask token."""
    too_long: tuple[LongText, ...] = ()
    """The given texts that are longer than the model's maximum."""
    truncates: bool = False
    """True if the study says to cut these texts; if False, a run stops at them."""
    place: str | None = None
    """Where the address of the model's server is written; null for a model on this machine."""
    answers: int = 0
    """The number of answers that a server gave to the canaries, stored ones too, with reminders."""
    sent: int = 0
    """The number of those that were asked now."""
    read: int = 0
    """The tokens of the prompts that were sent, as the server counted them."""
    written: int = 0
    """The tokens of its answers to them, with the thinking."""
    thinking: int = 0
    """The tokens of thinking in all answers, stored ones too."""
    versions: tuple[str, ...] = ()
    """The server's own names of the model, each with its version if the server says it."""


@runtime_checkable
class _Here(Protocol):
    """A scorer whose model runs in this process."""

    @property
    def precisions(self) -> PrecisionPair:
        """The model."""
        ...


def usual_form(source: ModelSource) -> FormName:
    """Return the form that a model of this kind is asked about by default; raises ModelError."""
    return model_kind(source).usual_form


def preflight(
    source: ModelSource, asking: Asking, longest_texts: Sequence[tuple[str, ...]] = ()
) -> Preflight:
    """Load the model, ask its canaries, and measure ``longest_texts``, each a text or a pair of texts.

    Raises ModelError if the model cannot be loaded, is not of a kind that ``asking`` needs, has unknown
    labels, lacks a mask token that it needs, or fails its canaries.
    """
    scorer = scorer_of(source, asking)
    with model_answers() as answers:
        canaries = check_canaries(scorer, canaries_of(source, asking), source.name)
    properties = Preflight(
        name=source.name,
        kind=model_kind(source).noun,
        form=asking.form,
        digest=source.digest,
        canaries=canaries,
        truncates=asking.model.too_long == "truncate",
    )
    if source.address:
        return _with_answers(properties, source, answers)
    if source.folder is None or not isinstance(scorer, _Here):
        return properties
    loaded = scorer.precisions.quick
    labels = scorer.labels if isinstance(scorer, Labelled) else None
    return replace(
        properties,
        architecture=type(loaded.model).__name__,
        parameters=loaded.model.num_parameters(),
        weights=", ".join(_weight_types(source)),
        precision=loaded.precision,
        device=str(loaded.device),
        max_length=loaded.max_length,
        labels=None if labels is None else labels.names,
        two_way=labels is not None and labels.two_way,
        mask_token=loaded.tokenizer.mask_token if model_kind(source).fills_masks else None,
        too_long=_too_long(loaded, longest_texts),
    )


def _with_answers(found: Preflight, source: ModelSource, answers: Sequence[NotedAnswer]) -> Preflight:
    """Return ``found`` with the use of the server's ``answers``."""
    sent = [a.usage.tokens or (0, 0, 0, 0) for a in answers if a.paid]
    versions = [" ".join(filter(None, (a.usage.version, a.usage.fingerprint))) for a in answers]
    return replace(
        found,
        place=address_place(source.name, source.address),
        answers=len(answers),
        sent=len(sent),
        read=sum(tokens[0] for tokens in sent),
        written=sum(tokens[2] for tokens in sent),
        thinking=sum(a.usage.tokens[3] for a in answers if a.usage.tokens),
        versions=tuple(sorted({version for version in versions if version})),
    )


def _weight_types(source: ModelSource) -> list[str]:
    """Return the types of the weights, by torch's names."""
    dtypes = {tensor.dtype for tensor in tensors(source).values()}
    return sorted(TYPES.get(dtype, dtype) for dtype in dtypes)


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
    """A model that was checked, with the result."""

    name: str
    """The name that the caller gave."""
    found: Preflight | None
    """The model's properties; None for a model that cannot be used."""
    problem: str = ""
    """The reason why the model cannot be used; empty if it can be used."""
    remedy: str = ""
    """The solution of the problem; empty if there is no problem."""
    other_uses: str = ""
    """Other settings that a model can be used for although it fails its canaries; may be empty."""


class CheckedModels(list[CheckedModel]):
    """Models that were checked, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Return the models as HTML, with why some cannot be used."""
        columns = ("model", "kind", "form", "canaries", "parameters", "labels", "problem")
        shown = 7 if any(checked.problem for checked in self) else 6
        return notebook_block(notebook_table(columns[:shown], [_shown(checked)[:shown] for checked in self]))


def _shown(checked: CheckedModel) -> tuple[object, ...]:
    properties = checked.found
    if properties is None:
        return (checked.name, *[None] * 5, f"{checked.problem} ({checked.remedy})")
    return (
        checked.name,
        properties.kind,
        properties.form,
        properties.canaries,
        properties.parameters,
        properties.labels,
        "",
    )


def check_models(
    names: Sequence[str],
    form: FormName | None = None,
    settings: ModelSettings | None = None,
    scoring: ScoringSettings | None = None,
    base: Path = Path(),
) -> CheckedModels:
    """Load each model and ask its canaries of ``form``, by default the usual form of its kind.

    ``settings``, like those of models.NAME in a study, apply to all models. Folders are relative to ``base``.
    """
    checked = CheckedModels()
    for name in names:
        try:
            source = locate(name, base, settings)
            asking = Asking(
                form or usual_form(source), scoring or ScoringSettings(), settings or ModelSettings()
            )
            check_settings(source, asking.model)
            checked.append(CheckedModel(name, preflight(source, asking)))
        except FailedCanaries as e:
            other = model_kind(source).other_uses if form is None else ""
            checked.append(CheckedModel(name, None, str(e), e.remedy, other))
        except NextsetError as e:
            checked.append(CheckedModel(name, None, str(e), e.remedy))
    return checked
