"""Tokenizers without words: what transformers makes in silence of a folder that has no tokenizer."""

from __future__ import annotations

from typing import Any

from nextset.errors import ModelError

__all__ = ["check_words"]


def check_words(tokenizer: Any, name: str) -> None:
    """Raise ModelError if ``tokenizer``, of the model ``name``, knows nothing but special tokens.

    transformers makes such a one for many architectures if the tokenizer's files are missing: every text
    would be read as unknown words, or as none.
    """
    words = set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens)
    if not any(character.isalnum() for word in words for character in word):
        raise ModelError(
            f"{name} has no tokenizer: it knows no word",
            remedy="save the tokenizer next to the model (tokenizer.json), or download it again",
        )
