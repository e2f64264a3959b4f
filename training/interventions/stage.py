"""The stage tune: readers are fine-tuned on interventions, each into a model folder of its own."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ModelError, StudyError
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.intervention import Intervention, Kind, interventions_of
from nextset.scoring.intervened_rows import applies
from nextset.scoring.model_kinds import KINDS, kind_of
from nextset.scoring.models.sources import SETTINGS, ModelSource, locate
from nextset.scoring.scorer_protocol import Asking
from nextset.scoring.stage import model_of
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study
from nextset.study.tuning_settings import TUNED_FOLDER, TuningSettings
from nextset.training.interventions.held_out_parts import held_out_parts, seen_rows, unseen_rows
from nextset.training.interventions.reader_tuning import ReaderTuning, subject_shares
from nextset.training.interventions.tuned_card import tuned_card
from nextset.training.interventions.tuning_checkpoint import TuningCheckpoint
from nextset.training.interventions.tuning_examples import ClassExamples, TuningExamples
from nextset.training.interventions.tuning_records import HeldOutPart, StepLoss, TuningLoss

__all__ = ["tune_readers", "tune_recipe"]

CHECKPOINTS = "tuning_checkpoints"
"""The folder in out/ whose files let a stopped training go on."""
WEIGHTS = "model.safetensors"
CARD = "README.md"


@of_study
def tune_readers(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fine-tune the readers of interventions.tuning: out/tune, with a model folder for each.

    The base models stay as they are. A stopped training goes on from its last checkpoint, and the same study
    gives the same weights on one machine. Raises MissingStage before `generate` has run, ModelError for a
    model that is no extractive reader, StudyError if no question is left to train or to measure on.
    """
    with study.held("tune"):
        recipe, settings = tune_recipe(study), _settings(study)
        classes = _classes(study, settings)
        tick = progress("tune")
        tuned = study.tuned_models
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
                *(part for t in trainings for part in _files(t, made[t.name])),
            ],
        )
        for training in trainings:
            training.checkpoint.file.unlink(missing_ok=True)
        return artifact


def tune_recipe(study: Study) -> Recipe:
    """Return the recipe of what `tune_readers` would make now; raises MissingStage before `generate`."""
    settings = _settings(study)
    generated = open_artifact(study.out / "generate")
    sources = {study.model_label(base): locate(base, study.folder) for base in study.tuned_models.values()}
    return Recipe(
        "tune",
        1,
        {"generate": generated.digest},
        {
            **settings.model_dump(mode="json", exclude={"models"}),
            "order": list(sources),
            "spans": study.settings.scoring.spans,
            "too_long": [study.model_settings(name).too_long for name in study.tuned_models],
        },
        {label: source.identity for label, source in sources.items()},
    )


def _settings(study: Study) -> TuningSettings:
    settings = study.settings.interventions
    if settings is None or settings.tuning is None:
        raise StudyError(
            "'interventions.tuning' is missing",
            file=study.file,
            line=1,
            remedy="add tuning: {models: [MODEL, ...]} to interventions",
        )
    return settings.tuning


@dataclass(frozen=True)
class _Class:
    """The rows of a class that training sees, and what it does not see."""

    quads: pa.Table
    twins: pa.Table
    sentences: tuple[Intervention, ...]
    parts: tuple[HeldOutPart, ...]


def _classes(study: Study, settings: TuningSettings) -> list[_Class]:
    generated = open_artifact(study.out / "generate")
    if "quads" not in generated.tables or not generated.rows("quads"):
        raise StudyError(
            "interventions.tuning: the study makes no questions", file=study.file,
            remedy="add questions with the form question, or remove tuning",
        )  # fmt: skip
    sentences = interventions_of(generated.table("interventions"))
    quads, twins = generated.table("quads"), generated.table("specified_questions")
    named = pa.table({n: pc.cast(quads[n], pa.string()) for n in ("language", "subject_class")})
    keys = sorted(
        (row["language"], row["subject_class"])
        for row in named.group_by(list(named.column_names)).aggregate([]).to_pylist()
    )
    return [_class(study, settings, key, quads, twins, sentences) for key in keys]


