"""The best spans of each window of a context, and the best answer of all its windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nextset.scoring.answers.span_ends import context_tokens
from nextset.scoring.scorer_protocol import Numbers

if TYPE_CHECKING:
    import torch

__all__ = ["LONGEST", "WINDOW_COLUMNS", "best_of_windows", "no_answer_lead", "trimmed_span", "window_answers"]

LONGEST = 30
"""The maximum number of tokens of an answer."""

WINDOW_COLUMNS = (
    "nothing", "nothing_score", "best", "best_start", "best_end", "best_score", "second", "second_start",
    "second_end",
)  # fmt: skip
"""The numbers of a window: the sum of the two logits for no answer, the best and the second best span;
√(p_start · p_end) for the first two; the first character of each span, and the one after its last."""

Bounds = tuple[int, int]


def window_answers(start: torch.Tensor, end: torch.Tensor, encodings: Sequence[Any]) -> Numbers:
    """Return the answers in some windows, shape (windows, `WINDOW_COLUMNS`).

    ``start`` and ``end`` are logits in float64, shape (windows, tokens). A span begins and ends in the
    context and has at most `LONGEST` tokens; among ties, the first span counts. A window of one token has no
    second span: −∞.
    """
    import torch

    outside = torch.ones(start.shape, dtype=torch.bool)
    for row, encoding in enumerate(encodings):
        outside[row, context_tokens(encoding)] = False
    outside = outside.to(start.device)
    first, last = (logits.masked_fill(outside, -torch.inf) for logits in (start, end))
    behind = torch.nn.functional.pad(last, (0, LONGEST - 1), value=-torch.inf).unfold(1, LONGEST, 1)
    sums = (first[:, :, None] + behind).flatten(1)
    over = torch.logsumexp(start, -1) + torch.logsumexp(end, -1)
    rows = torch.arange(len(sums), device=sums.device)
    best_at = sums.argmax(1)
    best = sums[rows, best_at].clone()
    sums[rows, best_at] = -torch.inf
    second_at = sums.argmax(1)
    second, nothing = sums[rows, second_at], start[:, 0] + end[:, 0]
    scores = [(0.5 * (one - over)).exp() for one in (nothing, best)]
    columns = [nothing, scores[0], best, scores[1], second, best_at.double(), second_at.double()]
    read = torch.stack(columns, 1).cpu().numpy()
    answers = np.empty((len(read), len(WINDOW_COLUMNS)))
    answers[:, [0, 1, 2, 5, 6]] = read[:, :5]
    for row, encoding in enumerate(encodings):
        answers[row, 3:5] = _characters(encoding, int(read[row, 5]))
        known = np.isfinite(read[row, 4])
        answers[row, 7:9] = _characters(encoding, int(read[row, 6])) if known else np.nan
    return answers


def best_of_windows(windows: Numbers, *, refuses: bool) -> tuple[float, ...]:
    """Return the answer to a question from the numbers of its windows: a row of ANSWER_COLUMNS.

    The span with the highest sum of logits counts; among ties, the first. If the model ``refuses``, it gives
    no answer if the lowest sum for no answer, over all windows, is higher than that of the span (Devlin et
    al. 2019, section 4.3).
    """
    spans = _spans(windows)
    (start, end), (best, score) = spans[0]
    runner_up = spans[1][1][0] if len(spans) > 1 else -np.inf
    least = windows[windows[:, 0].argmin()]
    nothing = least[0] if refuses else -np.inf
    no_answer = least[1] if refuses else np.nan
    if nothing > best:
        return (np.nan, np.nan, score, no_answer, len(windows), nothing - best)
    return (start, end, score, no_answer, len(windows), best - max(runner_up, nothing))


def no_answer_lead(windows: Numbers) -> float:
    """Return half of the lowest sum of the two logits of no answer, minus half of the best span's sum.

    A model that can give no answer does so if the result is above 0. With one window, the result is the
    logarithm of the ratio of their scores.
    """
    return float(windows[:, 0].min() - windows[:, 2].max()) / 2


def trimmed_span(context: str, start: int, end: int) -> Bounds:
    """Return the span without white space at its ends, which some tokenizers count as part of a token."""
    text = context[start:end]
    start += len(text) - len(text.lstrip())
    return start, max(start, start + len(text.strip()))


def _spans(windows: Numbers) -> list[tuple[Bounds, tuple[float, float]]]:
    """Return the two best spans of each window, each once, with its highest sum and that window's score."""
    spans: dict[Bounds, tuple[float, float]] = {}
    for row in windows:
        for at, score in ((2, row[5]), (6, np.nan)):
            if not np.isfinite(row[at]):
                continue
            bounds = (int(row[at + 1]), int(row[at + 2]))
            if bounds not in spans or row[at] > spans[bounds][0]:
                spans[bounds] = (float(row[at]), float(score))
    return sorted(spans.items(), key=lambda span: (-span[1][0], span[0]))


def _characters(encoding: Any, at: int) -> Bounds:
    """Return the characters of the span at a place of the flattened sums."""
    token, more = divmod(at, LONGEST)
    return encoding.offsets[token][0], encoding.offsets[token + more][1]
