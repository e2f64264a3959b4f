"""The model card of a converted checkpoint, with its origin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from nextset.markdown_text import plain_markdown
from nextset.printable_text import printable_line

__all__ = ["CheckpointFacts", "converted_card"]

OPTIONS = {
    "transformer_type": "trained from",
    "train_data": "training data",
    "val_data": "validation data",
    "percent": "share of the data that was used",
    "div_percent": "share of these data for training, without validation data",
    "epochs": "epochs",
    "optim": "optimiser",
    "learning_rate": "learning rate",
    "warmup_perc": "share of the steps with a rising rate",
    "weight_decay": "weight decay",
    "dropout": "dropout before the linear layer",
    "clip": "highest norm of gradients",
    "fp16": "half precision (1: yes)",
    "seed": "seed",
}
"""The options of the training that a card shows."""
_HUB = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class CheckpointFacts:
    """The facts on a card."""

    name: str
    """The name of the checkpoint's file."""
    sha256: str
    """Its sha256, in hex."""
    transformer: str
    """The source of configuration and tokenizer: a Hub id, or the name of a folder."""
    repository: str | None
    """The repository of the transformer on the Hub; None if it is in a folder or built in."""
    architecture: str
    """The class of the model."""
    parameters: int
    """The number of its weights."""
    types: tuple[str, ...]
    """The types of the numbers in the file."""
    unused: tuple[str, ...]
    """The parameters of the file that the model does not use."""
    options: Mapping[str, object]
    """The options of the training; empty if they are unknown."""


def converted_card(facts: CheckpointFacts) -> str:
    """Return the README.md of the model."""
    front: dict[str, object] = {"library_name": "transformers", "pipeline_tag": "question-answering"}
    if facts.repository is not None:
        front["base_model"] = facts.repository
    unused = (
        f"{len(facts.unused)}, from the pooler, which the pipeline multiplied by zero"
        if facts.unused
        else "none"
    )
    return f"""---
{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---

# {plain_markdown(facts.name)}, converted

An extractive reader that nextset converted from the HDF5 layout of UnQover (Li et al. 2020). It gives the
start and end probabilities of the published pipeline. Its tokenizer writes inputs in the same form as the
pipeline: `[CLS] question [SEP] context [SEP]`, without token types.

| | |
|---|---|
| file | `{_cell(facts.name)}` |
| sha256 of the file | `{facts.sha256}` |
| configuration and tokenizer | `{_cell(facts.transformer)}` |
| architecture | {facts.architecture} |
| parameters | {facts.parameters:,} |
| numbers in the file | {", ".join(facts.types)}; float32 here |
| parameters that were not used | {unused} |
| licence | the same as the checkpoint's |

## Training

{_training(facts.options)}
"""


def _training(options: Mapping[str, object]) -> str:
    rows = [
        f"| {description} | `{_cell(_shown(name, options[name]))}` |"
        for name, description in OPTIONS.items()
        if options.get(name) not in (None, "")
    ]
    if not rows:
        return "No options of the training were found next to the checkpoint."
    return "\n".join(["The options in the file next to the checkpoint:", "", "| | |", "|---|---|", *rows])


def _shown(name: str, value: object) -> str:
    """Return ``value`` without the folders of a path; a card names only files and Hub repositories."""
    text = str(value)
    if name == "transformer_type" and _HUB.fullmatch(text):
        return text
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _cell(text: str) -> str:
    """Return ``text`` in a form for backticks in a cell of a table."""
    return printable_line(text)[:200].replace("`", "'").replace("|", "¦")