def _class(
    study: Study,
    settings: TuningSettings,
    key: tuple[str, str],
    quads: pa.Table,
    twins: pa.Table,
    sentences: Sequence[Intervention],
) -> _Class:
    language, name = key
    mine, known = (
        rows.filter(pc.and_(pc.equal(rows["language"], language), pc.equal(rows["subject_class"], name)))
        for rows in (quads, twins)
    )
    parts = held_out_parts(mine, known, language, name, settings.held_out, settings.seed)
    told = [i for i in sentences if i.language == language and name in i.classes]
    heard = tuple(i for i in told if not i.held_out)
    for rows, found, what in ((seen_rows, heard, "train on"), (unseen_rows, told, "measure on")):
        kinds = {i.kind for i in found if (i.held_out or what == "train on")}
        missing = [k for k in _kinds(settings) if k not in kinds]
        if not rows(mine, parts).num_rows:
            raise StudyError(
                f"interventions.tuning: no question of {name} ({language}) is left to {what}: it takes one "
                f"whose template and subjects are all {'seen' if what == 'train on' else 'held out'}",
                file=study.file,
                remedy="raise questions.subset, or change tuning.held_out, or leave the class out",
            )
        if missing:
            raise StudyError(
                f"interventions.tuning: no {missing[0]} sentence for {name} ({language}) is left to {what}",
                file=study.file,
                remedy="raise interventions.most to 2 or more, or add sentences",
            )
    return _Class(
        _drawn(seen_rows(mine, parts), settings), _drawn(seen_rows(known, parts), settings), heard,
        tuple(parts),
    )  # fmt: skip


def _kinds(settings: TuningSettings) -> list[str]:
    return [kind for kind, weight in settings.weights.model_dump().items() if weight and kind != "twins"]


def _drawn(rows: pa.Table, settings: TuningSettings) -> pa.Table:
    """The questions of ``rows`` that training reads: so many, drawn by the seed and their ids."""
    ids = rows["id"].to_pylist()
    order = sorted(range(len(ids)), key=lambda i: content_id("tuning", str(settings.seed), ids[i]))
    return rows.take(pa.array(sorted(order[: settings.questions]), pa.int64()))


@dataclass(frozen=True)
class _Training:
    """The training of one reader."""

    study: Study
    name: str
    """The name of the tuned model."""
    base: str
    """The model that is tuned, as the study names it."""
    classes: Sequence[_Class]
    settings: TuningSettings
    key: str

    @functools.cached_property
    def source(self) -> ModelSource:
        number = list(self.settings.models).index(self.base)
        with model_key(self.study.file, "interventions", "tuning", "models", number):
            source = locate(self.base, self.study.folder)
            if (kind := kind_of(source)) != "spans":
                raise ModelError(
                    f"{self.base} is a model of the kind {KINDS[kind]}, which cannot be tuned",
                    remedy=f"choose one of the kind {KINDS['spans']}",
                )
        return source

    @property
    def checkpoint(self) -> TuningCheckpoint:
        """The file that this training goes on from."""
        named = content_id("tuning", self.key, self.study.model_label(self.base))
        return TuningCheckpoint(self.study.out / CHECKPOINTS / f"{named}.safetensors")

    def run(self, tick: Callable[[int], None]) -> _Tuned:
        """Train the reader."""
        asking = model_of(self.study, self.base, "question").asking
        exact = asking.scoring.model_copy(update={"precision": "float32"})
        scorer = SpanScorer.load(self.source, Asking("question", exact, asking.model, asking.prompts))
        examples = TuningExamples([_examples(c, scorer) for c in self.classes], self.settings.batch)
        losses = ReaderTuning(scorer, examples, self.settings, self.checkpoint).run(tick)
        with tempfile.TemporaryDirectory() as scratch:
            scorer.precisions.quick.model.save_pretrained(scratch, max_shard_size="1TB")
            return _Tuned(losses, (Path(scratch) / WEIGHTS).read_bytes())


@dataclass(frozen=True)
class _Tuned:
    """A tuned reader."""

    losses: list[StepLoss]
    weights: bytes
    """The content of its safetensors file."""


def _examples(rows: _Class, scorer: SpanScorer) -> ClassExamples:
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


def _files(training: _Training, made: Callable[[], _Tuned]) -> Iterator[FilePart]:
    """The files of the tuned model's folder: those of the base model, with other weights and another card."""
    folder = training.name.removeprefix(f"{TUNED_FOLDER}/")
    base = training.source.folder
    assert base is not None
    names = {p.relative_to(base).as_posix() for pattern in SETTINGS for p in base.glob(pattern)}
    for name in sorted(n for n in names if not n.endswith(".index.json")):
        yield FilePart(f"{folder}/{name}", (base / name).read_bytes)
    yield FilePart(f"{folder}/{WEIGHTS}", lambda: made().weights)
    card = functools.partial(tuned_card, training.study.model_label(training.base), training.settings)
    yield FilePart(f"{folder}/{CARD}", lambda: card().encode())
