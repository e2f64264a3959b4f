"""The check of the models that a study names: each can be found and asked, and none is named twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from nextset.errors import ModelError
from nextset.forms import FormName
from nextset.scoring.model_kinds import asked_forms, check_kind
from nextset.scoring.models.sources import ModelSource
from nextset.study.audit_settings import AuditSettings
from nextset.study.filter_settings import FilterSettings
from nextset.study.model_key import model_key

__all__ = ["check_named_models", "named_as", "named_models"]


def named_models(
    settings: FilterSettings | None, audited: Sequence[str]
) -> Iterator[tuple[tuple[str, str, int], str]]:
    """Yield the models that the study asks, each with its key in study.yaml, such as filter, models, 0."""
    for section, names in (
        (("filter", "models"), settings.models if settings is not None else ()),
        (("filter", "held_out"), settings.held_out if settings is not None else ()),
        (("audit", "models"), audited),
    ):
        for i, name in enumerate(names):
            yield (*section, i), name


def named_as(
    name: str, role: str, study_file: Path, settings: FilterSettings | None, audited: Sequence[str]
) -> AbstractContextManager[None]:
    """Return a context whose errors begin with the line of study.yaml that names the model in its ``role``.

    The role is filter, held_out or audit. Errors about other models stay as they are.
    """
    section = {"filter": ("filter", "models"), "held_out": ("filter", "held_out")}.get(
        role, ("audit", "models")
    )
    named = named_models(settings, audited)
    key = next((key for key, model in named if model == name and key[:2] == section), None)
    return nullcontext() if key is None or not study_file.is_file() else model_key(study_file, *key)


def check_named_models(
    settings: FilterSettings | None,
    audit: AuditSettings,
    audited_forms: Sequence[FormName],
    study_file: Path,
    source_of: Callable[[str], ModelSource],
) -> None:
    """Raise ModelError if a model named in the study cannot be found or used, or repeats another.

    ``audited_forms`` are the forms of the rows that are audited. ``source_of`` finds a model, and errors name
    its key in ``study_file``. Models are identified by their weights, regardless of their names: a repeated
    filter model would vote twice, and a held-out model must not be a filter model. Models are found but not
    loaded; those on the Hub are downloaded.
    """
    by_digest: dict[str, str] = {}
    filters, held_out = (settings.models, settings.held_out) if settings is not None else ((), ())
    for key, name in named_models(settings, audit.models):
        with model_key(study_file, *key):
            source = source_of(name)
            if settings is None or key[0] == "audit":
                asked_forms(source, audited_forms, audit.forms)
            else:
                check_kind(source, settings.form)
            first = by_digest.setdefault(source.digest, name)
            if first != name and name in filters:
                raise ModelError(
                    f"the filter's {name} has the same weights as its {first}",
                    remedy="remove one of the two from filter.models, because the model would vote twice",
                )
            if first in filters and name in held_out:
                raise ModelError(
                    f"the held-out model {name} has the same weights as the filter's {first}",
                    remedy="hold out a model that is not among filter.models",
                )
