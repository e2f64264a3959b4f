"""The search for a trigger: in each step the gradient proposes tokens, and the best one is taken.

The method is that of Shin et al. (2020). A step draws rows and a position of the trigger. The gradient g of
the loss by the embedding at this position gives a first-order estimate of the change by a token w:
(e_w − e) · g. The `candidates` tokens with the lowest e_w · g are tried on the same rows. The best one
replaces the token at the position if it lowers the loss and if the tokenizer reads the text of the whole
trigger as the same tokens. The draws of a step depend only on the seed, the restart and the step's number.

Each step is on disk before the next one begins, so a search can resume.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nextset.errors import ArtifactError, InputError, ModelError
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.triggers.search_classes import SearchRows
from nextset.extensions.interventions.triggers.searched_model import BatchRows, SearchedModel
from nextset.extensions.interventions.triggers.trigger_batch import Fillers, TriggerBatch, loss_without
from nextset.extensions.interventions.triggers.trigger_place import TriggerPlace
from nextset.extensions.interventions.triggers.trigger_records import SearchStep
from nextset.extensions.interventions.triggers.trigger_vocabulary import Trigger, TriggerVocabulary
from nextset.files.json_lines import append_lines, read_lines
from nextset.files.json_records import DamagedJson, dataclass_of
from nextset.records.content_ids import content_id

if TYPE_CHECKING:
    import torch

__all__ = ["BestTrigger", "GradientSearch", "SearchJournal", "promising"]

_DIGEST = "digest"


@dataclass(frozen=True)
class SearchJournal:
    """The steps of one search, in its own file.

    The file's name identifies the search, and it is part of the digest of each line, so steps of a different
    search are never read.
    """

    file: Path
    """The file; it need not exist."""

    def steps(self, restart: int) -> list[SearchStep]:
        """Return the recorded steps of a ``restart``, up to the first one that is missing or damaged.

        Raises ArtifactError if the path is something other than a regular file.
        """
        recorded: list[SearchStep] = []
        try:
            for line in read_lines(self.file, InputError):
                step = None if line.fields is None else self._step(line.fields)
                if step is not None and (step.restart, step.step) == (restart, len(recorded) + 1):
                    recorded.append(step)
        except InputError as e:
            raise ArtifactError(str(e), remedy=f"remove {self.file}, and run this again") from None
        return recorded

    def record(self, step: SearchStep) -> None:
        """Append ``step``; it is on disk when this returns."""
        fields = asdict(step)
        append_lines(self.file, [{**fields, _DIGEST: self._digest(fields)}])

    def _step(self, fields: dict[str, object]) -> SearchStep | None:
        """Return the step of a line; None if the line was changed."""
        rest = {name: value for name, value in fields.items() if name != _DIGEST}
        try:
            step = dataclass_of(rest, SearchStep)
        except DamagedJson:
            return None
        return step if fields.get(_DIGEST) == self._digest(asdict(step)) else None

    def _digest(self, fields: dict[str, object]) -> str:
        return content_id("search step", self.file.stem, json.dumps(fields, sort_keys=True))


MARGIN = 1e-6
"""A loss must be lower by at least this share of itself to count as lower: batches differ in rounding."""

SAMPLE = 4
"""The triggers of a search are compared on this many times the rows of a step."""

ATTEMPTS = 100
"""The most random triggers that are drawn to find one that is read as its tokens."""


@dataclass(frozen=True)
class BestTrigger:
    """The best trigger of a search."""

    text: str
    """The trigger as text."""
    loss_before: float
    """The loss of the sample without a trigger."""
    loss_after: float
    """The loss of the sample with the trigger."""
    steps: int
    """The number of steps until it was found; 0: the first tokens."""
    restart: int
    """The restart that found it."""


@dataclass(frozen=True)
class GradientSearch:
    """The search for one trigger."""

    model: SearchedModel
    place: TriggerPlace
    """The place of the trigger."""
    rows: SearchRows
    """The rows that the search may see."""
    vocabulary: TriggerVocabulary
    """The tokens that may be used."""
    settings: TriggerSettings
    """The study's settings."""
    name: str
    """Form, language and class; random choices are drawn by them and the seed."""
    journal: SearchJournal

    def run(self, tick: Callable[[], None] = lambda: None) -> BestTrigger:
        """Return the best trigger of all restarts; steps that are in the journal are not repeated.

        ``tick`` is called after each step. Raises ModelError if the model cannot be searched.
        """
        return min(
            (self._restarted(restart, tick) for restart in range(self.settings.restarts)),
            key=lambda best: best.loss_after,
        )

    @cached_property
    def fillers(self) -> Fillers:
        """Two triggers that differ in every position and are read as their tokens; raises ModelError."""
        random = self._random("fillers")
        for _ in range(ATTEMPTS):
            pair = [random.sample(np.flatnonzero(mask).tolist(), 2) for mask in self.vocabulary.allowed]
            fillers = (tuple(a for a, _ in pair), tuple(b for _, b in pair))
            if self._read(self.rows.sample(random, 1), fillers) is not None:
                return fillers
        raise self._unreadable()

    @cached_property
    def sample(self) -> TriggerBatch:
        """The rows for comparing triggers."""
        return self._batch(self._random("sample"), SAMPLE * self.settings.batch)

    @cached_property
    def loss_before(self) -> float:
        """The loss of the sample without a trigger."""
        return loss_without(self.model, self.sample.rows)

    def _restarted(self, restart: int, tick: Callable[[], None]) -> BestTrigger:
        trigger = self._first(restart)
        best = self._best(trigger, self.sample.losses([trigger])[0], 0, restart)
        recorded = self.journal.steps(restart)
        for number in range(1, self.settings.steps + 1):
            if number <= len(recorded):
                step = recorded[number - 1]
            else:
                step = self.step(trigger, restart, number)
                self.journal.record(step)
            if step.accepted:
                trigger = _replaced(trigger, step.position, step.token_id)
            if step.loss_sample is not None and step.loss_sample < best.loss_after:
                best = self._best(trigger, step.loss_sample, number, restart)
            tick()
        return best

    def _best(self, trigger: Trigger, loss: float, steps: int, restart: int) -> BestTrigger:
        return BestTrigger(self.vocabulary.text(trigger), self.loss_before, loss, steps, restart)

    def _first(self, restart: int) -> Trigger:
        """Return the tokens that a restart begins with: random ones that are read as themselves."""
        random = self._random(f"{restart}/first")
        for _ in range(ATTEMPTS):
            trigger = tuple(random.choice(np.flatnonzero(mask).tolist()) for mask in self.vocabulary.allowed)
            if self.sample.reads(trigger):
                return trigger
        raise self._unreadable()

    def step(self, trigger: Trigger, restart: int, number: int) -> SearchStep:
        """Return the step with this ``number``, which begins with ``trigger``; raises ModelError."""
        random = self._random(f"{restart}/{number}")
        position = random.randrange(len(trigger))
        batch = self._batch(random, self.settings.batch)
        slope = batch.gradient(trigger)
        tokens = self._promising(trigger, position, slope.gradient)
        losses = batch.losses([_replaced(trigger, position, token) for token in tokens])
        order = sorted(range(len(tokens)), key=lambda i: losses[i])
        lower = [i for i in order if losses[i] < slope.loss * (1 - MARGIN)]
        taken = next((i for i in lower if self._reads(batch, _replaced(trigger, position, tokens[i]))), None)
        shown = order[0] if taken is None else taken
        after = (
            None if taken is None else self.sample.losses([_replaced(trigger, position, tokens[taken])])[0]
        )
        return SearchStep(
            restart=restart,
            step=number,
            position=position,
            token=self.vocabulary.texts[tokens[shown]],
            token_id=tokens[shown],
            loss=losses[shown],
            loss_current=slope.loss,
            accepted=taken is not None,
            loss_sample=after,
        )

    def _promising(self, trigger: Trigger, position: int, gradient: torch.Tensor) -> list[int]:
        allowed = self.vocabulary.allowed[position].copy()
        allowed[trigger[position]] = False
        table = self.model.loaded.model.get_input_embeddings().weight
        return promising(table, gradient[position], np.flatnonzero(allowed), self.settings.candidates)

    def _reads(self, batch: TriggerBatch, trigger: Trigger) -> bool:
        return batch.reads(trigger) and self.sample.reads(trigger)

    def _batch(self, random: Random, n: int) -> TriggerBatch:
        batch = self._read(self.rows.sample(random, n), self.fillers)
        if batch is None:
            raise self._unreadable()
        return batch

    def _read(self, rows: BatchRows, fillers: Fillers) -> TriggerBatch | None:
        return TriggerBatch.of(self.model, self.place, self.vocabulary, rows, fillers)

    def _random(self, what: str) -> Random:
        return Random(f"triggers/{self.settings.seed}/{self.name}/{what}")

    def _unreadable(self) -> ModelError:
        return ModelError(
            f"{self.model.loaded.name} does not read a trigger as the same tokens in all texts, since its "
            "tokens cross word borders",
            remedy="choose a different place or model",
        )


def promising(
    table: torch.Tensor, gradient: torch.Tensor, allowed: npt.NDArray[np.intp], most: int
) -> list[int]:
    """Return up to ``most`` of the ``allowed`` tokens, sorted by −e · gradient from the highest on.

    ``table`` has the embeddings e, shape (vocabulary, size); ``gradient`` has the shape (size,). Ties are in
    the order of the vocabulary.
    """
    import torch

    tokens = torch.from_numpy(allowed).to(table.device)
    estimates = -(table[tokens].to(gradient.dtype) @ gradient)
    order = torch.sort(estimates, descending=True, stable=True).indices[:most]
    token_ids: list[int] = tokens[order].tolist()
    return token_ids


def _replaced(trigger: Trigger, position: int, token: int) -> Trigger:
    return (*trigger[:position], token, *trigger[position + 1 :])
