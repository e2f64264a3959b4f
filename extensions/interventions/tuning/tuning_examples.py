"""The training examples of a reader: some questions and specified twins of each class, with sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.extensions.interventions.intervened_rows import applies, with_intervention
from nextset.extensions.interventions.intervention import Intervention, Kind

__all__ = ["ClassExamples", "Told", "TuningExamples", "TuningStep"]


@dataclass(frozen=True)
class ClassExamples:
    """The examples of one class in one language."""

    quads: pa.Table
    """QuestionQuads that training may see."""
    before: npt.NDArray[np.float64]
    """The first subject's share for each of the four ways to ask, before training, shape (quads, 4)."""
    twins: pa.Table
    """The specified twins that training may see; may be empty."""
    sentences: Mapping[Kind, tuple[Intervention, ...]]
    """The sentences that training may see, by kind; each is added to some of the quads."""


@dataclass(frozen=True)
class Told:
    """Questions with a sentence."""

    kind: Kind
    """The kind of the sentence."""
    rows: pa.Table
    """QuestionQuads with the sentence."""
    before: npt.NDArray[np.float64]
    """The first subject's share without the sentence, before training, shape (rows, 4)."""


@dataclass(frozen=True)
class TuningStep:
    """The questions and twins that one step reads."""

    told: tuple[Told, ...]
    """Questions with a sentence of each kind."""
    twins: pa.Table
    """Specified twins, with one of these sentences or none; may be empty."""


@dataclass(frozen=True)
class TuningExamples:
    """The examples of all classes."""

    classes: Sequence[ClassExamples]
    """The examples of each class."""
    batch: int
    """The most questions, and the most twins, of a step."""

    def step(self, random: Random, kinds: Sequence[Kind], *, twins: bool) -> TuningStep:
        """Return a step's examples of one class: a sentence of each of ``kinds`` with questions, and twins.

        The same draws give the same step.
        """
        examples = random.choice(self.classes)
        told, sentences = [], []
        for kind in kinds:
            if kind not in examples.sentences:
                continue
            sentence = random.choice(examples.sentences[kind])
            places = np.flatnonzero(np.asarray(applies(sentence, examples.quads, "question"))).tolist()
            drawn = sorted(random.sample(places, min(self.batch, len(places))))
            rows = with_intervention(sentence, examples.quads.take(pa.array(drawn)), "question")
            told.append(Told(kind, rows, examples.before[drawn]))
            sentences.append(sentence)
        n = examples.twins.num_rows if twins else 0
        places = sorted(random.sample(range(n), min(self.batch, n)))
        chosen = examples.twins.take(pa.array(places, pa.int64()))
        heard = random.choice([None, *sentences])
        if heard is not None and n:
            fits = applies(heard, chosen, "question")
            without = np.flatnonzero(~np.asarray(fits)).tolist()
            added = with_intervention(heard, chosen.filter(fits), "question")
            chosen = pa.concat_tables([added, chosen.take(pa.array(without, pa.int64()))])
        return TuningStep(tuple(told), chosen)
