"""The stage triggers: it seeks tokens that bring the groups together, for each model and class."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import StudyError
from nextset.extensions.interventions.intervention import Intervention, Place
from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of, triggers_of
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.triggers.gradient_search import (
    BestTrigger,
    GradientSearch,
    SearchJournal,
)
from nextset.extensions.interventions.triggers.search_classes import (
    SearchClass,
    item_classes,
    quad_classes_of,
)
from nextset.extensions.interventions.triggers.searchable_models import searched_form, searched_model
from nextset.extensions.interventions.triggers.trigger_place import TriggerPlace
from nextset.extensions.interventions.triggers.trigger_records import FoundTrigger, TemplateSplit, TriggerStep
from nextset.extensions.interventions.triggers.trigger_vocabulary import TriggerVocabulary
from nextset.forms import FormName
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.study_models import located_model, model_of
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = ["seek_triggers", "triggers_recipe"]

JOURNALS = "trigger_journals"
"""The folder in out/ whose files let a stopped search resume."""
SOURCE = "found by gradient-guided search (Shin et al. 2020)"


@of_study
def seek_triggers(study: Study, progress: Progress = SILENT) -> Artifact:
    """Seek a trigger for each model of interventions.triggers and each class, into out/triggers.

    The search sees no rows of held-out templates. Raises ModelError for a model without gradients, StudyError
    for a class with a single template.
    """
    with study.held("triggers"):
        recipe = triggers_recipe(study)
        settings, wanted = intervention_settings_of(study), triggers_of(study)
        searches = list(_searches(study, recipe.key))
        tick, done = progress("triggers"), 0

        def step() -> None:
            nonlocal done
            done += 1
            tick(done, len(searches) * wanted.restarts * wanted.steps)

        runs = [
            functools.cache(functools.partial(_found, study, s, settings, wanted, step)) for s in searches
        ]
        splits = dict.fromkeys(split for s in searches for split in s.rows.splits)
        return build(
            study.out / "triggers",
            recipe,
            lambda: [
                Part("splits", lambda: PartResult(table_of(splits, TemplateSplit))),
                *(Part("triggers", functools.partial(_trigger_part, f)) for f in runs),
                *(
                    Part("search", functools.partial(_search_part, s, f))
                    for s, f in zip(searches, runs, strict=True)
                ),
            ],
        )


def triggers_recipe(study: Study) -> Recipe:
    """Return the recipe that `seek_triggers` would use now; raises MissingStage before `generate` has run."""
    settings, wanted = intervention_settings_of(study), triggers_of(study)
    generated = open_artifact(study.out / "generate")
    sources = [located_model(study, name) for name in wanted.models]
    return Recipe(
        "triggers",
        1,
        {"generate": generated.digest},
        {
            **wanted.model_dump(mode="json", exclude={"models"}),
            "place": settings.places[0],
            "order": [study.model_label(name) for name in wanted.models],
            "masks": study.settings.scoring.statements.model_dump(mode="json"),
        },
        {study.model_label(n): s.identity for n, s in zip(wanted.models, sources, strict=True)},
    )


@dataclass(frozen=True)
class _Search:
    """A search for one model and class."""

    name: str
    """The model's name in the study."""
    source: ModelSource
    rows: SearchClass
    journal: SearchJournal
    join: str


def _searches(study: Study, key: str) -> Iterator[_Search]:
    wanted = triggers_of(study)
    generated = open_artifact(study.out / "generate")
    interventions = generated.table("interventions", ["language", "join"]).to_pylist()
    joins = {row["language"]: row["join"] for row in interventions}
    for i, name in enumerate(wanted.models):
        with model_key(study.file, "interventions", "triggers", "models", i):
            source = located_model(study, name)
            form = searched_form(source)
        for rows in _classes(study, generated, form, wanted):
            named = content_id("trigger search", key, study.model_label(name), form, rows.language, rows.name)
            journal = SearchJournal(study.out / JOURNALS / f"{named}.jsonl")
            yield _Search(name, source, rows, journal, joins.get(rows.language, " "))


