"""The scores of two given subjects as answers of an extractive reader (UnQover, Li et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.answers.span_ends import (
    Ends,
    begins_with_cls,
    context_tokens,
    ends_of,
    reader_budget,
)
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, check_finite, in_batches
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import SUBJECT_COLUMNS, Numbers, Question
from nextset.scoring.subjects.published_span_widening import Widening, widening
from nextset.scoring.tokenization import read
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["EncodedQuestion", "SpanScorer", "subject_logs"]

NARROW = Widening((), ())


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question and its context as the model reads them."""

    encoding: Any
    """The tokenizer's Encoding of question and context."""
    starts: tuple[tuple[int, ...], tuple[int, ...]]
    """The tokens that each subject can begin with; the first is its own beginning."""
    ends: tuple[tuple[int, ...], tuple[int, ...]]
    """The tokens that each subject can end with; the first is its own end."""
    truncated: bool
    """True if the context was cut."""


@dataclass(frozen=True)
class SpanScorer:
    """A loaded question answering model: a `nextset.scoring.scorer_protocol.Scorer` of questions."""

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    budget: Budget
    """The number of tokens per batch."""
    widened: bool
    """True if answers may include words around the subject (`published_span_widening`)."""
    truncates: bool
    """True if a context that is too long is cut."""
    refuses: bool
    """True if the first token can stand for no answer, as in SQuAD 2."""

    columns = SUBJECT_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking | None = None, device: str | None = None) -> SpanScorer:
        """Load an extractive reader; raises ModelError."""
        asking = asking or Asking("question", ScoringSettings(), ModelSettings())
        precisions = PrecisionPair.load(source, "AutoModelForQuestionAnswering", asking, device)
        widened, truncates = asking.scoring.spans == "widened", asking.model.too_long == "truncate"
        refuses = begins_with_cls(precisions.quick)
        return cls(precisions, reader_budget(precisions.quick), widened, truncates, refuses)

    def encoded(self, inputs: Sequence[Question]) -> list[EncodedQuestion]:
        """Return the questions as tokens, each followed by its context.

        If the study says so, a context that is too long is cut at its end; otherwise ModelError is raised for
        inputs that are too long. It is also raised for a subject without tokens, or one that was cut off.
        """
        cut = "only_second" if self.truncates else ""
        encodings = read(self.precisions.quick, [(q.question, q.context) for q in inputs], cut=cut)
        return [self._places(q, *one) for q, one in zip(inputs, encodings, strict=True)]

    def scores(self, encoded: Sequence[EncodedQuestion]) -> Numbers:
        """Return √(p_start · p_end) of each subject and of no answer, columns `SUBJECT_COLUMNS`."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[EncodedQuestion]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[EncodedQuestion]) -> Numbers:
        """Return the same as `scores` in float32, with each question scored by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def _batched(
        self, loaded: Loaded, encoded: Sequence[EncodedQuestion], budget: Budget | None = None
    ) -> Numbers:
        return in_batches(
            [len(e.encoding.ids) for e in encoded],
            len(SUBJECT_COLUMNS),
            budget or self.budget,
            lambda rows: self._asked(loaded, [encoded[i] for i in rows]),
            loaded.name,
        )

    def _places(self, question: Question, encoding: Any, truncated: bool) -> EncodedQuestion:
        offsets = encoding.offsets
        inside = [(i, *offsets[i]) for i in context_tokens(encoding)]
        starts, ends = [], []
        for subject, (start, end) in zip(question.subjects, question.spans, strict=True):
            own = [i for i, a, b in inside if a < end and b > start]
            if not own or (truncated and inside[-1][2] < end):
                gone = "was cut off with the end of its context" if truncated else "has no token"
                raise ModelError(
                    f"{self.precisions.quick.name}: the subject {subject!r} {gone}: "
                    f"{question.context[:80]!r}",
                    remedy="shorten the context, or choose a model that reads longer texts",
                )
            more = widening(question.context, start, end) if self.widened else NARROW
            before = (next((i for i, a, b in inside if a <= at < b), None) for at in more.starts)
            behind = (next((i for i, a, b in inside[::-1] if a < at <= b), None) for at in more.ends)
            starts.append((own[0], *(i for i in before if i is not None)))
            ends.append((own[-1], *(i for i in behind if i is not None)))
        return EncodedQuestion(encoding, (starts[0], starts[1]), (ends[0], ends[1]), truncated)

    def _asked(self, loaded: Loaded, encoded: Sequence[EncodedQuestion]) -> Numbers:
        import torch

        ends = ends_of(loaded, [e.encoding for e in encoded])
        scores = torch.full((len(encoded), len(SUBJECT_COLUMNS)), torch.nan, dtype=torch.float64)
        scores[:, :2] = subject_logs(ends, encoded).exp().cpu()
        if self.refuses:
            scores[:, 2] = (0.5 * (ends.start[:, 0] + ends.end[:, 0])).exp().cpu()
        scores[:, 3] = torch.tensor([float(e.truncated) for e in encoded])
        numbers: Numbers = scores.numpy()
        check_finite(loaded, numbers[:, :2])
        return numbers


def subject_logs(ends: Ends, encoded: Sequence[EncodedQuestion]) -> Any:
    """Return ½ (log p_start + log p_end) of both subjects of each question, shape (questions, 2)."""
    first = _best(ends.start, [e.starts for e in encoded])
    last = _best(ends.end, [e.ends for e in encoded])
    return 0.5 * (first + last)


def _best(logs: Any, tokens: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Any:
    """Return the highest of each row's ``logs`` at the tokens of each subject, shape (rows, 2)."""
    import torch

    width = max(len(positions) for both in tokens for positions in both)
    at = [[[*positions, *positions[:1] * (width - len(positions))] for positions in both] for both in tokens]
    places = torch.tensor(at, device=logs.device)
    return logs.gather(1, places.flatten(1)).view(places.shape).amax(-1)
