"""Questions as training examples of an extractive reader: windows of contexts, with the answer's tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.artifacts.progress_callback import Tick
from nextset.errors import InputError
from nextset.scoring.answers.span_ends import begins_with_cls, context_tokens
from nextset.scoring.batches import padded
from nextset.scoring.models.loading import Loaded
from nextset.training.fine_tuning.task_examples import Inputs
from nextset.training.fine_tuning.token_rows import TokenRow, cut_tokenizer, encoded_in_chunks
from nextset.training.training_data.reader_questions import ReaderQuestion

if TYPE_CHECKING:
    import torch

__all__ = ["ReaderTrainingRows"]

LEAST = 8
"""The fewest tokens of the context that must fit in a window."""
NO_ROOM = "questions without room for their context"
"""The reason for skipping a question that is nearly as long as a window."""
NO_TOKEN = "questions with an answer that has no token"
"""The reason for skipping a question if the tokenizer drops all characters of the answer."""


@dataclass(frozen=True)
class ReaderTrainingRows:
    """A `nextset.training.fine_tuning.task_examples.TaskExamples` of windows.

    The loss is the mean of the cross-entropies of the answer's first and last token. In a window without the
    answer, both are the first token, which means no answer (Devlin et al. 2019, section 4.3). If the model's
    inputs do not begin with such a token, these windows are skipped.
    """

    loaded: Loaded
    """The model's tokenizer and padding."""
    rows: Sequence[TokenRow]
    """The windows as tokens."""
    spans: Sequence[tuple[int, int]]
    """The first and the last token of the answer in each window; 0, 0 without an answer."""
    left_out: Mapping[str, int]
    """The number of skipped questions, by reason."""

    @classmethod
    def of(
        cls,
        loaded: Loaded,
        questions: Sequence[ReaderQuestion],
        longest: int,
        overlap: int,
        tick: Tick = lambda done, total: None,
    ) -> ReaderTrainingRows:
        """Return the windows of ``questions``, of at most ``longest`` tokens; the target is the first answer.

        Raises InputError if no window is left.
        """
        can_mean_no_answer = begins_with_cls(loaded)
        rows: list[TokenRow] = []
        spans: list[tuple[int, int]] = []
        left_out: Counter[str] = Counter()
        whole = loaded.tokenizer.backend_tokenizer
        texts = [(one.question, one.context) for one in questions]
        for one, encoding in zip(questions, encoded_in_chunks(whole, texts, tick), strict=True):
            wanted = _answer_characters(encoding, one)
            if one.answers and wanted is None:
                left_out[NO_TOKEN] += 1
                continue
            windows = [encoding]
            if len(encoding.ids) > longest:
                space = longest - (len(encoding.ids) - len(context_tokens(encoding)))
                if space < LEAST:
                    left_out[NO_ROOM] += 1
                    continue
                shared = min(overlap, space // 2)
                first = cut_tokenizer(loaded.tokenizer, longest, "only_second", shared).encode(
                    one.question, one.context
                )
                windows = [first, *first.overflowing]
            for window in windows:
                span = _answer_tokens(window, wanted)
                if span is not None or can_mean_no_answer:
                    rows.append(TokenRow.of(window))
                    spans.append(span or (0, 0))
        if not rows:
            raise InputError(
                "no question is left to train on", remedy="raise longest, or name data with answers"
            )
        return cls(loaded, rows, spans, dict(left_out))

    @property
    def lengths(self) -> list[int]:
        """The number of tokens of each window."""
        return list(map(len, self.rows))

    def inputs(self, rows: Sequence[int], draws: torch.Generator) -> Inputs:
        """Return the inputs of ``rows`` with the answers' first and last tokens."""
        import torch

        spans = torch.tensor([self.spans[i] for i in rows])
        return {**padded(self.loaded, [self.rows[i] for i in rows]), "span": spans}

    def units(self, inputs: Inputs) -> int:
        """Return the number of windows."""
        return len(inputs["span"])

    def loss(self, model: Any, inputs: Inputs) -> torch.Tensor:
        """Return the sum over windows of the mean of both cross-entropies, without padding as an answer."""
        import torch

        span, padding = inputs.pop("span"), inputs["attention_mask"] == 0
        outputs = model(**inputs)
        losses = [
            torch.nn.functional.cross_entropy(
                logits.float().masked_fill(padding, -torch.inf), span[:, end], reduction="sum"
            )
            for end, logits in enumerate((outputs.start_logits, outputs.end_logits))
        ]
        return (losses[0] + losses[1]) / 2


def _answer_characters(encoding: Any, question: ReaderQuestion) -> tuple[int, int] | None:
    """Return the start and end, in characters, of the first answer's tokens, or None without an answer.

    A tokenizer can drop characters, such as combining accents. So the answer's first or last characters may
    have no token, and an answer of only such characters has no token at all.
    """
    inside = context_tokens(encoding)
    if not question.answers or not inside:
        return None
    answer = question.answers[0]
    offsets = [encoding.offsets[i] for i in inside]
    first = bisect_right(
        [end for _, end in offsets], answer.start
    )  # the first token that ends after the answer's start
    last = bisect_left([start for start, _ in offsets], answer.start + len(answer.text)) - 1
    return (offsets[first][0], offsets[last][1]) if first <= last else None


def _answer_tokens(window: Any, wanted: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the first and last token of the characters ``wanted``, or None if ``window`` lacks any."""
    inside = context_tokens(window)
    if wanted is None or not inside:
        return None
    starts = [window.offsets[i][0] for i in inside]
    ends = [window.offsets[i][1] for i in inside]
    if starts[0] > wanted[0] or ends[-1] < wanted[1]:
        return None
    return inside[bisect_right(ends, wanted[0])], inside[bisect_left(starts, wanted[1]) - 1]
