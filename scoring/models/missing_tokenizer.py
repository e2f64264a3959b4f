"""Tokenizers without words, which transformers silently creates for a folder without a tokenizer."""

from __future__ import annotations

from typing import Any

from nextset.errors import ModelError

__all__ = ["check_words"]


def check_words(tokenizer: Any, name: str) -> None:
    """Raise ModelError if ``tokenizer``, of the model ``name``, has only special tokens.

    For many architectures, transformers creates such a tokenizer if the tokenizer's files are missing. It
    would read every text as unknown words, or as an empty text.
    """
    words = set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens)
    if not any(character.isalnum() for word in words for character in word):
        raise ModelError(
            f"{name} has no tokenizer with words",
            remedy="save the tokenizer next to the model (tokenizer.json), or download it again",
        )
