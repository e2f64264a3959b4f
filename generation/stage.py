"""The stages generate and fill: from the study's template files to items."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.expand import expand, expanded_kinds, refuse_too_many, template_rows
from generation.fill import SPARE, MaskWord, masked_sentences
from generation.fill import fill as fill_masks
from generation.load import Loaded, load_templates
from generation.questions.cells import ROWS
from generation.questions.load import LoadedQuestions, load_questions
from generation.questions.parts import question_parts
from generation.questions.parts import refuse_too_many as refuse_too_many_questions
from nextset.artifact import Artifact, Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.items import content_id, table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from scoring.sources import locate

if TYPE_CHECKING:
    from scoring.masked_lm import MaskFiller

__all__ = ["FillModel", "fill", "fill_recipe", "generate", "generate_recipe"]

CHUNK = 64
"""Masked sentences a shard: what a killed run does again at most."""


@dataclass(frozen=True)
class FillModel:
    """The model that filled the masks."""

    model: str
    """The model as the study names it."""
    revision: str
    """Digest of the model's weights."""


def generate_recipe(study: Study) -> Recipe:
    """What `generate` would make now; raises InputErrors."""
    return _generate_recipe(study, load_templates(study), load_questions(study))


def _generate_recipe(study: Study, loaded: Loaded, asked: LoadedQuestions) -> Recipe:
    settings = {"tests": study.settings.generate.tests, "order": [*loaded.files, *asked.files]}
    questions = study.settings.questions
    if questions is not None:
        settings["questions"] = {**questions.model_dump(mode="json", exclude={"packs"}), "rows": ROWS}
        settings["language"] = study.settings.language
    return Recipe("generate", 1, {sha256: sha256 for sha256 in (*loaded.files, *asked.files)}, settings)


def generate(study: Study, progress: Progress = SILENT) -> Artifact:
    """Expand the study's templates and language packs, in out/generate.

    Tables: items, masked and templates from templates; quads, statements and attributes from packs. Raises
    InputErrors before anything is written, also when there would be more rows than generate.max_rows.
    """
    settings = study.settings.generate
    with study.held("generate"):
        loaded, asked = load_templates(study), load_questions(study)
        refuse_too_many(loaded.templates, expanded_kinds(settings.tests), settings.max_rows)
        expansion = functools.cache(
            lambda: expand(loaded.templates, tests=settings.tests, max_rows=settings.max_rows)
        )
        questions = study.settings.questions
        if questions is not None:
            refuse_too_many_questions(asked.sets, questions, settings.max_rows)
        return build(
            study.out / "generate",
            _generate_recipe(study, loaded, asked),
            lambda: [
                Part("items", lambda: Made(expansion().items, expansion().counts)),
                Part("masked", lambda: Made(expansion().masked)),
                Part("templates", lambda: Made(template_rows(loaded.templates))),
                *(question_parts(asked.sets, questions) if questions is not None else ()),
            ],
            snapshots={**loaded.files, **asked.files},
            progress=progress("generate"),
        )


def fill_recipe(study: Study) -> Recipe:
    """What `fill` would make now; raises MissingStage before `generate` has run."""
    generated = open_artifact(study.out / "generate")
    words = open_artifact(study.out / "mask_words")
    wanted = _words_recipe(study, masked_sentences(generated.table("masked")))
    return _fill_recipe(study, generated, words.digest if words.key == wanted.key else "stale")


def _fill_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    inputs = {"generate": generated.digest, "mask_words": words}
    return Recipe("fill", 1, inputs, {"top_k": study.settings.fill.top_k})


def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masked hypotheses: MaskWords in out/mask_words, items in out/fill.

    Raises ModelError when the model cannot be used.
    """
    with study.held("fill"):
        generated = open_artifact(study.out / "generate")
        masked = generated.table("masked")
        words = _mask_words(study, masked_sentences(masked), progress)

        def make() -> Made:
            filled = fill_masks(masked, words.table("words"), study.settings.fill.top_k)
            return Made(filled.items, filled.counts)

        return build(
            study.out / "fill",
            _fill_recipe(study, generated, words.digest),
            lambda: [Part("items", make)],
            progress=progress("fill"),
        )


def _words_recipe(study: Study, sentences: Sequence[str]) -> Recipe:
    model = study.settings.fill.model
    return Recipe(
        "mask_words",
        1,
        {"sentences": content_id("sentences", *sentences)},
        {"words": study.settings.fill.top_k + SPARE},
        {model: locate(model, study.folder).identity} if sentences else {},
    )


def _mask_words(study: Study, sentences: Sequence[str], progress: Progress) -> Artifact:
    """The model's words for each sentence; no model is needed where there is none."""
    asked = study.settings.fill.top_k + SPARE

    @functools.cache
    def filler() -> MaskFiller:
        from scoring.masked_lm import MaskFiller

        return MaskFiller.load(locate(study.settings.fill.model, study.folder))

    def words(chunk: Sequence[str]) -> Made:
        found = filler().fill(chunk, asked) if chunk else []
        rows = (
            MaskWord(sentence, fill.word, fill.rank, fill.score)
            for sentence, fills in zip(chunk, found, strict=True)
            for fill in fills
        )
        return Made(table_of(rows, MaskWord))

    def models() -> Made:
        model = study.settings.fill.model
        return Made(
            table_of([FillModel(model, locate(model, study.folder).digest)] if sentences else [], FillModel)
        )

    chunks = [sentences[i : i + CHUNK] for i in range(0, len(sentences), CHUNK)] or [[]]
    return build(
        study.out / "mask_words",
        _words_recipe(study, sentences),
        lambda: [
            *(Part("words", functools.partial(words, chunk)) for chunk in chunks),
            Part("models", models),
        ],
        progress=progress("fill"),
    )
