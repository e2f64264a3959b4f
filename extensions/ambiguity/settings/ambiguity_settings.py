"""The section ambiguity of study.yaml: whom models find if several people are right (Mao et al. 2021)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import model_validator

from nextset.extensions.ambiguity.settings.retrieval_settings import RetrievalSettings
from nextset.extensions.ambiguity.settings.selectional_settings import SelectionalSettings
from nextset.files.yaml_values import WrongValue
from nextset.study.extension_sections import ExtensionSection

__all__ = ["AmbiguitySettings"]


class AmbiguitySettings(ExtensionSection):
    """ambiguity: questions with several right answers, in a context or in a collection of passages."""

    position: ClassVar[int] = 2
    sufficient: ClassVar[bool] = True

    selectional: SelectionalSettings | None = None
    """Questions whose context names several right answers (`SelectionalSettings`); default: none."""
    retrieval: RetrievalSettings | None = None
    """Open questions over a collection of passages (`RetrievalSettings`); default: none."""

    @model_validator(mode="after")
    def _some(self) -> AmbiguitySettings:
        if self.selectional is None and self.retrieval is None:
            raise WrongValue("there is nothing to ask", "add selectional, or retrieval")
        return self

    def asked_models(self) -> tuple[str, ...]:
        """Return the models that are asked, each once, as the study names them."""
        selectional = self.selectional.models if self.selectional is not None else ()
        retrieval = self.retrieval.models if self.retrieval is not None else ()
        return tuple(dict.fromkeys((*selectional, *retrieval)))
