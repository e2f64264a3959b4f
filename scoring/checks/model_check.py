"""Check a model before a long run: what it is, how it is asked, whether it passes its canaries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from nextset.errors import NextsetError
from nextset.scoring.checks.canaries import canaries_of, check_canaries
from nextset.scoring.model_kinds import KINDS, Kind, kind_of, scorer_of
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Asking, Form
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["CheckedModel", "LongText", "Preflight", "check_models", "preflight", "usual_form"]

USUAL: dict[Kind, Form] = {
    "nli": "nli",
    "spans": "question",
    "masked_lm": "statement",
    "causal_lm": "nli",
    "server": "nli",
}
"""What each kind is mostly asked about."""
TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""How safetensors files name the types of weights, and how torch does."""


@dataclass(frozen=True)
class LongText:
    """A text that is longer than the model reads."""

    tokens: int
    """How long it is, special tokens included."""
    beginning: str
    """Its first characters."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What was found out about a model that can be used."""

    name: str
    """As the study names it."""
    kind: str
    """What it does, in words."""
    form: Form
    """What it is asked about."""
    digest: str
    """Digest of its weights."""
    canaries: str
    """How it answered clear cases, or why it was asked none."""
    architecture: str | None = None
    """The class that it is an instance of; this and the rest are null for a model behind a server."""
    parameters: int | None = None
    """How many weights it has."""
    weights: str | None = None
    """The type of the weights in its files, such as float32."""
    precision: str | None = None
    """What it reckons in."""
    device: str | None = None
    """Where it runs."""
    max_length: int | None = None
    """The longest text that it reads, in tokens."""
    labels: tuple[str, ...] | None = None
    """What its outputs mean, in their order; null for a model that is no classifier."""
    two_way: bool = False
    """Whether it has two labels: then it gives accuracy, and nothing that needs contradiction."""
    mask_token: str | None = None
    """Its mask token; null for a model that needs none."""
    too_long: tuple[LongText, ...] = ()
    """Which of the texts given are longer than it reads."""
    truncates: bool = False
    """Whether those are cut because the study says so; else a run stops at them."""


@runtime_checkable
class _Here(Protocol):
    """A scorer whose model runs in this process."""

    @property
    def precisions(self) -> PrecisionPair:
        """The model."""
        ...


def usual_form(source: ModelSource) -> Form:
    """What a model of this kind is asked about when nobody says so; raises ModelError."""
    return USUAL[kind_of(source)]


def preflight(
    source: ModelSource, asking: Asking, longest_texts: Sequence[tuple[str, ...]] = ()
) -> Preflight:
    """Load the model, ask it its clear cases, and measure ``longest_texts``, each a text or a pair of texts.

    Raises ModelError when it cannot be loaded, is of another kind than ``asking`` needs, names labels that
    nobody knows, has no mask token where one is needed, or fails its clear cases.
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
        weights=", ".join(_stored(source.folder)),
        precision=loaded.precision,
        device=str(loaded.device),
        max_length=loaded.max_length,
        labels=None if labels is None else labels.names,
        two_way=labels is not None and labels.two_way,
        mask_token=loaded.tokenizer.mask_token if asking.form == "statement" else None,
        too_long=_too_long(loaded, longest_texts),
    )


def _stored(folder: Path) -> list[str]:
    """The types of the weights, as the heads of the files have them: eight bytes of length, then JSON."""
    found: set[str] = set()
    for file in sorted(folder.glob("*.safetensors")):
        with file.open("rb") as stream:
            head = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
        found |= {tensor["dtype"] for name, tensor in head.items() if name != "__metadata__"}
    return sorted(TYPES.get(name, name) for name in found)


def _too_long(loaded: Loaded, texts: Sequence[tuple[str, ...]]) -> tuple[LongText, ...]:
    inputs = [one if len(one) > 1 else one[0] for one in texts]
    lengths = [len(e.ids) for e in loaded.tokenizer.backend_tokenizer.encode_batch(inputs)]
    return tuple(
        LongText(n, " ".join(one)[:100])
        for n, one in zip(lengths, texts, strict=True)
        if n > loaded.max_length
    )


@dataclass(frozen=True)
class CheckedModel:
    """A model that was looked for, and what came of it."""

    name: str
    """As it was asked for."""
    found: Preflight | None
    """What was found out; None for a model that cannot be used."""
    problem: str = ""
    """Why it cannot be used; empty where it can."""
    remedy: str = ""
    """What to do about it."""


def check_models(
    names: Sequence[str],
    form: Form | None = None,
    settings: ModelSettings | None = None,
    scoring: ScoringSettings | None = None,
    base: Path = Path(),
) -> list[CheckedModel]:
    """Load each model and ask it its clear cases about ``form``, by default what its kind is for.

    ``settings`` are those of models.NAME in a study, the same for all; folders are seen from ``base``.
    """
    checked = []
    for name in names:
        try:
            source = locate(name, base)
            asking = Asking(
                form or usual_form(source), scoring or ScoringSettings(), settings or ModelSettings()
            )
            checked.append(CheckedModel(name, preflight(source, asking)))
        except NextsetError as e:
            checked.append(CheckedModel(name, None, str(e), e.remedy))
    return checked
