"""A preview of a run: the rows that a study would make, before any model is asked."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from nextset.artifacts.artifact import is_current, open_artifact
from nextset.bootstrap_intervals import FEW
from nextset.counted import counted
from nextset.errors import NextsetError
from nextset.errors import examples as examples_of
from nextset.forms import FORMS, FormName
from nextset.generation.fill_preview import FillPreview, fill_preview, mask_counts
from nextset.generation.mask_fills.fill_recipes import fill_recipe
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.question_shards import rows_to_expand
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.questions.subset import sampled_cells
from nextset.generation.section_preview import SECTION_PREVIEWS, PreviewSources, SectionPreview, TimedModel
from nextset.generation.stage import generate_recipe, load_sources
from nextset.generation.template_expansion import count_rows, example, expanded_kinds
from nextset.generation.templates.placeholders import written_masks
from nextset.generation.templates.template import Kind, Template
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table, notebook_warning
from nextset.pipeline.stage_list import stages_of
from nextset.records.nli_items import MaskedItem, NliItem
from nextset.records.short_repr import short_repr
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.models.sources import is_on_this_machine
from nextset.scoring.study_models import forms_of_audit
from nextset.study.filter_settings import CANDIDATE_FORMS, FILLED_FORMS
from nextset.study.generation_settings import FillSettings
from nextset.study.item_tables import imported_files, imported_items
from nextset.study.study_folder import Study, of_study

__all__ = ["DerivedForms", "Preview", "few_templates", "preview"]


@dataclass(frozen=True)
class DerivedForms:
    """The forms of a class that a rule derived."""

    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class, such as nationality."""
    form: str
    """The features of the forms, such as gen."""
    texts: tuple[str, ...]
    """The forms, in the order of the list."""


@short_repr
@dataclass(frozen=True)
class Preview:
    """The numbers of rows and prompts that a run would make, at most: duplicates are not yet known."""

    items: dict[str, int]
    """Rows by kind: hypothesis, masked, test, imported; rows of language packs by class and form, and by
    language if there are several."""
    filled: int
    """Masked rows × words kept per mask; of whole hypotheses, premises × proposals × both stances."""
    prompts: int
    """Prompts to the model of fill: one per masked sentence, or one per stereotype and stance. A model that
    writes gets one request per prompt."""
    scorings: dict[str, int]
    """Inputs that models are asked about, by the models' role: pairs, or four per quad or statement."""
    examples: tuple[NliItem, ...]
    """A few items of each kind, one per template."""
    questions: tuple[dict[str, Any], ...]
    """A few quads and statements of each class, sampled."""
    unchecked: tuple[str, ...]
    """The languages whose packs no native speaker has checked."""
    checked: tuple[str, ...]
    """The other packs, with the native speakers who checked them."""
    derived: tuple[DerivedForms, ...]
    """The forms of subjects that a rule derived because they are not listed."""
    few_templates: str = ""
    """A warning if the candidates come from too few templates for intervals; else empty."""
    section_examples: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    """A few rows of each kind that sections of extensions make, each a text or texts by name."""
    masks: dict[str, int] = field(default_factory=dict)
    """The numbers of masks, of masks with anchors, and of those that take only listed words."""
    fills: FillPreview = field(default_factory=FillPreview, repr=False)
    """The fills of the last run by kind; empty if the study has changed since."""
    added: int = 0
    """The most rows that a release adds, one counterpart per candidate: the audit asks the filter's models
    about them."""
    section_models: tuple[TimedModel, ...] = field(default=(), repr=False)
    """The models of an audit without a filter, and of sections of extensions, to estimate their time."""
    section_rows: Mapping[FormName, Sequence[Mapping[str, Any]]] = field(default_factory=dict, repr=False)
    """A few rows of the forms that sections of extensions make, to estimate the time of models."""
    masked_sentences: tuple[str, ...] = field(default=(), repr=False)
    """A few masked sentences of sections of extensions, to estimate the time of the model of fill."""

    def as_json(self) -> dict[str, Any]:
        """Return the preview as JSON."""
        for_estimates = {"section_models", "section_rows", "masked_sentences"}
        fields_of_json = {f.name for f in fields(self)} - {"section_examples"} - for_estimates
        data = {name: value for name, value in asdict(self).items() if name in fields_of_json}
        return {**data, **self.section_examples}

    def _repr_html_(self) -> str:
        """Return the counts, and the examples after the content warning, for notebooks."""
        rows = [(f"rows, {kind}", n) for kind, n in {**self.items, "filled": self.filled}.items() if n]
        rows += [*self.masks.items()]
        rows += [("prompts to the model of fill", self.prompts)] if self.prompts else []
        rows += [(f"inputs to score, {role}", n) for role, n in self.scorings.items()]
        return notebook_block(
            notebook_line("Upper bounds: rows with the same text become one."),
            notebook_table(("what a run makes", "at most"), rows),
            notebook_line(f"Warning: {self.few_templates}.") if self.few_templates else "",
            *(notebook_line(f"No native speaker has checked the language pack {x}.") for x in self.unchecked),
            *(notebook_line(f"Native speakers have checked the language pack {x}.") for x in self.checked),
            *(notebook_line(f"Derived by a rule: {', '.join(d.texts)}", title=d.form) for d in self.derived),
            notebook_table(("fills of the last run", "number"), [*self.fills.counts.items()])
            if self.fills.counts
            else "",
            notebook_warning(),
            _fills_html(self.fills),
            _examples_html(self.examples),
            _questions_html(self.questions),
            *(_section_html(rows) for rows in self.section_examples.values()),
        )


