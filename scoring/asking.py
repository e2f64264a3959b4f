"""The settings for asking a model: everything that decides its answers except its files and the input."""

from __future__ import annotations

from dataclasses import dataclass, field

from nextset.forms import FormName
from nextset.scoring.prompts.wording import Prompts
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, ServerSettings

__all__ = ["Asking"]


@dataclass(frozen=True)
class Asking:
    """The settings for asking a model: everything that decides its answers except its files and the input."""

    form: FormName
    """The form that the model is asked about."""
    scoring: ScoringSettings
    """The study's settings for all models."""
    model: ModelSettings = field(default_factory=ModelSettings)
    """The study's settings for this model."""
    prompts: Prompts | None = None
    """The study's wordings for models that write text; nextset's own if None."""

    @property
    def server(self) -> ServerSettings:
        """The settings of requests to a server: those of the model, else those of all models."""
        return self.model.server.over(self.scoring.server)

    def __hash__(self) -> int:
        # the settings have dictionaries, which have no hash
        return hash((self.form, self.scoring.model_dump_json(), self.model.model_dump_json()))
