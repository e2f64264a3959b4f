"""The section audit of study.yaml: which models are measured."""

from __future__ import annotations

from nextset.files.yaml_model import HandWritten
from nextset.study.field_types import ModelName

__all__ = ["AuditSettings"]


class AuditSettings(HandWritten):
    """audit: which models are measured in addition to those of the filter."""

    models: tuple[ModelName, ...] = ()
