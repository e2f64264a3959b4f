"""The part of the stage fill for models that write: they propose words, or whole hypotheses."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import Progress
from nextset.errors import MissingStage, ModelError
from nextset.generation.mask_words import MaskWord
from nextset.generation.stage import generate_recipe, load_sources
from nextset.generation.template_expansion import template_rows
from nextset.generation.templates.template import Template
from nextset.generation.writers.hypothesis_items import hypothesis_items, hypothesis_templates
from nextset.generation.writers.proposed_hypotheses import (
    ProposalStance,
    ProposedHypothesis,
    proposed_hypotheses,
    request_for_hypotheses,
)
from nextset.generation.writers.proposed_words import kind_for, mask_words, request_for_words
from nextset.generation.writers.writer_prompts import (
    PromptKind,
    WriterPrompt,
    WriterPrompts,
    read_writer_prompts,
    writer_prompts_file,
)
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Writer
from nextset.scoring.generative.text_writer import text_writer
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.model_server.completion import CUT_OFF, Completion
from nextset.scoring.model_server.model_requests import writing_options
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.writer_protocol import TextWriter, WritingRequest
from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_folder import Study

__all__ = [
    "FillModel",
    "StudyWriter",
    "fill_hypotheses",
    "hypotheses_recipe",
    "tokens_per_proposal",
    "written_words",
    "written_words_recipe",
]

CHUNK = 16
"""Requests per shard. If a run is killed, at most this many are repeated to a model on this machine, and none
to a server."""
WORD_TOKENS = 16
"""The most tokens per proposed word, with its line end, that a model on this machine writes."""
HYPOTHESIS_TOKENS = 100
"""The most tokens per hypothesis with its question."""
SHOWN = 3
"""The most answers, and the most reasons, that an error shows."""
FIRST_ANSWERS = 4
FIRST_PROPOSALS = 40
"""The stage stops if nothing is usable in so many answers with so many proposals, or in the first shard."""


@dataclass(frozen=True)
class FillModel:
    """The model that filled the masks."""

    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""


@dataclass(frozen=True)
class StudyWriter:
    """A study's writer: the model, its prompts and its settings."""

    study: Study
    source: ModelSource
    """The model."""
    prompts: WriterPrompts
    """The prompts that the study names."""

    @classmethod
    def of(cls, study: Study, source: ModelSource) -> StudyWriter:
        """Return the writer ``source`` of ``study``.

        Raises StudyError if the prompts are wrong, and ModelError if the study asks for fluency or marks that
        a writer's fills cannot have.
        """
        settings = study.settings.fill
        fluency = settings.fluency_settings
        if fluency is not None and settings.writer.propose == "hypotheses":
            raise ModelError(
                "fill.writer proposes whole hypotheses, but fluency is scored only for filled masks",
                remedy="remove fill.fluency and fill.keep, or set fill.writer.propose to words",
            )
        if fluency is not None and fluency.model is None:
            raise ModelError(
                f"{source.name} writes and is not a masked language model, so it cannot score fluency",
                remedy="name a masked or causal language model as fill.fluency.model",
            )
        if settings.marks or settings.meaning:
            raise ModelError(
                f"{source.name} writes and gives no probabilities of fills, so fills cannot be marked",
                remedy="remove fill.marks and fill.meaning, or choose a masked language model as fill.model",
            )
        file = writer_prompts_file(settings.writer.prompt, study.path, study.file)
        return cls(study, source, read_writer_prompts(file))

    def prompt(self, kind: PromptKind) -> WriterPrompt:
        """Return the prompt of ``kind``; raises StudyError if the study's file has none."""
        settings = self.study.settings.fill.writer
        return self.prompts.get(kind, settings.seed, settings.temperature)

    def name(self, kind: PromptKind) -> Writer:
        """Return the writer that bindings name for a proposal to a prompt of ``kind``."""
        label = self.study.model_label(self.source.name)
        return Writer(label, self.prompt(kind).prompt, self.study.settings.fill.writer.seed)

    def with_names(self, masked: pa.Table) -> pa.Table:
        """Return ``masked`` with the writer of the fills in the bindings."""
        hypotheses, bindings = masked["hypothesis"].to_pylist(), masked["bindings"].to_pylist()
        at = masked.schema.get_field_index("bindings")
        named = [
            {**row, "writer": asdict(self.name(kind_for(hypothesis)))}
            for hypothesis, row in zip(hypotheses, bindings, strict=True)
        ]
        field = masked.schema.field(at)
        return masked.set_column(at, field, pa.array(named, field.type))

    def requests(self, texts: Sequence[str], tokens: int) -> list[WritingRequest]:
        """Return requests with these prompts, for ``tokens`` tokens per proposal."""
        settings = self.study.settings.fill.writer
        most = tokens * settings.proposals
        return [WritingRequest(text, most, settings.temperature, settings.seed) for text in texts]

    def recipe(self, texts: Sequence[str]) -> Recipe:
        """Return the recipe of proposals to these requests."""
        settings, scoring = self.study.settings.fill.writer, self.study.settings.scoring
        limit: dict[str, Any] = {"precision": scoring.precision}
        if self.source.folder is None:
            own = self.study.model_settings(self.source.name)
            limit = writing_options(own.server.over(scoring.server), own)
        return Recipe(
            "mask_words",
            7,
            {"requests": content_id("requests", *texts)},
            {**settings.model_dump(mode="json", exclude={"prompt"}), **limit},
            {self.study.model_label(self.source.name): self.source.identity},
        )

    def load(self) -> TextWriter:
        """Load the model; raises ModelError."""
        settings = self.study.settings
        own = settings.models.get(self.source.name, ModelSettings())
        return text_writer(self.source, settings.scoring, own)

    def build(
        self,
        texts: Sequence[str],
        kinds: Sequence[PromptKind],
        tokens: int,
        table: str,
        record: type,
        read: Callable[[int, Completion, Counter[str]], Sequence[object]],
        progress: Progress,
        dropped: Callable[[pa.Table], Mapping[str, int] | None] = lambda proposals: None,
    ) -> Artifact:
        """Send the requests ``texts``, and write the result of ``read`` for each answer into out/mask_words.

        ``kinds`` are the kinds of prompt that were used. ``dropped`` returns why none of some proposals is
        kept, in numbers by reason, or None if one is kept. Raises ModelError if nothing in the first answers
        is kept, so that a model that does not follow its instructions is stopped early.
        """
        writer = functools.cache(self.load)
        number = self.study.settings.fill.writer.proposals
        first_answers = min(CHUNK, max(FIRST_ANSWERS, math.ceil(FIRST_PROPOSALS / number)))

        def proposals(first: int) -> PartResult:
            chunk = texts[first : first + CHUNK]
            answers: list[Completion] = []
            counts: Counter[str] = Counter()
            rows: list[object] = []
            for some in (chunk[:first_answers], chunk[first_answers:]) if first == 0 else (chunk,):
                written = writer().write(self.requests(some, tokens)) if some else []
                for at, answer in enumerate(written, first + len(answers)):
                    records = read(at, answer, counts)
                    rows += records
                    counts["answers"] += 1
                    if reason := _shortfall(answer, records):
                        counts[reason] += 1
                answers += written
                if written and len(answers) == len(written) and first == 0:
                    reasons = dropped(table_of(rows, record)) if rows else {}
                    if reasons is not None:
                        raise self._nothing_usable(answers, {**counts, **reasons})
            return PartResult(table_of(rows, record), counts)

        prompts = [self.prompt(kind) for kind in kinds]
        label = self.study.model_label(self.source.name)
        return build(
            self.study.out / "mask_words",
            self.recipe(texts),
            lambda: [
                *(
                    Part(table, functools.partial(proposals, first))
                    for first in range(0, max(len(texts), 1), CHUNK)
                ),
                Part(
                    "models", lambda: PartResult(table_of([FillModel(label, self.source.digest)], FillModel))
                ),
                Part("prompts", lambda: PartResult(table_of(prompts, WriterPrompt))),
            ],
            progress=progress("fill"),
        )

    def _nothing_usable(self, answers: Sequence[Completion], counts: Mapping[str, int]) -> ModelError:
        """Return the error with the beginnings of ``answers``, and the reasons among ``counts``."""
        reasons = sorted((-n, why) for why, n in counts.items() if n and why != "answers")
        why_not = "; ".join(f"{why.removesuffix(', dropped')}: {-n:,}" for n, why in reasons[:SHOWN])
        shown = "\n".join(f"  {answer.text!r:.200}" for answer in answers[:SHOWN])
        remedy = "choose a model that follows instructions, or reword the prompt (fill.writer.prompt)"
        if self.source.folder is None and all(answer.ending == CUT_OFF for answer in answers):
            remedy = "raise scoring.server.answer_tokens: a model's thoughts before its answer count too"
        return ModelError(
            f"{self.source.name} proposed nothing that can be used ({why_not}). Its answers so far "
            f"({len(answers)}) begin with:\n{shown}",
            remedy=remedy,
        )


