"""The figures of a masked language model: its predictions of masked tokens, its probability of sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from nextset.scoring.masks.logits import MaskLogits
from nextset.scoring.masks.pseudo_likelihood import of_sentences
from nextset.scoring.models.loading import Loaded
from nextset.training.fine_tuning.masked_training_rows import NOT_ASKED, MaskedTrainingRows

__all__ = ["evaluate_masked", "pseudo_perplexity"]

_ROWS = 32
SENTENCES = 200
"""The most sentences for the pseudo-perplexity, which asks for each token of each sentence by itself."""


def evaluate_masked(
    loaded: Loaded,
    texts: Sequence[str],
    share: float,
    longest: int,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, float]:
    """Return the figures of ``loaded`` on ``texts`` with the same masks every time.

    The figures are ``tokens`` (the number of predicted tokens), ``loss`` (their mean cross-entropy, natural
    logarithm), ``perplexity`` (e to the loss) and ``accuracy`` (the share of tokens that the model finds most
    probable). Raises InputError if the model knows no word of ``texts``.
    """
    import torch

    rows = MaskedTrainingRows.of(replace(loaded, device=torch.device("cpu")), texts, share, longest)
    total, right, tokens = 0.0, 0, 0
    for begin in range(0, len(rows.rows), _ROWS):
        draws = torch.Generator().manual_seed(begin)
        inputs = rows.inputs(range(begin, min(begin + _ROWS, len(rows.rows))), draws)
        inputs = {name: tensor.to(loaded.device) for name, tensor in inputs.items()}
        target = inputs.pop("target")
        masked = target != NOT_ASKED
        with torch.inference_mode():
            logits = loaded.model(**inputs).logits[masked].float()
        wanted = target[masked]
        total += float(torch.nn.functional.cross_entropy(logits, wanted, reduction="sum"))
        right += int((logits.argmax(-1) == wanted).sum())
        tokens += len(wanted)
        tick(min(begin + _ROWS, len(rows.rows)), len(rows.rows))
    loss = total / tokens
    perplexity = math.exp(min(loss, 700.0))
    return {
        "tokens": float(tokens), "loss": loss, "perplexity": perplexity, "accuracy": right / tokens,
    }  # fmt: skip


def pseudo_perplexity(loaded: Loaded, texts: Sequence[str]) -> dict[str, float]:
    """Return the ``pseudo_perplexity`` of the first `SENTENCES` short enough texts (Salazar et al. 2020).

    It is e to the mean over tokens of −log p(token | all others except later tokens of its word), as in
    `nextset.scoring.masks.pseudo_likelihood` (Kauf and Ivanova 2023). Empty if no text is short enough.
    """
    encodings = loaded.tokenizer.backend_tokenizer.encode_batch(list(texts[: 5 * SENTENCES]))
    short = [text for text, e in zip(texts, encodings, strict=False) if 2 < len(e.ids) <= loaded.max_length]
    likelihoods = of_sentences(MaskLogits.of(loaded), short[:SENTENCES])
    tokens = sum(one.tokens for one in likelihoods)
    if not tokens:
        return {}
    mean = -sum(one.total for one in likelihoods) / tokens
    return {"pseudo_perplexity": math.exp(min(mean, 700.0)), "pseudo_perplexity_tokens": float(tokens)}