@of_study
def preview(study: Study, examples: int = 2) -> Preview:
    """Count what ``study`` would make, with up to ``examples`` items of each kind.

    Raises InputErrors, and ValueError if ``examples`` is less than 0.
    """
    if examples < 0:
        raise ValueError(f"examples is {examples}: it must be 0 or more")
    loaded, packs = load_sources(study)
    templates, sets = loaded.templates, packs.sets
    settings = study.settings
    kinds = expanded_kinds(settings.generate.tests)
    items: dict[str, int] = {kind: sum(count_rows(t, kind) for t in templates) for kind in kinds}
    set_rows = [(s, rows_to_expand(s, settings.questions)) for s in sets if settings.questions]
    imported_rows = imported_items(study.imported).num_rows
    filled, prompts, masks, fills = 0, 0, dict[str, int](), FillPreview()
    if any(stage.name == "fill" for stage in stages_of(study)):
        filled, prompts = _fills(templates, settings.fill, items["masked"])
        masks = mask_counts(templates, settings.fill.mask) if settings.fill.writer.propose == "words" else {}
        fills = _last_fills(study, examples)
    plain = sum(n for kind, n in items.items() if kind != "masked")
    sections = _sections(study, PreviewSources(loaded, packs, dict(items), examples))
    sizes = {"filled": filled, "imported": imported_rows, "plain": items["hypothesis"]}
    for section in sections:
        sizes |= section.candidates
        prompts += section.prompts
    filled += sum(n for name, n in sizes.items() if name in FILLED_FORMS)
    scorings: dict[str, int] = {}
    added = 0
    if settings.filter is not None:
        form = FORMS[settings.filter.form]
        candidates = sum(sizes.get(name, 0) for name in settings.filter.candidates)
        if form.counterparts:
            filter_inputs = plain + candidates - ("plain" in settings.filter.candidates) * sizes["plain"]
            asked_later = filter_inputs + candidates  # a release adds a counterpart of each
        else:
            quads = _quad_inputs(form.name, set_rows)
            filter_inputs = asked_later = quads + candidates * SCORED_FORMS[form.name].per_row
        later = len(settings.filter.held_out) + len(settings.audit.models)
        added = asked_later - filter_inputs if settings.release is not None else 0
        scorings["filter"] = filter_inputs * len(settings.filter.models)
        scorings["held out and audit, at most"] = asked_later * later
    audited = _audited(study, set_rows, sizes)
    if audited:
        scorings["audit"] = sum(model.inputs for model in audited)
    for section in sections:
        items |= section.items
        scorings |= section.scorings
    languages = {questions.language for questions in sets}
    by_class = {
        " ".join([questions.language] * (len(languages) > 1) + [questions.name, f"{questions.form}s"]): rows
        for questions, rows in set_rows
    }
    return Preview(
        items={**items, "imported": imported_rows, **by_class},
        filled=filled,
        prompts=prompts,
        scorings=scorings,
        examples=tuple(e for kind in kinds for e in _examples(templates, kind, examples)),
        questions=tuple(
            row for s in sets for row in quad_table(s, sampled_cells(s, examples, 0)).to_pylist()
        ),
        unchecked=tuple(p.language for p in packs.packs if not p.checked_by),
        checked=tuple(f"{p.language}: {p.checked_by}" for p in packs.packs if p.checked_by),
        derived=tuple(dict.fromkeys(d for s in sets for d in _derived(s))),
        few_templates=few_templates(study, loaded, packs),
        section_examples={**_no_examples(), **{k: v for s in sections for k, v in s.examples.items()}},
        masks=masks,
        fills=fills,
        added=added,
        section_models=(*audited, *(model for section in sections for model in section.models)),
        section_rows={form: rows for section in sections for form, rows in section.rows.items()},
        masked_sentences=tuple(text for section in sections for text in section.sentences),
    )


