"""The kinds of models: the kind of a model, the forms that it can be asked about, and its loading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from nextset.errors import ModelError
from nextset.scoring.answers.context_windows import OVERLAP, WINDOW
from nextset.scoring.answers.window_answers import LONGEST
from nextset.scoring.models.config_file import read_config
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import FORMS, Asking, Form, Scorer

__all__ = [
    "KINDS",
    "Kind",
    "asked_forms",
    "check_kind",
    "fill_kind",
    "kind_of",
    "known_forms",
    "options_of",
    "scorer_of",
    "writes",
]

Kind = Literal["nli", "spans", "choices", "masked_lm", "causal_lm", "server"]
"""The kinds of models, in order: they classify pairs, extract spans, choose among answers, fill masks,
continue texts, or answer at a server."""

HEADS: dict[str, Kind] = {
    "ForSequenceClassification": "nli",
    "ForQuestionAnswering": "spans",
    "ForMultipleChoice": "choices",
    "ForMaskedLM": "masked_lm",
    "ForCausalLM": "causal_lm",
    "LMHeadModel": "causal_lm",
}
"""The kinds by the endings of the class that a config names."""

ASKED: dict[Form, tuple[Kind, ...]] = {
    "nli": ("nli", "causal_lm", "server"),
    "qa": ("spans", "choices", "causal_lm", "server"),
    "question": ("spans", "causal_lm", "server"),
    "statement": ("masked_lm",),
    "answer": ("spans", "causal_lm", "server"),
}
"""The kinds that can be asked about each form."""

KINDS: dict[Kind, str] = {
    "nli": "NLI classifier",
    "spans": "extractive reader",
    "choices": "multiple-choice model",
    "masked_lm": "masked language model",
    "causal_lm": "causal language model",
    "server": "model behind a server",
}
"""Each kind's name, as people read it."""

READING = 3
"""The version of the parsing of servers' answers; it is raised if the same answer is read differently. 2:
cut-off answers do not count. 3: a choice that an answer only mentions does not count, nor does an answer with
tags or tokens of unknown meaning."""

WORDS: dict[Form, str] = {
    "nli": "NLI pairs",
    "qa": "yes/no questions",
    "question": "questions",
    "statement": "masked statements",
    "answer": "questions about a text",
}


def kind_of(source: ModelSource) -> Kind:
    """Return the kind of the model in ``source``, by the architecture in its config; raises ModelError."""
    names = _architectures(source)
    kind = _named_kind(source, names)
    if kind is not None:
        return kind
    raise ModelError(
        f"{source.name} is a {', '.join(names) or 'model whose config names no architecture'}, which nextset "
        "cannot ask",
        remedy=f"choose a model whose architecture ends in {', '.join(HEADS)}",
    )


def _architectures(source: ModelSource) -> list[str]:
    """Return the classes that the config of ``source`` names; empty for a model behind a server."""
    written = read_config(source).get("architectures") if source.folder is not None else None
    return [name for name in written if isinstance(name, str)] if isinstance(written, list) else []


def _named_kind(source: ModelSource, architectures: Sequence[str]) -> Kind | None:
    if source.folder is None:
        return "server"
    kinds = (kind for name in architectures for ending, kind in HEADS.items() if name.endswith(ending))
    return next(kinds, None)


def check_kind(source: ModelSource, form: Form) -> Kind:
    """Return the kind of the model in ``source``; raises ModelError if it cannot be asked about ``form``."""
    kind = kind_of(source)
    if kind not in ASKED[form]:
        raise ModelError(
            f"{source.name} is a model of the kind {KINDS[kind]}, which cannot "
            f"{'answer' if form == 'answer' else 'be asked about'} {WORDS[form]}",
            remedy=f"choose a model of the kind {' or '.join(KINDS[k] for k in ASKED[form])}",
        )
    return kind


def known_forms(source: ModelSource) -> tuple[Form, ...]:
    """Return the forms of a study's rows that the model in ``source`` can be asked about, by its kind; raises
    ModelError."""
    kind = kind_of(source)
    return tuple(form for form in FORMS if kind in ASKED[form])


def writes(source: ModelSource) -> bool:
    """Return True if the model in ``source`` writes text and is asked in wordings; raises ModelError."""
    return kind_of(source) in ("causal_lm", "server")


def asked_forms(source: ModelSource, form: Form, chosen: Sequence[Form]) -> tuple[Form, ...]:
    """Return the forms that an audit uses to ask the model in ``source`` about rows of ``form``.

    NLI items are asked in the one form that fits the model, nli or qa. Both forms fit a model that writes; it
    is asked in the forms in ``chosen``. Raises ModelError for a model that cannot be asked about the rows.
    """
    if form != "nli":
        check_kind(source, form)
        return (form,)
    kind = kind_of(source)
    known: list[Form] = [form for form in ("nli", "qa") if kind in ASKED[form]]
    if not known:
        fit = dict.fromkeys(k for form in ("nli", "qa") for k in ASKED[form])
        raise ModelError(
            f"{source.name} is a model of the kind {KINDS[kind]}, which cannot be asked about {WORDS['nli']} "
            f"or {WORDS['qa']}",
            remedy=f"choose a model of the kind {' or '.join(KINDS[k] for k in fit)}",
        )
    return tuple(f for f in known if f in chosen) if len(known) > 1 else tuple(known)


