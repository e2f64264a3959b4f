"""A model's own tokenizer, without the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.recurrent.reader_registration import register_reader_configs
from nextset.scoring.models.sources import ModelSource

__all__ = ["own_tokenizer"]

_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model",
)  # fmt: skip
"""Files of tokenizers; a model with its own tokenizer has one of them."""


def own_tokenizer(source: ModelSource) -> Any:
    """Return the model's fast tokenizer, the same as for loaded models, without truncation and padding.

    Return None if the model has no fast tokenizer, such as a model behind a server. Raises ModelError for a
    damaged file.
    """
    if source.folder is None or not any((source.folder / name).is_file() for name in _FILES):
        return None
    from transformers import AutoTokenizer

    register_reader_configs()
    problem = f"the tokenizer of {source.name} cannot be read"
    with library_errors(problem, remedy="download or save the model again"):
        tokenizer = _loaded(AutoTokenizer, source.folder)
    if not tokenizer.is_fast:
        return None
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def _loaded(auto: Any, folder: Path) -> Any:
    return auto.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
