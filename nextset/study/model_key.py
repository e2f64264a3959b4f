"""The keys of study.yaml that name a model or have its settings, for errors about the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nextset.errors import ModelError, StudyError
from nextset.files.yaml_reader import read_yaml
from nextset.printable_text import printable_line

__all__ = ["model_key", "model_setting"]


@contextmanager
def model_key(file: Path, *key: str | int) -> Iterator[None]:
    """Put the ``file``, the line and the ``key`` that name the model before the message of a ModelError."""
    try:
        yield
    except ModelError as e:
        line = read_yaml(file, StudyError).line(key)
        where = f"{printable_line(str(file))}{f':{line}' if line else ''}"
        name = ".".join(step for step in key if isinstance(step, str))
        raise ModelError(f"{where}: {name}: {e.message}", remedy=e.remedy) from None


def model_setting(name: str, setting: str) -> str:
    """Return ``setting``, such as ``too_long: truncate``, as study.yaml has it for the model ``name``."""
    return f"models: {{{json.dumps(name, ensure_ascii=False)}: {{{setting}}}}}"
