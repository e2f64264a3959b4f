"""Texts per CPU second of nextset's scorers, next to other ways to ask the same models the same texts."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.figures import figure
from benchmarks.random_models import save_distilbert, save_roberta
from nextset.scoring.batches import CPU_TOKENS, padded, planned
from nextset.scoring.models.sources import locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair, Question
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.scoring.subjects.quad_scores import question_inputs

__all__ = ["bbnli_pairs", "throughput_figures", "unqover_questions"]

ROUNDS = 2
QUADS = 250
"""The number of quads of each of UnQover's four classes."""
MODELS = {"RoBERTa 4 × 256": save_roberta, "DistilBERT 6 × 768": save_distilbert}


def throughput_figures(reference: Path) -> None:
    """Measure questions, then pairs, on one thread; loading does not count."""
    import torch

    torch.set_num_threads(1)
    questions, pairs = unqover_questions(reference), bbnli_pairs(reference)
    for name, save in MODELS.items():
        with tempfile.TemporaryDirectory() as scratch:
            folder, texts = Path(scratch), {text for q in questions for text in (q.context, q.question)}
            _question_figures(name, save(folder, "QuestionAnswering", sorted(texts)), questions)
        with tempfile.TemporaryDirectory() as scratch:
            folder, texts = Path(scratch), {text for p in pairs for text in p.texts()}
            _pair_figures(name, save(folder, "SequenceClassification", sorted(texts)), pairs)


def unqover_questions(reference: Path) -> list[Question]:
    """Return the questions of 1,000 quads, spread evenly over each published set, in its order."""
    from nextset.generation.questions.product_rows import Cells
    from nextset.generation.questions.published_unqover import read_published
    from nextset.generation.questions.question_expansion import quad_table

    found: list[Question] = []
    lists = read_published(reference / "unqover_word_lists", "en", masked_for="roberta", as_published=True)
    for questions in (s for s in lists.sets if s.form == "question"):
        rows = np.arange(QUADS) * questions.rows // QUADS
        sizes = [len(t.by_attribute) for t in questions.templates]
        templates = np.repeat(np.arange(len(sizes)), sizes)
        asked = np.concatenate([np.arange(n) for n in sizes])
        pair, within = np.divmod(rows, questions.per_pair)
        table = quad_table(questions, Cells(pair, templates[within], asked[within]))
        plain = pa.table([_plain(column) for column in table.columns], names=table.schema.names)
        found += question_inputs(plain)
    return found


def _plain(column: Any) -> Any:
    """Return a column as read back from a file, with its texts not in a dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def bbnli_pairs(reference: Path) -> list[Pair]:
    """Return the distinct pairs of audit and test rows of the published files."""
    from nextset.generation.template_expansion import expand
    from nextset.generation.templates.template_files import read_template

    files = sorted((reference / "bbnli").rglob("*.json"))
    items = expand([read_template(f) for f in files], tests=True, max_rows=10**9).items
    texts = zip(items["premise"].to_pylist(), items["hypothesis"].to_pylist(), strict=True)
    return [Pair(*pair) for pair in dict.fromkeys(texts)]


def _question_figures(name: str, folder: Path, questions: Sequence[Question]) -> None:
    import transformers

    scorer = SpanScorer.load(locate(str(folder)))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    plain = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    batches = _batches(scorer.precisions.quick, [e.encoding for e in scorer.encoded(questions)])
    rates = _rates(
        {
            "ours": lambda: scorer.scores(scorer.encoded(questions)),
            "unsorted": lambda: _unsorted(tokenizer, plain, questions),
            "published": lambda: _published(tokenizer, plain, questions),
            "bare": lambda: _bare(plain, batches),
        },
        len(questions),
    )
    for way, rate in rates.items():
        figure(f"{name}, {len(questions):,} questions, {way}, per CPU second", rate, "measured only", True)
    _times(f"{name}, questions", rates, "unsorted", "unsorted padded batches of 64", 1.2)
    _times(f"{name}, questions", rates, "published", "the published loop", None)
    _times(f"{name}, questions", rates, "bare", "a bare forward pass over the same batches", 0.85)


def _pair_figures(name: str, folder: Path, pairs: Sequence[Pair]) -> None:
    import transformers

    classifier = NliClassifier.load(locate(str(folder)))
    pipeline = transformers.pipeline("text-classification", str(folder), device="cpu", top_k=None)
    asked = [{"text": p.premise, "text_pair": p.hypothesis} for p in pairs]
    batches = _batches(classifier.precisions.quick, [e.encoding for e in classifier.encoded(pairs)])
    rates = _rates(
        {
            "ours": lambda: classifier.scores(classifier.encoded(pairs)),
            "pipeline": lambda: pipeline(asked, batch_size=64),
            "bare": lambda: _bare(pipeline.model, batches),
        },
        len(pairs),
    )
    for way, rate in rates.items():
        figure(f"{name}, {len(pairs):,} pairs, {way}, per CPU second", rate, "measured only", True)
    _times(f"{name}, pairs", rates, "pipeline", 'pipeline("text-classification", batch_size=64)', 1.5)
    _times(f"{name}, pairs", rates, "bare", "a bare forward pass over the same batches", 0.85)


def _times(name: str, rates: dict[str, float], than: str, whom: str, goal: float | None) -> None:
    times = rates["ours"] / rates[than]
    said = "measured only" if goal is None else f"at least {goal}"
    figure(f"{name}, times the rate of {whom}", times, said, goal is None or times >= goal)


def _rates(ways: dict[str, Callable[[], object]], texts: int) -> dict[str, float]:
    """Return the texts per CPU second of each way: the best of several rounds, in turn."""
    seconds = {name: float("inf") for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began = time.process_time()
            way()
            seconds[name] = min(seconds[name], time.process_time() - began)
    return {name: texts / best for name, best in seconds.items()}


def _batches(loaded: Any, encodings: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the batches of nextset's scorers, as tensors."""
    lengths = [len(e.ids) for e in encodings]
    return [padded(loaded, [encodings[i] for i in rows]) for rows in planned(lengths, CPU_TOKENS)]


