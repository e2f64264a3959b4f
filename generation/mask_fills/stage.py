"""The stage fill: a model fills the masks, or proposes whole hypotheses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.drop_counts import drops
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.forms import FormName
from nextset.generation.mask_fills.claims_stage import place_words, placed
from nextset.generation.mask_fills.fill_model import hypothesis_writer, load_filler, word_writer
from nextset.generation.mask_fills.fill_recipes import (
    fill_recipe,
    filled_recipe,
    fluent_recipe,
    items_recipe,
    placement_recipe,
    study_demands,
    study_prompts,
)
from nextset.generation.mask_fills.fill_selection import Fits
from nextset.generation.mask_fills.filled_items import KEPT, FillResult, claim_counts
from nextset.generation.mask_fills.filled_items import fill as fill_masks
from nextset.generation.mask_fills.fluency import plain_hypotheses, with_fluency
from nextset.generation.mask_fills.fluency_selection import select_fluent
from nextset.generation.mask_fills.fluency_stage import fluency_recipe, score_fluency
from nextset.generation.mask_fills.marks_stage import marked, marks_recipe, score_marks
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_words_stage import mask_words
from nextset.generation.mask_fills.masked_rows import MaskedRows, masked_rows
from nextset.generation.mask_fills.part_of_speech import Tagger, locate_tagger
from nextset.generation.writers.stage import StudyWriter, fill_hypotheses, written_words
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.models.recorded_servers import record_servers
from nextset.scoring.models.sources import SERVER
from nextset.scoring.study_models import located_model
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["fill", "fill_recipe"]


@of_study
def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masks: MaskWords in out/mask_words, the filled rows of each form in out/fill.

    fill.fluency adds out/fluency; fill.marks and fill.meaning add out/fill_marks. A writer may propose whole
    hypotheses instead. Raises ModelError if a model cannot be used.
    """
    with study.held("fill"):
        if writer := hypothesis_writer(study):
            artifact = fill_hypotheses(writer, progress)
        else:
            generated = open_artifact(study.out / "generate")
            artifact = _FillSteps(study, generated, progress).build()
        name = study.settings.fill.model
        if name.startswith(SERVER):
            record_servers(study.out, [(located_model(study, name), study.model_settings(name).server)])
        return artifact


