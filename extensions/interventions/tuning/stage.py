"""The stage tune: readers are fine-tuned on interventions, each in its own model folder."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ModelError
from nextset.extensions.interventions.intervened_rows import applies
from nextset.extensions.interventions.intervention import Intervention, Kind
from nextset.extensions.interventions.settings.study_settings import tuned_models, tuning_of
from nextset.extensions.interventions.settings.tuning_settings import TUNED_FOLDER, TuningSettings
from nextset.extensions.interventions.tuning.reader_tuning import ReaderTuning, subject_shares
from nextset.extensions.interventions.tuning.tuned_card import tuned_card
from nextset.extensions.interventions.tuning.tuning_checkpoint import TuningCheckpoint
from nextset.extensions.interventions.tuning.tuning_classes import TuningClass, tuning_classes
from nextset.extensions.interventions.tuning.tuning_examples import ClassExamples, TuningExamples
from nextset.extensions.interventions.tuning.tuning_records import HeldOutPart, StepLoss, TuningLoss
from nextset.records.arrow_schema import table_of
from nextset.records.clear_questions import ClearQuestions
from nextset.records.content_ids import content_id
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.canaries.cases import Waived
from nextset.scoring.checks.canaries import canaries_of, right_questions
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.disk_errors import disk_errors
from nextset.scoring.models.sources import SETTINGS, ModelSource
from nextset.scoring.study_models import located_model, model_of
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.study.model_key import model_key
from nextset.study.model_labels import hub_repository
from nextset.study.study_folder import Study, of_study

__all__ = ["tune_readers", "tune_recipe"]

CHECKPOINTS = "tuning_checkpoints"
"""The folder in out/ with the files that a stopped training resumes from."""
WEIGHTS = "model.safetensors"
CARD = "README.md"


@of_study
def tune_readers(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fine-tune the readers of interventions.tuning; write out/tune, with one model folder per reader.

    The same study gives the same weights on one machine. Raises ModelError for a model that is not an
    extractive reader, and StudyError if no question is left for training or measuring.
    """
    with study.held("tune"):
        recipe, settings = tune_recipe(study), tuning_of(study)
        classes = tuning_classes(open_artifact(study.out / "generate"), settings, study.file)
        tick = progress("tune")
        tuned = tuned_models(study)
        trainings = [
            _Training(study, name, base, classes, settings, recipe.key) for name, base in tuned.items()
        ]
        made = {t.name: functools.cache(functools.partial(t.run, _ticks(tick, i, settings, len(trainings))))
                for i, t in enumerate(trainings)}  # fmt: skip
        parts = [part for c in classes for part in c.parts]
        artifact = build(
            study.out / "tune",
            recipe,
            lambda: [
                Part("held_out", lambda: PartResult(table_of(parts, HeldOutPart))),
                *(Part("losses", functools.partial(_losses, t, made[t.name])) for t in trainings),
                *(Part("clear_questions", functools.partial(_clear, made[t.name])) for t in trainings),
                *(part for t in trainings for part in _files(t, made[t.name])),
            ],
        )
        for training in trainings:
            training.checkpoint.file.unlink(missing_ok=True)
        return artifact


def tune_recipe(study: Study) -> Recipe:
    """Return the recipe of what `tune_readers` would make now. Raises MissingStage before `generate`."""
    settings = tuning_of(study)
    generated = open_artifact(study.out / "generate")
    sources = {study.model_label(base): located_model(study, base) for base in tuned_models(study).values()}
    return Recipe(
        "tune",
        5,
        {"generate": generated.digest},
        {
            **settings.model_dump(mode="json", exclude={"models"}, by_alias=True),
            "order": list(sources),
            "spans": study.settings.scoring.spans,
            "too_long": [study.model_settings(name).too_long for name in tuned_models(study)],
        },
        {label: source.identity for label, source in sources.items()},
    )