def few_templates(study: Study, loaded: LoadedTemplates, packs: LoadedQuestions) -> str:
    """Return a warning if the filter's candidates come from fewer than `FEW` templates; empty otherwise.

    Results are drawn by templates: a hypothesis of a template file, or a question template of a class.
    """
    if study.settings.filter is None:
        return ""
    candidates = study.settings.filter.candidates
    kinds = {kind for kind, name in (("masked", "filled"), ("hypothesis", "plain")) if name in candidates}
    counts: dict[str, int] = {}
    if FORMS[study.settings.filter.form].quads:
        sets = [s for s in packs.sets if s.form == study.settings.filter.form]
        counts = {f" (class {s.name}, {s.language})": len(s.templates) for s in sets}
    elif loaded.templates and kinds and not ("imported" in candidates and imported_files(study.imported)):
        written = study.settings.fill.writer.propose == "hypotheses" and "filled" in candidates
        texts = (len({s.text for s in t.statements if s.kind in kinds}) for t in loaded.templates)
        counts = {} if written else {"": sum(texts)}
    few = [f"{counted(n, 'templates')}{of_class}" for of_class, n in counts.items() if n < FEW]
    if not few:
        return ""
    return (
        f"the candidates come from {examples_of(few)}: with fewer than {FEW}, results have no interval and "
        "models cannot be compared, however many items people judge; write more templates"
    )


def _audited(
    study: Study, set_rows: Sequence[tuple[QuestionSet, int]], sizes: Mapping[str, int]
) -> tuple[TimedModel, ...]:
    """Return the models that a study without a filter audits; a model that is not here may have all forms."""
    settings = study.settings
    if settings.filter is not None:
        return ()
    timed = []
    for name in settings.audit.models:
        forms = settings.audited_forms
        if is_on_this_machine(name, study.folder):
            with suppress(NextsetError):  # the estimate of time says what is wrong
                forms = forms_of_audit(study, name)
        inputs = sum(_quad_inputs(form, set_rows) + _candidate_inputs(form, sizes) for form in forms)
        timed.append(TimedModel(name, "audit", inputs, functools.partial(_first_form, study, name)))
    return tuple(timed)


def _first_form(study: Study, model: str) -> FormName:
    return forms_of_audit(study, model)[0]


def _fills(templates: Sequence[Template], fill: FillSettings, masked: int) -> tuple[int, int]:
    """Return the number of rows that ``fill`` makes of ``masked`` rows, and of its prompts."""
    if fill.writer.propose == "words":
        kept = fill.most_fluent.best if fill.most_fluent else fill.top_k
        return masked * kept, sum(_masked_prompts(t, fill) for t in templates)
    premises = sum(map(_premises, templates))
    return 2 * fill.writer.proposals * premises, len(templates) * (1 if fill.groups == "joint" else 2)


def _last_fills(study: Study, examples: int) -> FillPreview:
    """Return the fills in out/fill; empty if a run would make others."""
    with suppress(NextsetError):  # a run says what is missing
        made = is_current(study.out / "generate", generate_recipe(study))
        if made and is_current(study.out / "fill", fill_recipe(study)):
            return fill_preview(open_artifact(study.out / "fill"), examples)
    return FillPreview()