def fill_kind(source: ModelSource) -> Literal["masked_lm", "causal_lm", "server"]:
    """Return the kind of a model for masks: a masked language model fills them, the others write proposals.

    Raises ModelError for any other kind. An architecture without a kind (BartModel) counts as a masked
    language model, because only loading it shows whether it fills masks.
    """
    kind = _named_kind(source, _architectures(source))
    if kind is None or kind == "masked_lm":
        return "masked_lm"
    if kind in ("causal_lm", "server"):
        return kind
    known = " or ".join(KINDS[k] for k in ("masked_lm", "causal_lm", "server"))
    raise ModelError(
        f"{source.name} is a model of the kind {KINDS[kind]}, which cannot be asked about "
        f"{WORDS['statement']} and does not write",
        remedy=f"choose a model of the kind {known}",
    )


def scorer_of(source: ModelSource, asking: Asking, device: str | None = None) -> Scorer[Any]:
    """Return the model in ``source``, loaded and ready to be asked; the last model per device stays loaded.

    Raises ModelError if the model cannot be loaded, or cannot be asked about the form.
    """
    check_kind(source, asking.form)
    held = _LAST.get(device)
    if held is not None and held[0] == (source, asking):
        return held[1]
    from nextset.scoring.models.loading import LOADING

    with LOADING:  # the thread that reads ahead may need the same model now
        held = _LAST.get(device)
        if held is None or held[0] != (source, asking):
            _LAST.pop(device, None)
            scorer = None if held is None else _reused(*held, source, asking)
            held = None  # frees the memory of the previous model
            held = _LAST[device] = ((source, asking), scorer or _load(source, asking, device))
        return held[1]


def _reused(
    before: tuple[ModelSource, Asking], scorer: Scorer[Any], source: ModelSource, asking: Asking
) -> Scorer[Any] | None:
    """Return the causal language model that was asked ``before``, if ``asking`` differs only in its prompts.

    Return None otherwise. For a different wording or form, the same weights are used without loading them
    again.
    """
    from nextset.scoring.generative.causal_scorer import CausalScorer

    same = before == (source, replace(asking, form=before[1].form, prompts=before[1].prompts))
    return scorer.reworded(asking) if same and isinstance(scorer, CausalScorer) else None


_LAST: dict[str | None, tuple[tuple[ModelSource, Asking], Scorer[Any]]] = {}
"""The model that was asked last on each device."""


def options_of(kind: Kind, asking: Asking) -> dict[str, Any]:
    """Return the settings, except precision, that decide the answers of a model of ``kind``, for JSON."""
    common: dict[str, Any] = {"form": asking.form}
    if asking.form != "answer":  # long contexts are read in windows
        common["too_long"] = asking.model.too_long
    if kind != "server" and asking.model.remote_code:
        common["remote_code"] = True
    if kind == "nli":
        return {**common, "labels": list(asking.model.labels)}
    if asking.form == "qa" and kind in ("spans", "choices"):
        from nextset.scoring.generative.prompt_wordings import own_prompts

        return {**common, "options": (asking.prompts or own_prompts()).answers.digest}
    if kind == "spans" and asking.form == "answer":
        return {**common, "no_answer": asking.model.no_answer, "windows": [WINDOW, OVERLAP, LONGEST]}
    if kind == "spans":
        return {**common, "spans": asking.scoring.spans}
    if kind == "masked_lm":
        return {**common, "masks": asking.scoring.masks.model_dump()}
    from nextset.scoring.generative.prompt_wordings import own_prompts

    worded = {**common, "prompts": (asking.prompts or own_prompts()).digest(asking.form)}
    if kind == "server":
        return {**worded, "answer_tokens": asking.scoring.server.answer_tokens, "reading": READING}
    return worded


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    kind = kind_of(source)
    if kind == "nli":
        from nextset.scoring.nli import NliClassifier

        return NliClassifier.load(source, asking, device)
    if kind == "choices":
        from nextset.scoring.yes_no.multiple_choice_scorer import MultipleChoiceScorer

        return MultipleChoiceScorer.load(source, asking, device)
    if kind == "spans" and asking.form == "qa":
        from nextset.scoring.yes_no.extractive_yes_no_scorer import ExtractiveYesNoScorer

        return ExtractiveYesNoScorer.load(source, asking, device)
    if kind == "spans" and asking.form == "answer":
        from nextset.scoring.answers.span_answers import SpanAnswers

        return SpanAnswers.load(source, asking, device)
    if kind == "spans":
        from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

        return SpanScorer.load(source, asking, device)
    if kind == "masked_lm":
        from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer

        return MaskedSubjectScorer.load(source, asking, device)
    if kind == "causal_lm":
        from nextset.scoring.generative.causal_scorer import CausalScorer

        return CausalScorer.load(source, asking, device)
    from nextset.scoring.model_server.server_scorer import ServerScorer

    return ServerScorer.load(source, asking)