@dataclass(frozen=True)
class _FillSteps:
    """The steps from masked rows to filled ones; each step is done once, when it is first needed.

    The part of a form says which sentences its masked rows are, and which rows the filled sentences make.
    """

    study: Study
    generated: Artifact
    progress: Progress

    def build(self) -> Artifact:
        """Build out/fill, after the artifacts that it is made from."""
        study = self.study
        if self.sentences.num_rows and study.settings.fill.tagger:
            locate_tagger(study.settings.fill.tagger, study.folder)  # a missing tagger is the first error
        # each is built before the artifacts that need it
        words, _, _ = self.words, self.placement, self.fluency
        marks = self.marks

        def rows(form: FormName, asked: Mapping[str, int]) -> PartResult:
            masked, selected = self.masked[form], self.selected[form]
            sentences = selected.items
            if marks is not None and masked.part.marks_fills:
                sentences = marked(study, sentences, masked.rows, self.plain, marks)
            filled = masked.part.filled(sentences, masked.rows)
            return PartResult(filled.table, {**asked, **selected.counts, **filled.counts})

        def parts() -> list[Part]:
            first, *others = self.masked
            counts: list[tuple[FormName, Mapping[str, int]]] = [(first, words.counts)]
            counts += [(form, {}) for form in others]
            return [Part(self.masked[form].part.table, partial(rows, form, asked)) for form, asked in counts]

        return build(
            study.out / "fill",
            filled_recipe(study, self.items_recipe),
            parts,
            progress=self.progress("fill"),
        )

    @cached_property
    def masked(self) -> dict[FormName, MaskedRows]:
        """The masked rows by form."""
        return masked_rows(self.generated)

    @cached_property
    def sentences(self) -> pa.Table:
        """The masked sentences of all forms."""
        return pa.concat_tables([of_form.sentences for of_form in self.masked.values()])

    @cached_property
    def plain(self) -> pa.Table:
        """The items without masks."""
        return self.generated.table("items")

    @cached_property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts to the model."""
        return study_prompts(self.study, self.generated, self.writer)

    @cached_property
    def demands(self) -> MaskDemands:
        """The demands of the masks."""
        return study_demands(self.study, self.generated, self.writer)

    @cached_property
    def fits(self) -> Fits | None:
        """The tagger; None if the study names none, or if there are no masks."""
        tagger = self.study.settings.fill.tagger
        needed = tagger and self.sentences.num_rows
        return Tagger.load(locate_tagger(tagger, self.study.folder)).fits if needed else None

    @cached_property
    def _filler(self) -> MaskFiller:
        _ = self.fits  # an unloadable tagger is an error before the model is asked
        return load_filler(self.study)

    def filler(self) -> MaskFiller:
        """Return the masked language model, loaded once."""
        return self._filler

    @cached_property
    def writer(self) -> StudyWriter | None:
        """The model that writes words; None for a masked language model."""
        return word_writer(self.study) if self.sentences.num_rows else None

    @cached_property
    def words(self) -> Artifact:
        """The words of the model."""
        if self.writer is None:
            return mask_words(self.study, self.prompts, self.filler, self.progress)
        _ = self.fits
        return written_words(self.writer, self.prompts, self.progress, self._dropped)

    def _dropped(self, words: pa.Table) -> Mapping[str, int] | None:
        """Return why no fill of ``words`` is kept, in numbers by reason; None if one is kept."""
        fills = self._fills(words, self.demands).values()
        counts = sum((Counter(of_form.counts) for of_form in fills), Counter[str]())
        return None if any(of_form.items.num_rows for of_form in fills) else drops(counts)

    @cached_property
    def placement(self) -> Artifact | None:
        """The claims of words that no anchor decides; None if no word is to be placed."""
        recipe = self._placement_recipe
        if recipe is None:
            return None
        words = self.words.table("words")
        return place_words(
            self.study, recipe, self.sentences, words, self.demands, self.filler, self.progress
        )

    @cached_property
    def _placement_recipe(self) -> Recipe | None:
        if self.writer is not None:
            return None
        return placement_recipe(self.study, self.generated, self.words.digest)

    @cached_property
    def items_recipe(self) -> Recipe:
        """The recipe of the items, without fluency and marks."""
        return items_recipe(self.study, self.generated, self.words.digest, self._placement_recipe)

    @cached_property
    def filled(self) -> dict[FormName, FillResult]:
        """The filled sentences by form, without fluency and marks."""
        demands = self.demands
        if self.placement is not None:
            demands = replace(demands, placed=placed(self.placement.table("claims")))
        return self._fills(self.words.table("words"), demands)

    def _fills(self, words: pa.Table, demands: MaskDemands) -> dict[FormName, FillResult]:
        filled = {}
        for form, masked in self.masked.items():
            named = masked.sentences if self.writer is None else self.writer.with_names(masked.sentences)
            settings = self.study.settings.fill
            filled[form] = fill_masks(
                named,
                words,
                settings,
                demands,
                self.fits,
                masked.part.distinct,
                opposites=masked.part.takes_opposites,
            )
        return filled

    @cached_property
    def fluency(self) -> Artifact | None:
        """The fluency of all sentences; None if the study does not request it."""
        chosen = self.study.settings.fill.fluency_settings
        if chosen is None:
            return None

        def hypotheses() -> list[str]:
            plain = (text for texts in plain_hypotheses(self.plain).values() for text in texts)
            filled = (of_form.items["hypothesis"].to_pylist() for of_form in self.filled.values())
            return [*(text for texts in filled for text in texts), *plain]

        recipe = fluency_recipe(self.study, self.items_recipe, chosen)
        return score_fluency(self.study, recipe, chosen, hypotheses, self.filler, self.progress)

    @cached_property
    def selected(self) -> dict[FormName, FillResult]:
        """The filled sentences that are fluent enough, by form, with their fluency if it is scored."""
        if self.fluency is None:
            return self.filled
        scores = self.fluency.table("sentences")
        return {form: self._fluent(self.masked[form], filled, scores) for form, filled in self.filled.items()}

    def _fluent(self, masked: MaskedRows, filled: FillResult, scores: pa.Table) -> FillResult:
        scored = with_fluency(filled.items, masked.sentences, self.plain, scores)
        left = select_fluent(scored, masked.sentences, self.study.settings.fill, self.demands)
        kept = filled.counts[KEPT] - sum(left.counts.values())
        claims = {**dict.fromkeys(claim_counts(filled.items), 0), **claim_counts(left.items)}
        return FillResult(left.items, {**filled.counts, **left.counts, **claims, KEPT: kept})

    @cached_property
    def marks(self) -> Artifact | None:
        """The probabilities and meanings for the marks; None if the study does not request marks."""
        settings = self.study.settings.fill
        if not (settings.marks or settings.meaning):
            return None
        form, masked = next((f, rows) for f, rows in self.masked.items() if rows.part.marks_fills)
        recipe = marks_recipe(self.study, fluent_recipe(self.study, self.items_recipe))

        def items() -> pa.Table:
            return self.selected[form].items

        return score_marks(self.study, recipe, items, masked.rows, self.plain, self.filler, self.progress)