def _bare(model: Any, batches: Sequence[dict[str, Any]]) -> None:
    """Run only the model."""
    import torch

    with torch.inference_mode():
        for batch in batches:
            model(**batch)


def _unsorted(tokenizer: Any, model: Any, questions: Sequence[Question]) -> list[list[float]]:
    """Return scores from batches of 64 in the given order, tokenized one batch at a time."""
    import torch

    found = []
    for start in range(0, len(questions), 64):
        some = questions[start : start + 64]
        batch = tokenizer(
            [q.question for q in some], [q.context for q in some], padding=True, return_tensors="pt"
        )
        at = functools.partial(batch.char_to_token, sequence_index=1)
        places = torch.tensor([[(at(i, a), at(i, b - 1)) for a, b in q.spans] for i, q in enumerate(some)])
        with torch.inference_mode():
            out = model(**batch)
            start_p, end_p = out.start_logits.softmax(-1), out.end_logits.softmax(-1)
            first, last = start_p.gather(1, places[:, :, 0]), end_p.gather(1, places[:, :, 1])
            found += (first * last).sqrt().tolist()
    return found


def _published(tokenizer: Any, model: Any, questions: Sequence[Question]) -> list[list[float]]:
    """Return scores as UnQover's predict.py does: inputs padded to 350, batches of 100, rows one by one."""
    import torch

    ids = torch.zeros(len(questions), 350, dtype=torch.long)
    mask = torch.zeros(len(questions), 350)
    lengths, places = [], []
    for row, q in enumerate(questions):
        tokens = [tokenizer.cls_token, *tokenizer.tokenize(q.question), tokenizer.sep_token]
        spans = {}
        at = 0
        for a, b in sorted(q.spans):
            tokens += tokenizer.tokenize(q.context[at:a].rstrip())
            subject = tokenizer.tokenize(q.context[max(0, a - 1) : b])
            spans[a, b] = (len(tokens), len(tokens) + len(subject) - 1)
            tokens += subject
            at = b
        tokens += [*tokenizer.tokenize(q.context[at:]), tokenizer.sep_token]
        ids[row, : len(tokens)] = torch.tensor(tokenizer.convert_tokens_to_ids(tokens))
        mask[row, : len(tokens)] = 1
        lengths.append(len(tokens))
        places.append([spans[span] for span in q.spans])
    found = []
    for start in range(0, len(questions), 100):
        rows = slice(start, start + 100)
        width = max(lengths[rows])
        with torch.no_grad():
            out = model(input_ids=ids[rows, :width], attention_mask=mask[rows, :width])
            start_p, end_p = out.start_logits.softmax(-1), out.end_logits.softmax(-1)
        # the best span of at most six tokens, as in the published loop
        (start_p[:, :, None] * end_p[:, None, :]).triu().tril(5).flatten(1).argmax(-1)
        for k, spans_of in enumerate(places[rows]):
            found.append([(start_p[k][a].item() * end_p[k][b].item()) ** 0.5 for a, b in spans_of])
    return found
