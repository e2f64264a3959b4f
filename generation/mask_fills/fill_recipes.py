"""The recipes of out/fill and of the artifacts that it is made from."""

from __future__ import annotations

from dataclasses import replace

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.generation.mask_fills.claims_stage import claims_recipe, takes_other_words
from nextset.generation.mask_fills.fill_drops import drop_digests
from nextset.generation.mask_fills.fill_model import hypothesis_writer, word_writer
from nextset.generation.mask_fills.fluency_stage import fluency_recipe
from nextset.generation.mask_fills.marks_stage import marks_recipe
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompts_of
from nextset.generation.mask_fills.mask_words_stage import mask_words_recipe
from nextset.generation.mask_fills.masked_rows import all_sentences, masked_rows
from nextset.generation.mask_fills.part_of_speech import locate_tagger
from nextset.generation.writers.stage import StudyWriter, hypotheses_recipe, written_words_recipe
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.mask_constraint import LIST_NAME, parse_constraint
from nextset.study.study_folder import Study
from nextset.word_lists.fill_list import fill_list

__all__ = [
    "fill_recipe",
    "filled_recipe",
    "fluent_recipe",
    "items_recipe",
    "placement_recipe",
    "study_demands",
    "study_prompts",
]


def fill_recipe(study: Study) -> Recipe:
    """Return the recipe that `fill` would use now; raises MissingStage before `generate` has run."""
    if writer := hypothesis_writer(study):
        return hypotheses_recipe(writer)
    generated = open_artifact(study.out / "generate")
    words = word_writer(study) if all_sentences(generated).num_rows else None
    prompts = study_prompts(study, generated, words)
    recipe = written_words_recipe(words, prompts) if words else mask_words_recipe(study, prompts)
    digest = _digest(study, "mask_words", recipe)
    placement = None if words else placement_recipe(study, generated, digest)
    return filled_recipe(study, items_recipe(study, generated, digest, placement))


def study_demands(study: Study, generated: Artifact, writer: StudyWriter | None) -> MaskDemands:
    """Return the demands of the templates' masks, with the phrases that tell them to ``writer``."""
    phrases = None if writer is None else writer.prompts.phrases
    return MaskDemands.of(study.settings.fill, generated.table("mask_lists"), phrases)


def study_prompts(study: Study, generated: Artifact, writer: StudyWriter | None) -> list[Prompt]:
    """Return the distinct prompts of the masked sentences, sorted; ``writer`` is None for a masked LM."""
    settings, masked = study.settings.fill, all_sentences(generated)
    demands = study_demands(study, generated, writer)
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    return sorted(set(prompts), key=lambda p: (p.sentences, p.words, p.demands))


def placement_recipe(study: Study, generated: Artifact, words: str) -> Recipe | None:
    """Return the recipe of out/fill_claims; None if no mask with anchors takes words beside them."""
    if not takes_other_words(study, all_sentences(generated), study_demands(study, generated, None)):
        return None
    return claims_recipe(study, _word_inputs(study, generated, words))


def _word_inputs(study: Study, generated: Artifact, words: str) -> dict[str, str]:
    """Return the digests of the words and of all lists that decide what becomes of them."""
    inputs = {"generate": generated.digest, "mask_words": words}
    default = parse_constraint(study.settings.fill.mask)
    for of_form in masked_rows(generated).values():
        inputs |= of_form.part.list_digests(of_form.rows)
    languages = all_sentences(generated)["language"].to_pylist()
    for language in sorted(set(languages)):
        inputs |= drop_digests(language)
        for name in default.entries:
            if LIST_NAME.fullmatch(name) and (listed := fill_list(language, name)):
                inputs[f"list {name}, {language}"] = listed.digest
    return inputs


def items_recipe(study: Study, generated: Artifact, words: str, placement: Recipe | None) -> Recipe:
    """Return the recipe of the items, without fluency and marks; ``placement`` is that of out/fill_claims."""
    settings = study.settings.fill
    chosen = settings.fluency_settings
    models, inputs = {}, _word_inputs(study, generated, words)
    if placement is not None:
        inputs["fill_claims"] = _digest(study, "fill_claims", placement)
    if settings.tagger and all_sentences(generated).num_rows:
        models[settings.tagger] = locate_tagger(settings.tagger, study.folder).digest
    return Recipe(
        "fill",
        9,
        inputs,
        {
            "top_k": settings.top_k,
            "groups": settings.groups,
            "premise": settings.premise,
            "mask": settings.mask,
            "allow": sorted(settings.allow),
            "fluency": chosen.model_dump(exclude={"model"}) if chosen else False,
            "keep": settings.keep,
            "marks": settings.marks,
        },
        models,
    )


def fluent_recipe(study: Study, items: Recipe) -> Recipe:
    """Return the recipe of the items with their fluency, from the recipe of the ``items`` without it."""
    chosen = study.settings.fill.fluency_settings
    if chosen is None:
        return items
    return _with_input(items, "fluency", _digest(study, "fluency", fluency_recipe(study, items, chosen)))


def filled_recipe(study: Study, items: Recipe) -> Recipe:
    """Return the recipe of the items with fluency and marks, from the recipe ``items`` without them."""
    fluent = fluent_recipe(study, items)
    if not (study.settings.fill.marks or study.settings.fill.meaning):
        return fluent
    return _with_input(fluent, "fill_marks", _digest(study, "fill_marks", marks_recipe(study, fluent)))


def _with_input(recipe: Recipe, name: str, digest: str) -> Recipe:
    return replace(recipe, inputs={**recipe.inputs, name: digest})


def _digest(study: Study, name: str, recipe: Recipe) -> str:
    """Return the digest of the artifact from ``recipe``; `stale` if a different artifact exists."""
    return current_digest(study.out / name, recipe)