@dataclass(frozen=True)
class _Training:
    """The training of one reader."""

    study: Study
    name: str
    """The name of the tuned model."""
    base: str
    """The study's name of the model that is tuned."""
    classes: Sequence[TuningClass]
    settings: TuningSettings
    key: str

    @functools.cached_property
    def source(self) -> ModelSource:
        number = list(self.settings.models).index(self.base)
        with model_key(self.study.file, "interventions", "tuning", "models", number):
            source = located_model(self.study, self.base)
            if (kind := kind_of(source)) != "spans":
                raise ModelError(
                    f"{self.base} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot be tuned",
                    remedy=f"choose a model of the kind {MODEL_KINDS['spans'].noun}",
                )
        return source

    @property
    def checkpoint(self) -> TuningCheckpoint:
        """The file that this training resumes from."""
        named = content_id("tuning", self.key, self.study.model_label(self.base))
        return TuningCheckpoint(self.study.out / CHECKPOINTS / f"{named}.safetensors")

    def run(self, tick: Callable[[int], None]) -> _Tuned:
        """Train the reader."""
        asked = model_of(self.study, self.base, "question")
        check_clear_cases(asked.here())
        exact = asked.asking.scoring.model_copy(update={"precision": "float32"})
        asking = Asking("question", exact, asked.asking.model, asked.asking.prompts)
        scorer, canaries = SpanScorer.load(self.source, asking), canaries_of(self.source, asking)
        before = right_questions(scorer, canaries)
        examples = TuningExamples([_examples(c, scorer) for c in self.classes], self.settings.batch)
        losses = ReaderTuning(scorer, examples, self.settings, self.checkpoint).run(tick)
        clear = ClearQuestions(
            model=self.study.model_label(self.name),
            origin="" if isinstance(canaries, Waived) else canaries.origin,
            questions=0 if isinstance(canaries, Waived) else len(canaries.inputs),
            before=before,
            after=right_questions(scorer, canaries),
        )
        with tempfile.TemporaryDirectory() as scratch, disk_errors(Path(scratch)):
            scorer.precisions.quick.model.save_pretrained(scratch, max_shard_size="1TB")
            return _Tuned(losses, clear, (Path(scratch) / WEIGHTS).read_bytes())


@dataclass(frozen=True)
class _Tuned:
    """A tuned reader."""

    losses: list[StepLoss]
    clear: ClearQuestions
    weights: bytes
    """The content of its safetensors file."""


def _examples(rows: TuningClass, scorer: SpanScorer) -> ClassExamples:
    by_kind: dict[Kind, tuple[Intervention, ...]] = {}
    for sentence in rows.sentences:
        if pc.any(applies(sentence, rows.quads, "question"), min_count=0).as_py():
            by_kind[sentence.kind] = (*by_kind.get(sentence.kind, ()), sentence)
    return ClassExamples(rows.quads, subject_shares(scorer, rows.quads), rows.twins, by_kind)


def _ticks(
    tick: Callable[[int, int], None], i: int, settings: TuningSettings, n: int
) -> Callable[[int], None]:
    return lambda step: tick(i * settings.steps + step, n * settings.steps)


def _losses(training: _Training, made: Callable[[], _Tuned]) -> PartResult:
    label = training.study.model_label(training.name)
    rows = [TuningLoss(**asdict(loss), model=label) for loss in made().losses]
    return PartResult(table_of(rows, TuningLoss))


def _clear(made: Callable[[], _Tuned]) -> PartResult:
    return PartResult(table_of([made().clear], ClearQuestions))


def _files(training: _Training, made: Callable[[], _Tuned]) -> Iterator[FilePart]:
    """Yield the files of the tuned model's folder: the base model's files with new weights and a new card."""
    folder = training.name.removeprefix(f"{TUNED_FOLDER}/")
    base = training.source.folder
    assert base is not None
    names = {p.relative_to(base).as_posix() for pattern in SETTINGS for p in base.glob(pattern)}
    for name in sorted(n for n in names if not n.endswith(".index.json")):
        yield FilePart(f"{folder}/{name}", (base / name).read_bytes)
    yield FilePart(f"{folder}/{WEIGHTS}", lambda: made().weights)
    card = functools.partial(tuned_card, training.study.model_label(training.base), training.settings)
    repository = hub_repository(training.base, training.study.folder)
    canaries = card_canaries(training.source)
    yield FilePart(f"{folder}/{CARD}", lambda: card(made().clear, canaries, repository).encode())
