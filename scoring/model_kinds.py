"""The kind of a model, the forms that it can be asked about, and its loading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from nextset.errors import InputError, ModelError, StudyError
from nextset.files.yaml_reader import line_of
from nextset.forms import ANSWER, FORMS, NLI, QA, FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS, forms_over
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS, ModelKind, kinds_in_order
from nextset.scoring.models.config_file import read_config
from nextset.scoring.models.sources import ModelSource, OwnModel
from nextset.scoring.scorer_protocol import Scorer
from nextset.study.model_key import setting_place
from nextset.study.scoring_settings import ModelSettings

__all__ = [
    "asked_forms",
    "check_kind",
    "check_settings",
    "fill_kind",
    "kind_of",
    "known_forms",
    "model_kind",
    "options_of",
    "scorer_of",
    "writes",
]


def kind_of(source: ModelSource) -> str:
    """Return the name of the kind of the model in ``source``; raises ModelError."""
    return model_kind(source).name


def model_kind(source: ModelSource) -> ModelKind:
    """Return the kind of the model in ``source``, by the architecture in its config; raises ModelError."""
    architectures = _architectures(source)
    kind = _named_kind(source, architectures)
    if kind is not None:
        return kind
    endings = [ending for kind in kinds_in_order() for ending in kind.endings]
    raise ModelError(
        f"{source.name} is a {', '.join(architectures) or 'model whose config names no architecture'}, which "
        "nextset cannot ask",
        remedy=f"choose a model whose architecture ends in {', '.join(endings)}",
    )


def _architectures(source: ModelSource) -> list[str]:
    """Return the classes that the config of ``source`` names; empty for a model without files."""
    if isinstance(source.own, OwnModel):
        return [type(source.own.model).__name__]
    written = read_config(source).get("architectures") if source.folder is not None else None
    return [name for name in written if isinstance(name, str)] if isinstance(written, list) else []


def _named_kind(source: ModelSource, architectures: Sequence[str]) -> ModelKind | None:
    """Return the kind of the first of ``architectures`` that has one."""
    kinds = kinds_in_order()
    tried = [[name] for name in architectures] or [[]]
    return next((kind for names in tried for kind in kinds if kind.has(source, names)), None)


def check_kind(source: ModelSource, form: FormName) -> str:
    """Return the name of the kind of the model in ``source``; raises ModelError if it cannot be asked about
    ``form``."""
    kind = model_kind(source)
    if kind.scorer(form) is None:
        raise ModelError(
            f"{source.name} is a model of the kind {kind.noun}, which cannot {SCORED_FORMS[form].verb} "
            f"{FORMS[form].noun}",
            remedy=f"choose a model of the kind {_nouns(k for k in kinds_in_order() if k.scorer(form))}",
        )
    return kind.name


def check_settings(source: ModelSource, model: ModelSettings, study_file: Path | None = None) -> None:
    """Raise InputError for a setting that the kind of the model in ``source`` never uses.

    It is a StudyError at the setting's line if ``study_file`` has the settings.
    """
    kind, file = model_kind(source), study_file if study_file and study_file.is_file() else None
    here, pairs = kind.in_this_process, kind.scorer(NLI.name) or kind.scorer(QA.name)
    used: dict[str, object] = {
        "labels": NLI.name in kind.scorers,
        "no_answer": ANSWER.name in kind.scorers,
        "canaries": pairs,
    }
    used |= {"too_long": here, "remote_code": here, "adapter": here and source.own is None}
    used |= {"system_prompt": kind.writes, "thinking": kind.writes, "server": bool(source.address)}
    for key, uses in used.items():
        if not uses and getattr(model, key) != ModelSettings.model_fields[key].default:
            raise (StudyError if file else InputError)(
                f"{source.name} is a model of the kind {kind.noun}, which does not use {key}",
                remedy=f"remove {setting_place(source.name, key)}",
                file=file,
                line=line_of(file, "models", source.name, key),
            )


def _nouns(kinds: Iterable[ModelKind]) -> str:
    return " or ".join(dict.fromkeys(kind.noun for kind in kinds if kind.listed))


def known_forms(source: ModelSource) -> tuple[FormName, ...]:
    """Return the forms of a study's rows that the model in ``source`` can be asked about, by its kind; raises
    ModelError."""
    kind = model_kind(source)
    made = (form.name for form in FORMS if form.generated and form.name in SCORED_FORMS)
    return tuple(form for form in made if kind.scorer(form) is not None)


def writes(source: ModelSource) -> bool:
    """Return True if the model in ``source`` writes text and is asked in wordings; raises ModelError."""
    return model_kind(source).writes


def asked_forms(
    source: ModelSource, forms: Sequence[FormName], chosen: Sequence[FormName]
) -> tuple[FormName, ...]:
    """Return the forms that an audit uses to ask the model in ``source`` about rows of ``forms``.

    NLI items are asked in the one form that fits the model, nli or qa. Both forms fit a model that writes; it
    is asked in the forms in ``chosen``. Raises ModelError for a model that cannot be asked about any rows.
    """
    ways = tuple(way for form in forms for way in forms_over(form))
    if len(ways) == 1:
        check_kind(source, ways[0])
        return ways
    kind = model_kind(source)
    known = tuple(way for way in ways if kind.scorer(way) is not None)
    if not known:
        fit = (k for way in ways for k in kinds_in_order() if k.scorer(way) is not None)
        raise ModelError(
            f"{source.name} is a model of the kind {kind.noun}, which cannot be asked about "
            + " or ".join(FORMS[way].noun for way in ways),
            remedy=f"choose a model of the kind {_nouns(fit)}",
        )
    rows = [FORMS[way].rows_of for way in known]
    return tuple(way for way in known if way in chosen or rows.count(FORMS[way].rows_of) == 1)


def fill_kind(source: ModelSource) -> Literal["masked_lm", "causal_lm", "server"]:
    """Return the kind of a model for masks: a masked language model fills them, the others write proposals.

    Raises ModelError for any other kind. An architecture without a kind (BartModel) and an encoder-decoder
    model count as masked language models, because only loading one shows whether it fills masks.
    """
    kind = _named_kind(source, _architectures(source))
    if kind is None or kind.fills_masks or kind.may_fill_masks:
        return "masked_lm"
    if kind.writes:
        return "server" if source.address else "causal_lm"
    known = _nouns(k for k in kinds_in_order() if k.fills_masks or k.writes)
    raise ModelError(
        f"{source.name} is a model of the kind {kind.noun}, which cannot be asked about masked statements "
        "and does not write",
        remedy=f"choose a model of the kind {known}",
    )


def scorer_of(source: ModelSource, asking: Asking, device: str | None = None) -> Scorer[Any]:
    """Return the model in ``source``, loaded and ready to be asked; the last model per device stays loaded.

    Raises ModelError if the model cannot be loaded, or cannot be asked about the form.
    """
    kind = MODEL_KINDS[check_kind(source, asking.form)]
    held = _LAST.get(device)
    if held is not None and held[0] == (source, asking):
        return held[1]
    from nextset.scoring.models.loading import LOADING

    with LOADING:  # the thread that reads ahead may need the same model now
        held = _LAST.get(device)
        if held is None or held[0] != (source, asking):
            _LAST.pop(device, None)
            scorer = None if held is None else _reused(kind, *held, source, asking)
            held = None  # frees the memory of the previous model
            held = _LAST[device] = ((source, asking), scorer or _load(kind, source, asking, device))
        return held[1]


def _load(kind: ModelKind, source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    scorer = kind.scorer(asking.form)
    assert scorer is not None  # check_kind has refused the others
    return scorer.load(source, asking, device)


def _reused(
    kind: ModelKind,
    before: tuple[ModelSource, Asking],
    scorer: Scorer[Any],
    source: ModelSource,
    asking: Asking,
) -> Scorer[Any] | None:
    """Return the model that was asked ``before``, if ``asking`` differs only in its form or its prompts.

    Return None otherwise. For a different wording or form, the weights of a causal language model are used
    without loading them again.
    """
    same = before == (source, replace(asking, form=before[1].form, prompts=before[1].prompts))
    return kind.reused(scorer, asking) if same else None


_LAST: dict[str | None, tuple[tuple[ModelSource, Asking], Scorer[Any]]] = {}
"""The model that was asked last on each device."""


def options_of(kind: str, asking: Asking) -> dict[str, Any]:
    """Return the settings, except precision, that decide the answers of a model of ``kind``, for JSON."""
    return MODEL_KINDS[kind].options(asking)
