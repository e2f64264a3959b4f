"""The models that a study names: all there, each of a kind that can be asked, none twice."""

from __future__ import annotations

from nextset.errors import ModelError
from nextset.scoring.model_kinds import check_kind
from nextset.scoring.models.sources import locate
from nextset.study.study_folder import Study

__all__ = ["check_named_models"]


def check_named_models(study: Study) -> None:
    """Raise ModelError when a model that a section names cannot be found or asked, or is another one again.

    Models are told apart by their weights, whatever their names: one of the filter would vote twice, and one
    that is held out would have had a say. Models are found and not loaded, those of the Hub are fetched.
    """
    chosen = study.filter
    by_digest: dict[str, str] = {}
    for name in (*chosen.models, *chosen.held_out, *study.settings.audit.models):
        source = locate(name, study.folder)
        check_kind(source, "nli" if name in study.settings.audit.models else chosen.form)
        twin = by_digest.setdefault(source.digest, name)
        if twin != name and name in chosen.models:
            raise ModelError(
                f"the filter's {name} has the same weights as its {twin}",
                remedy="name a model once: it would vote twice",
            )
        if twin in chosen.models and name in chosen.held_out:
            raise ModelError(
                f"the held-out model {name} has the same weights as the filter's {twin}",
                remedy="hold out a model that does not filter",
            )