def tokens_per_proposal(propose: Literal["words", "hypotheses"]) -> int:
    """Return the most tokens that a model on this machine writes per proposal, for a sentence of one mask."""
    return WORD_TOKENS if propose == "words" else HYPOTHESIS_TOKENS


def written_words_recipe(writer: StudyWriter, prompts: Sequence[Prompt]) -> Recipe:
    """Return the recipe of the words that ``writer`` proposes for ``prompts``."""
    return writer.recipe(_word_requests(writer, prompts))


def written_words(
    writer: StudyWriter,
    prompts: Sequence[Prompt],
    progress: Progress,
    dropped: Callable[[pa.Table], Mapping[str, int] | None],
) -> Artifact:
    """Ask ``writer`` for words for each prompt: MaskWords in out/mask_words, in the order of its answers.

    ``dropped`` is as in `StudyWriter.build`.
    """
    number = writer.study.settings.fill.writer.proposals
    kinds: dict[PromptKind, None] = dict.fromkeys(kind_for(p.sentences[0].sentence) for p in prompts)
    masks = max((p.sentences[0].sentence.count(MASK) for p in prompts), default=1)
    return writer.build(
        _word_requests(writer, prompts),
        list(kinds),
        WORD_TOKENS * masks,
        "words",
        MaskWord,
        lambda at, answer, counts: mask_words(prompts[at], answer, number, counts),
        progress,
        dropped,
    )


