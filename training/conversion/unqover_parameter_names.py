"""The names of parameters in UnQover's pipeline (Li et al. 2020), and in the readers of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import InputError, ModelError, examples

__all__ = ["PipelineNames", "pipeline_names"]

ENCODER = "encoder.transformer."
"""The prefix of the encoder's parameters; the rest is the name in the AutoModel of the transformer."""
HEAD = {"qa_outputs.weight": "classifier.linear.1.weight", "qa_outputs.bias": "classifier.linear.1.bias"}
"""The names of the linear layer for start and end: in transformers, and in the pipeline."""
POOLER = f"{ENCODER}pooler."
"""The prefix of a layer that the pipeline multiplies by zero; current readers do not have it."""
SHOWN = 4
"""The number of parameters that an error shows."""
Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class PipelineNames:
    """The names of a reader's parameters in a file."""

    in_file: dict[str, str]
    """For each parameter of the reader, its name in the file."""
    unused: tuple[str, ...]
    """The parameters of the file that the reader does not have: the pooler's."""


def pipeline_names(
    path: Path, shapes: Shapes, reader: Any, transformer: str, trained_from: str
) -> PipelineNames:
    """Return the names of the parameters of ``reader`` in the file ``path``, given the file's ``shapes``.

    ``trained_from`` is the transformer that the checkpoint's options name; may be empty. Raises ModelError
    for a reader that is more than an encoder with a linear layer. Raises InputError, with the first few
    names, for parameters that are missing, have a different shape, or are unknown to the reader.
    """
    wanted = {name: tuple(parameter.shape) for name, parameter in reader.named_parameters()}
    names = {name: _name(name, reader, transformer) for name in wanted}
    if not any(name.startswith(ENCODER) for name in shapes):
        raise InputError(
            f"the file has no parameter of an encoder ({ENCODER}…); its members: {_listed(shapes) or 'none'}",
            file=path,
            remedy="name the file that UnQover's training saved as the model (--save_file), not its data",
        )
    missing = [there for there in names.values() if there not in shapes]
    known = {*names.values()}
    unused = [name for name in shapes if name not in known]
    unknown = [name for name in unused if not name.startswith(POOLER)]
    other = [
        f"{there} has {_shape(shapes[there])}, not {_shape(wanted[name])}"
        for name, there in names.items()
        if there in shapes and shapes[there] != wanted[name]
    ]
    problems = {"missing": missing, "unknown": unknown, "of a different size": other}
    summary = "; ".join(
        f"{len(entries):,} {what}: {_listed(entries)}" for what, entries in problems.items() if entries
    )
    if summary:
        hint = f": its options name {trained_from}" if trained_from else ""
        raise InputError(
            f"the parameters in the file are not those of {transformer}: {summary}",
            file=path,
            remedy=f"name the transformer that the checkpoint was trained from{hint}",
        )
    return PipelineNames(names, tuple(unused))


def _name(name: str, reader: Any, transformer: str) -> str:
    """Return the pipeline's name of the reader's parameter called ``name``."""
    encoder = f"{reader.base_model_prefix}."
    if name.startswith(encoder):
        return ENCODER + name.removeprefix(encoder)
    if name in HEAD:
        return HEAD[name]
    raise ModelError(
        f"as a reader, {transformer} has more than an encoder and a linear layer, unlike UnQover's: {name}",
        remedy="choose a transformer such as BERT, RoBERTa or DistilBERT",
    )


def _listed(names: Any) -> str:
    return examples((f"{name:.150}" for name in sorted(names)), SHOWN)


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "one number"
