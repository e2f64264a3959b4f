"""The requests of the probe's page: JSON that is checked, asked, and answered with JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from nextset.auditing.probe.pair_forms import PAIR_FORMS
from nextset.auditing.probe.pair_probe import probe_pair
from nextset.auditing.probe.probed_models import located_models, models_for
from nextset.auditing.probe.quad_probe import probe_quad
from nextset.errors import InputError
from nextset.forms import FormName
from nextset.study.model_key import ModelNames, settings_by_model

__all__ = ["FIELDS", "answered", "described", "parsed"]

FIELDS: dict[str, tuple[str, ...]] = {
    "pair": ("premise", "hypothesis", "question", "subject1", "subject2"),
    "quad": (
        "context", "subject1", "subject2", "question", "negated", "statement", "negated_statement",
    ),
}  # fmt: skip
"""The texts of each request; a missing text is empty."""


def described(models: ModelNames) -> list[dict[str, Any]]:
    """Return each model's name, kind and forms, for the page; raises ModelError."""
    from nextset.scoring.model_kinds import known_forms, model_kind

    return [
        {"name": source.name, "kind": model_kind(source).noun, "forms": list(known_forms(source))}
        for source in (model.source for model in located_models(models))
    ]


def parsed(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a request of ``kind``, pair or quad: its texts, and ``models`` as a list of names.

    Raises InputError if ``body`` is not JSON of this form.
    """
    remedy = "reload the page and try again"
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON", remedy=remedy) from None
    if not isinstance(fields, dict):
        raise InputError("the request is not a JSON object", remedy=remedy)
    unknown = next((key for key in fields if key not in (*FIELDS[kind], "models")), None)
    if unknown is not None:
        raise InputError(f"the request has the unknown field {unknown!r:.80}", remedy=remedy)
    texts = {name: fields.get(name, "") for name in FIELDS[kind]}
    models = fields.get("models", [])
    if not all(isinstance(text, str) for text in texts.values()):
        raise InputError("a field of the request is not a text", remedy=remedy)
    if not isinstance(models, list) or not all(isinstance(name, str) for name in models):
        raise InputError("the models of the request are not a list of names", remedy=remedy)
    return {**texts, "models": models}


def answered(kind: str, request: dict[str, Any], offered: ModelNames) -> dict[str, Any]:
    """Return the probe that ``request`` asks for, and the reasons why some of its models were not asked.

    Only models that are ``offered`` can be asked. Raises InputError and ModelError.
    """
    models, settings = request["models"], settings_by_model(offered)
    stranger = next((name for name in models if name not in settings), None)
    if stranger is not None:
        raise InputError(
            f"the model {stranger!r:.80} is not offered here",
            remedy="name it with --model when you start nextset probe",
        )
    if not models:
        raise InputError("no model is chosen", remedy="choose one or more")
    given, chosen = _given(kind, request), {name: settings[name] for name in models}
    fit = models_for(chosen, given) if given else None
    chosen = fit.models if fit else chosen  # without a text the probe says which one is missing
    probe = _pair(request, chosen) if kind == "pair" else _quad(request, chosen)
    return {**probe, "not_asked": list(fit.unfit.values()) if fit else []}


def _given(kind: str, request: dict[str, Any]) -> list[FormName]:
    forms: list[tuple[FormName, str]] = (
        [(pair.form, pair.text) for pair in PAIR_FORMS.values()]
        if kind == "pair"
        else [("question", "question"), ("statement", "statement")]
    )
    return [form for form, name in forms if request[name].strip()]


def _pair(request: dict[str, Any], models: ModelNames) -> dict[str, Any]:
    subjects = (request["subject1"], request["subject2"])
    return asdict(
        probe_pair(
            request["premise"],
            request["hypothesis"],
            question=request["question"],
            subjects=subjects if any(subject.strip() for subject in subjects) else None,
            models=models,
        )
    )


def _quad(request: dict[str, Any], models: ModelNames) -> dict[str, Any]:
    return asdict(
        probe_quad(
            request["context"],
            (request["subject1"], request["subject2"]),
            question=request["question"],
            negated=request["negated"],
            statement=request["statement"],
            negated_statement=request["negated_statement"],
            models=models,
        )
    )
