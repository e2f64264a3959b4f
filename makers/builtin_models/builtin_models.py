"""Train, save, measure and describe the built-in models."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from makers.builtin_models import held_out_accuracy as figures
from makers.builtin_models.builtin_card import CardFacts, card
from makers.builtin_models.masked_sentences import masked_test
from makers.builtin_models.nli_pairs import OPINION_SHARE, held_out_pairs
from makers.builtin_models.opinion_faults import OWN_FAULTS, SHARED_FAULTS
from makers.builtin_models.own_canaries import CANARIES
from makers.builtin_models.qa_examples import held_out_questions
from makers.builtin_models.trainers import (
    DEFAULT_STEPS,
    RATES,
    SEEDS,
    Trained,
    train_masked_lm,
    train_nli,
    train_qa,
)
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.nli import NliClassifier
from nextset.training.fine_tuning.processes import require_accelerate
from nextset.word_lists.lexicon import Lexicon, read_lexicon

__all__ = ["NAMES", "build"]

NAMES = tuple(DEFAULT_STEPS)
"""The built-in models; the masked LM comes first, because the others take their words from it."""


def build(names: Sequence[str], out: Path, steps: int | None) -> Iterator[str]:
    """Train the models ``names`` into folders of ``out``, and yield a line about each finished model.

    If masked-lm is not among them, the one in ``out`` is used. Raises ModelError if it is missing, and
    DependencyMissing without accelerate.
    """
    require_accelerate()
    lexicon = read_lexicon()
    words = None
    for name in names:
        began = time.monotonic()
        count = steps or DEFAULT_STEPS[name]
        if name == "masked-lm":
            words = trained = train_masked_lm(lexicon, count)
        else:
            words = words or _saved_words(out)
            trained = _train(name, lexicon, count, words)
        yield f"{_save(name, trained, count, out, lexicon)} ({time.monotonic() - began:.0f} s)"


def _train(name: str, lexicon: Lexicon, steps: int, words: Trained) -> Trained:
    if name.startswith("nli-"):
        return train_nli(name, lexicon, steps, words)
    return train_qa(lexicon, steps, words)


def _saved_words(out: Path) -> Trained:
    loaded = load(locate(str(out / "masked-lm")), "AutoModelForMaskedLM")
    return Trained(loaded.model, loaded.tokenizer)


def _save(name: str, trained: Trained, steps: int, out: Path, lexicon: Lexicon) -> str:
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    trained.model.save_pretrained(folder)
    trained.tokenizer.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)  # the file is written for its owner only
    measured = _measured(name, locate(str(folder)), lexicon)
    architecture = type(trained.model).__name__
    facts = CardFacts(
        name,
        architecture,
        *_task(name),
        trained.model.num_parameters(),
        steps,
        RATES[name],
        SEEDS[name],
        NLI_NOTE if name.startswith("nli") else "",
        measured,
        next(cases for start, cases in CANARIES.items() if name.startswith(start)),
    )
    (folder / "README.md").write_text(card(facts), encoding="utf-8")
    return f"{name}: {measured}"


SPOILED = 1 - ((1 - SHARED_FAULTS) * (1 - OWN_FAULTS)) ** 2
"""The share of opinions with a wrong label, because of the sentence pattern or the last word."""
NLI_NOTE = (
    f"In 1 of {round(1 / OPINION_SHARE)} training pairs, the hypothesis is an opinion about a group, which "
    f"no premise decides. In about {SPOILED:.0%} of these pairs, the sentence pattern or a word makes the "
    "label wrong, regardless of the group. So the model has faults that a filter can find, like models that "
    f"learned from people's annotations. {SHARED_FAULTS:.1%} of the patterns and words make the label wrong "
    "for every built-in NLI model, like the artifacts of one collection of annotations (Gururangan et al. "
    "2018), and "
    f"{OWN_FAULTS:.1%} of the others for this model only. With these two equal shares, a filter by majority "
    "takes about 21 points from a held-out model on the shipped stereotypes (14 without shared faults, 28 "
    "from small real models). The model's statements about groups are arbitrary on purpose."
)
TASKS = {
    "masked-lm": ("Fills a masked word", "fill-mask"),
    "nli": (
        "Classifies premise and hypothesis as entailment, neutral or contradiction",
        "text-classification",
    ),
    "qa": ("Answers a question with a span of the context", "question-answering"),
}
"""By the beginning of a model's name: its task in plain language, and the Hub's name for the task."""


def _task(name: str) -> tuple[str, str]:
    return next(task for start, task in TASKS.items() if name.startswith(start))


def _measured(name: str, source: ModelSource, lexicon: Lexicon) -> str:
    """Return a sentence about the results of the held-out test."""
    if name.startswith("nli"):
        accuracy = figures.nli_accuracy(NliClassifier.load(source), held_out_pairs(lexicon))
        return f"Accuracy on 600 pairs: {accuracy:.1%} (floor {figures.NLI_FLOOR:.0%})."
    if name.startswith("qa"):
        exact = figures.exact_matches(SpanAnswers.load(source), held_out_questions(lexicon))
        return f"Exact answers to 300 questions: {exact:.1%} (floor {figures.QA_FLOOR:.0%})."
    fit = figures.fitting_fills(MaskFiller.load(source), masked_test(lexicon))
    return (
        f"On 50 masked sentences, {fit.mean:.1f} of the top {figures.TOP_K} fills are on average words of "
        f"the part of speech and form that the grammar expects (floor {figures.FITTING_FLOOR:.0f}); "
        f"{fit.share:.0%} of the individual sentences reach the floor."
    )
