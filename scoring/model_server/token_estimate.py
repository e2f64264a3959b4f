"""The tokens of prompts before they are sent: counted with the model's tokenizer, or else estimated."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nextset.errors import NextsetError
from nextset.files.downloads import without_downloads
from nextset.scoring.models.sources import SERVER, settings_folder

__all__ = ["BYTES_PER_TOKEN", "answer_text", "estimated_tokens", "token_counter"]

BYTES_PER_TOKEN = 4
"""The bytes of UTF-8 per token of English text, the rule of thumb of OpenAI's help on tokens. Texts in other
scripts have more tokens than this in most tokenizers."""


def token_counter(model: str, base: Path) -> Callable[[str], int] | None:
    """Return a function that counts tokens with the tokenizer of ``model``, openai:NAME.

    It is known if NAME is a folder, relative to ``base`` or absolute, or a model of the Hub that is already
    on this machine. None otherwise; nothing is downloaded.
    """
    try:
        with without_downloads():
            folder = settings_folder(model.removeprefix(SERVER), base)
        from tokenizers import Tokenizer

        tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except (NextsetError, OSError, ValueError):
        return None
    except Exception as e:
        if type(e) is not Exception:
            raise
        return None
    return lambda text: len(tokenizer.encode(text).ids)


def estimated_tokens(text: str) -> float:
    """Return the estimated number of tokens of ``text``: its bytes of UTF-8 / `BYTES_PER_TOKEN`."""
    return len(text.encode()) / BYTES_PER_TOKEN


def answer_text(choices: Sequence[str]) -> str:
    """Return the longest answer with one of ``choices``, as the schema of the request asks for it."""
    return json.dumps({"answer": max(choices, key=len)}, ensure_ascii=False) if choices else ""
