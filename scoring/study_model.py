"""A study's model: its files, the settings that it is asked with, and its scopes in the score cache."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.scoring.cache.keys import Scope
from nextset.scoring.devices import device_type
from nextset.scoring.model_kinds import kind_of, options_of, scorer_of
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.score_tables import form_rows
from nextset.scoring.scorer_protocol import Asking, Scorer

__all__ = ["Model"]


@dataclass(frozen=True)
class Model:
    """A model with everything that decides its numbers."""

    source: ModelSource
    """The model."""
    asking: Asking
    """How it is asked."""
    device: str
    """cpu or cuda: what it works on."""
    cache: Path | None
    """The folder of the score cache; None if no scores are kept."""
    label: str
    """The name under which it is published; tables of scores have this one."""

    @property
    def scope(self) -> Scope:
        """The cache scope for this model's batched scores in the study's precision."""
        return self._scope(self.asking.scoring.precision)

    @property
    def exact(self) -> Scope:
        """The cache scope for this model's batched float32 scores."""
        return self._scope("float32")

    @property
    def alone(self) -> Scope:
        """The cache scope for this model's scores of single inputs."""
        return self._scope("float32, alone")

    def _scope(self, precision: str) -> Scope:
        kind = kind_of(self.source)
        options = {**options_of(kind, self.asking), "device": self.device}
        return Scope(
            model=self.source.name,
            identity=self.source.identity,
            kind=kind,
            precision=precision,
            columns=form_rows(self.asking.form).numbers,
            options=json.dumps(options, sort_keys=True),
        )

    def here(self) -> Model:
        """The same model on this machine's device, for checks before jobs run on other machines."""
        return replace(self, device=device_type())

    def scorer(self, device: str | None) -> Scorer[Any]:
        """The model, loaded on ``device``, such as cuda:1; torch's default if that is None."""
        return scorer_of(self.source, self.asking, device)