def _quad_inputs(form: FormName, set_rows: Iterable[tuple[QuestionSet, int]]) -> int:
    """Return the number of inputs for the rows of ``form``: four per quad or masked statement."""
    return SCORED_FORMS[form].per_row * sum(rows for questions, rows in set_rows if questions.form == form)


def _candidate_inputs(form: FormName, sizes: Mapping[str, int]) -> int:
    """Return the number of inputs for the rows of ``form`` that sections of extensions make."""
    names = [name for name, of in (*CANDIDATE_FORMS.items(), *FILLED_FORMS.items()) if of.name == form]
    return SCORED_FORMS[form].per_row * sum(sizes.get(name, 0) for name in names)


def _sections(study: Study, sources: PreviewSources) -> list[SectionPreview]:
    """Return the previews of the study's sections of extensions, in their order."""
    keys = [key for key in study.settings.sections if key in SECTION_PREVIEWS]
    return [SECTION_PREVIEWS[key].preview(study, sources) for key in keys]


def _no_examples() -> dict[str, tuple[Mapping[str, Any], ...]]:
    return {kind: () for section in SECTION_PREVIEWS for kind in section.example_kinds}


def _derived(questions: QuestionSet) -> Iterator[DerivedForms]:
    """Yield the derived forms of a class, sorted by their features."""
    subjects = [s for listed in questions.subjects for s in listed]
    for key in sorted({k for s in subjects for k in s.derived}, key=sorted):
        texts = tuple(s.forms[key] for s in subjects if key in s.derived)
        yield DerivedForms(questions.language, questions.name, ".".join(sorted(key)), texts)


def _masked_prompts(template: Template, fill: FillSettings) -> int:
    """Return the number of prompts for the masks of ``template``: one per sentence; joint, one per two."""
    if fill.premise:
        rows = count_rows(template, "masked")
    else:
        masked = (s.text for s in template.statements if s.kind == "masked")
        rows = sum(2 * _combinations(template, text) for text in masked)
    return rows // 2 if fill.groups == "joint" else rows


def _premises(template: Template) -> int:
    """Return the number of premises of ``template``, counted once per combination of their words."""
    return sum(_combinations(template, premise.text) for premise in template.premises)


def _combinations(template: Template, text: str) -> int:
    return math.prod(len(template.words[name]) for name in template.used_words(text))


def _examples(templates: tuple[Template, ...], kind: Kind, most: int) -> Iterator[NliItem]:
    items = (item for t in templates if (item := example(t, kind)) is not None)
    for _, item in zip(range(most), items, strict=False):
        yield item


def _examples_html(examples: Sequence[NliItem]) -> str:
    columns = ("stance", "label", "stereotype", "premise", "hypothesis")
    rows = [(e.stance_design, e.label, e.stereotype, e.premise, _hypothesis(e)) for e in examples]
    return notebook_table(columns, rows, languages=[e.language for e in examples]) if rows else ""


def _fills_html(fills: FillPreview) -> str:
    rows = [(kind, text) for kind, texts in fills.examples.items() for text in texts]
    return notebook_table(("fills of the last run", "hypothesis"), rows) if rows else ""


def _hypothesis(item: NliItem) -> str:
    """Return the hypothesis with the constraints of its masks."""
    return written_masks(item.hypothesis, item.mask_constraints if isinstance(item, MaskedItem) else ())


def _questions_html(questions: Sequence[Mapping[str, Any]]) -> str:
    columns = ("class", "attribute", "context", "asked", "negated")
    rows = [
        (
            row["subject_class"],
            row["attribute"],
            row["context_12"],
            row.get("question") or row["statement"],
            row.get("question_negated") or row["statement_negated"],
        )
        for row in questions
    ]
    return notebook_table(columns, rows, languages=[row["language"] for row in questions]) if rows else ""


def _section_html(examples: Sequence[Mapping[str, Any]]) -> str:
    rows = [tuple(example.values()) for example in examples]
    return notebook_table(tuple(examples[0]), rows) if rows else ""