def _classes(study: Study, generated: Artifact, form: FormName, wanted: TriggerSettings) -> list[SearchClass]:
    if form == "nli":
        items = generated.table("items")
        classes = (
            item_classes(items, generated.table("templates"), wanted, study.file) if items.num_rows else []
        )
    else:
        tables = {
            "question": ("quads", "specified_questions"),
            "statement": ("statements", "specified_statements"),
        }
        quads, twins = (_rows(generated, name) for name in tables[form])
        masks = study.settings.scoring.statements
        if twins is None and quads is not None:
            if wanted.accuracy_weight:
                raise StudyError(
                    "interventions.triggers: there are no specified twins, which the search needs",
                    file=study.file,
                    remedy="raise interventions.twins, or set triggers.accuracy_weight to 0",
                )
            twins = quads.slice(0, 0)
        classes = []
        if quads is not None and twins is not None:
            classes = quad_classes_of(form, quads, twins, wanted, masks, study.file)
    if not classes:
        raise StudyError(
            f"interventions.triggers: the study has no rows of the form {form}",
            file=study.file,
            remedy="add questions or templates, or remove the model from interventions.triggers.models",
        )
    return classes


def _rows(generated: Artifact, name: str) -> pa.Table | None:
    return generated.table(name) if name in generated.tables and generated.rows(name) else None


def _found(
    study: Study,
    search: _Search,
    settings: InterventionSettings,
    wanted: TriggerSettings,
    step: Callable[[], None],
) -> tuple[FoundTrigger, GradientSearch]:
    rows, place = search.rows, _place(search, settings.places[0])
    asked = model_of(study, search.name, rows.form)
    check_clear_cases(asked.here())
    model = searched_model(search.source, asked.asking, wanted.accuracy_weight)
    around = model.around(place.marked(rows.rows.compared.slice(0, 1)))
    vocabulary = TriggerVocabulary.of(model.loaded, around, search.join, wanted.tokens, rows.words.fits)
    search.journal.file.parent.mkdir(parents=True, exist_ok=True)
    name = f"{rows.form}/{rows.language}/{rows.name}"
    sought = GradientSearch(model, place, rows.rows, vocabulary, wanted, name, search.journal)
    best: BestTrigger = sought.run(step)
    label = study.model_label(search.name)
    intervention = place.intervention(best.text, name=f"{label}, {rows.name}, {rows.form}", source=SOURCE)
    return (
        FoundTrigger(
            **_fields(intervention, content_id("trigger", intervention.id, label, rows.form, rows.name)),
            model=label,
            revision=search.source.digest,
            form=rows.form,
            loss_before=best.loss_before,
            loss_after=best.loss_after,
            steps=best.steps,
            restart=best.restart,
        ),
        sought,
    )


def _fields(told: Intervention, own_id: str) -> dict[str, Any]:
    fields = asdict(told)
    return {
        **fields,
        "id": own_id,
        **{n: tuple(fields[n]) for n in ("classes", "attribute_clusters", "domains")},
    }


def _place(search: _Search, place: Place) -> TriggerPlace:
    rows = search.rows
    of_items = rows.form == "nli"
    return TriggerPlace(
        rows.form,
        rows.language,
        place,
        search.join,
        () if of_items else (rows.name,),
        (rows.name,) if of_items else (),
    )


Found = Callable[[], tuple[FoundTrigger, GradientSearch]]


def _trigger_part(found: Found) -> PartResult:
    return PartResult(table_of([found()[0]], FoundTrigger))


def _search_part(search: _Search, found: Found) -> PartResult:
    trigger, sought = found()
    rows = [
        TriggerStep(
            **asdict(step),
            model=trigger.model,
            form=search.rows.form,
            language=search.rows.language,
            subject_class=search.rows.name,
        )
        for restart in range(sought.settings.restarts)
        for step in search.journal.steps(restart)[: sought.settings.steps]
    ]
    return PartResult(table_of(rows, TriggerStep))
