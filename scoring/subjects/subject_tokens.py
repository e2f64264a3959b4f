"""The number of tokens of a subject in its context, by a model's own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.sources import ModelSource

__all__ = ["Place", "subject_token_counts"]

Place = tuple[str, int, int]
"""A context, the subject's first character in it, and the character after its last."""


def subject_token_counts(source: ModelSource, places: Sequence[Place]) -> list[int] | None:
    """Return how many tokens each subject has; None for a model without a file tokenizer.json.

    Models behind a server have none. A score is made of the probabilities of the first and the last token, so
    subjects with more tokens are at a disadvantage or an advantage (Li et al. 2020, section 4). Raises
    ModelError for a damaged file.
    """
    file = None if source.folder is None else source.folder / "tokenizer.json"
    if file is None or not file.is_file():
        return None
    from tokenizers import Tokenizer

    problem = f"the tokenizer.json of {source.name} cannot be read"
    with library_errors(problem, remedy="download or save the model again"):
        tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encodings = tokenizer.encode_batch([context for context, _, _ in places], add_special_tokens=False)
    return [
        sum(a < end and b > start for a, b in encoding.offsets)
        for encoding, (_, start, end) in zip(encodings, places, strict=True)
    ]