def fill_hypotheses(writer: StudyWriter, progress: Progress) -> Artifact:
    """Ask ``writer`` for hypotheses for each stereotype and stance, and expand them into items.

    ProposedHypotheses go to out/mask_words; items, and the templates that render them, to out/fill. Raises
    MissingStage if the templates have changed since `generate`.
    """
    study = writer.study
    templates = _templates(study)
    pairs = _hypothesis_requests(writer, templates)
    number = study.settings.fill.writer.proposals
    proposed = writer.build(
        [text for _, _, text in pairs],
        _stances(study),
        HYPOTHESIS_TOKENS,
        "hypotheses",
        ProposedHypothesis,
        lambda at, answer, counts: proposed_hypotheses(pairs[at][0], pairs[at][1], answer, number, counts),
        progress,
    )

    @functools.cache
    def rows() -> list[dict[str, Any]]:
        hypotheses: list[dict[str, Any]] = proposed.table("hypotheses").to_pylist()
        return hypotheses

    def items() -> PartResult:
        tables = [
            hypothesis_items(
                hypothesis_templates(templates, rows(), stance, proposed.folder),
                stance,
                writer.name(stance),
                both=study.settings.fill.groups == "joint",
                max_rows=study.settings.generate.max_rows,
            )
            for stance in _stances(study)
        ]
        return PartResult(pa.concat_tables(tables), proposed.counts)

    def rendered() -> PartResult:
        stances = _stances(study)
        new_templates = [
            t for s in stances for t in hypothesis_templates(templates, rows(), s, proposed.folder)
        ]
        return PartResult(template_rows(new_templates))

    return build(
        study.out / "fill",
        _hypothesis_items_recipe(study, proposed.digest),
        lambda: [Part("items", items), Part("templates", rendered)],
        progress=progress("fill"),
    )


def hypotheses_recipe(writer: StudyWriter) -> Recipe:
    """Return the recipe that `fill_hypotheses` would use now; raises MissingStage in the same cases."""
    study = writer.study
    asked = _hypothesis_requests(writer, _templates(study))
    digest = current_digest(study.out / "mask_words", writer.recipe([text for _, _, text in asked]))
    return _hypothesis_items_recipe(study, digest)


def _hypothesis_items_recipe(study: Study, proposed: str) -> Recipe:
    settings = study.settings.fill
    inputs = {"generate": open_artifact(study.out / "generate").digest, "mask_words": proposed}
    return Recipe("fill", 4, inputs, {"groups": settings.groups, "propose": settings.writer.propose})


def _templates(study: Study) -> list[Template]:
    """Return the study's templates, as `generate` read them."""
    if not is_current(study.out / "generate", generate_recipe(study)):
        raise MissingStage(
            "the templates have changed since they were expanded, or have not been expanded yet",
            remedy=f"run `nextset generate {study.folder}` (or `nextset run {study.folder}`) first",
        )
    loaded, _ = load_sources(study)
    return list(loaded.templates)


def _stances(study: Study) -> tuple[ProposalStance, ...]:
    """Return the stances that hypotheses are asked for; with ``groups: joint``, one proposal gives both."""
    return ("pro",) if study.settings.fill.groups == "joint" else ("pro", "anti")


def _hypothesis_requests(
    writer: StudyWriter, templates: Sequence[Template]
) -> list[tuple[Template, ProposalStance, str]]:
    number = writer.study.settings.fill.writer.proposals
    return [
        (template, stance, request_for_hypotheses(template, writer.prompt(stance), number))
        for template in templates
        for stance in _stances(writer.study)
    ]


def _word_requests(writer: StudyWriter, prompts: Sequence[Prompt]) -> list[str]:
    number = writer.study.settings.fill.writer.proposals
    wordings = {kind: writer.prompt(kind) for kind in {kind_for(p.sentences[0].sentence) for p in prompts}}
    return [request_for_words(p, wordings[kind_for(p.sentences[0].sentence)], number) for p in prompts]


def _shortfall(answer: Completion, found: Sequence[object]) -> str:
    """Return why an answer has fewer proposals than requested; empty if it is whole and has a proposal."""
    if answer.ending == CUT_OFF:
        return "answers that were cut off"
    if answer.ending:
        return "answers that the model refused or a server ended"
    return "" if found else "answers without a proposal"
