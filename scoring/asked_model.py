"""A study's model: its files, the settings for asking it, and its scopes in the score cache."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.errors import StudyError
from nextset.files.yaml_reader import line_of
from nextset.scoring.asking import Asking
from nextset.scoring.cache.folder import cache_folder
from nextset.scoring.cache.keys import Scope
from nextset.scoring.engines.devices import device_type
from nextset.scoring.model_kinds import check_settings, kind_of, model_kind, options_of, scorer_of
from nextset.scoring.models.sources import ModelSource, OwnFunction, OwnModel
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["Model"]


@dataclass(frozen=True)
class Model:
    """A model with everything that decides its scores."""

    source: ModelSource
    asking: Asking
    """The settings for asking it."""
    device: str
    """cpu or cuda, the type of device that it runs on."""
    cache: Path | None
    """The folder of the score cache; None if scores are not stored."""
    label: str
    """The model's published name, which tables of scores use."""

    @classmethod
    def of(
        cls, source: ModelSource, asking: Asking, label: str = "", study_file: Path | None = None
    ) -> Model:
        """Return the model in ``source`` with the device and the cache that ``asking`` implies.

        ``label`` is its published name, by default that of ``source``. Raises StudyError, which names
        ``study_file``, for a user's own function or model with the engine ray, InputError for settings that
        the model cannot use, and ModelError and DependencyMissing if the engine cannot ask the model.
        """
        scoring, own = asking.scoring, source.own
        check_settings(source, asking.model, study_file)
        if own is not None and scoring.engine == "ray":
            raise StudyError(
                f"{source.name} is an own scorer, which runs only on this machine",
                file=study_file,
                line=line_of(study_file, "scoring", "engine"),
                remedy="set scoring.engine: local",
            )
        model_kind(source).check_engine(source, asking)
        stored = scoring.cache and not (isinstance(own, OwnFunction) and not own.stored)
        device = own.model.device.type if isinstance(own, OwnModel) else device_type(scoring.engine)
        return cls(source, asking, device, cache_folder() if stored else None, label or source.name)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of the numbers that it gives for an input."""
        return model_kind(self.source).numbers(self.asking.form)

    @property
    def scope(self) -> Scope:
        """The cache scope for this model's batched scores in the study's precision."""
        return self._scope(self.asking.scoring.precision, model_kind(self.source).engine(self.asking))

    @property
    def coarseness(self) -> str:
        """The precision of the batched scores as a key of `nextset.scoring.near_ties.CLOSE`."""
        precision = self.asking.scoring.precision
        engine = model_kind(self.source).engine(self.asking)
        return engine if engine and precision == "float32" else precision

    @property
    def exact(self) -> Scope:
        """The cache scope for this model's batched float32 scores."""
        return self._scope("float32")

    @property
    def alone(self) -> Scope:
        """The cache scope for this model's scores of single inputs."""
        return self._scope("float32, alone")

    def _scope(self, precision: str, engine: str = "") -> Scope:
        kind = kind_of(self.source)
        options = {**options_of(kind, self.asking), "device": self.device}
        if engine:
            options["engine"] = engine
        return Scope(
            model=self.source.name,
            identity=self.source.identity,
            kind=kind,
            precision=precision,
            columns=self.numbers,
            options=json.dumps(options, sort_keys=True),
        )

    def here(self) -> Model:
        """Return the same model on this machine's device, for checks before jobs run on other machines."""
        return replace(self, device=device_type())

    def scorer(self, device: str | None) -> Scorer[Any]:
        """Return the model, loaded on ``device``, such as cuda:1; torch's default for None."""
        return scorer_of(self.source, self.asking, device)
