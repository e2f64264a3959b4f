"""The order of the stages, the stages of a study, and the commands that make artifacts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.artifacts.manifest import command_of
from nextset.pipeline.stage import Stage
from nextset.pipeline.stage_list import STAGES, in_order, ordered_stages, stages_of, stages_until

NAMES = [
    "generate", "port", "fill", "triggers", "tune", "score", "filter", "filter_report", "validate", "release",
    "release_report", "audit", "dataset_version", "report", "interventions", "interventions_report",
    "ambiguous_questions", "selectional", "selectional_report", "passage_index", "retrieved", "retrieval",
    "retrieval_report",
]  # fmt: skip


@dataclass(repr=False)
class Toy(Stage):
    """A stage that is only put in order."""

    name: str
    inputs: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    section: str = ""
    is_page: bool = False

    def wanted(self, settings: object) -> bool:
        return True

    def recipe(self, study: object) -> Any:
        raise NotImplementedError

    def run(self, study: object, progress: object) -> Any:
        raise NotImplementedError


def names(stages: tuple[Stage, ...]) -> list[str]:
    return [stage.name for stage in stages]


def study(folder: Path, text: str) -> nextset.Study:
    (folder / "study.yaml").write_text(f"format: 1\nname: x\n{text}")
    return nextset.Study.load(folder)


def test_the_order_of_all_stages_follows_from_their_inputs() -> None:
    assert [name for name in names(ordered_stages()) if STAGES.package(name).startswith("nextset ")] == NAMES


def test_inputs_and_names_are_those_of_registered_stages() -> None:
    for name in STAGES.names:
        stage = STAGES[name]
        assert stage.name == name
        assert {*stage.inputs, *stage.before} <= {*STAGES.names}, name


def test_a_stage_runs_after_its_inputs_and_just_before_a_stage_that_can_use_it() -> None:
    early = Toy("early", before=("score",))
    late = Toy("late", inputs=("filter",))
    order = names(in_order([*ordered_stages(), late, early]))
    assert order.index("early") < order.index("score")
    assert [name for name in order if name not in ("early", "late")] == NAMES
    # an extension's stage that no stage needs follows those of nextset's own sections
    assert order.index("late") > order.index("report")


def test_of_two_stages_a_page_or_the_one_that_reads_the_latest_result_is_next() -> None:
    toys = [Toy("a"), Toy("b"), Toy("c", ("b",)), Toy("d", ("a",)), Toy("e", ("a",), is_page=True)]
    assert names(in_order(toys)) == ["a", "e", "d", "b", "c"]


def test_stages_that_wait_for_each_other_are_an_error() -> None:
    with pytest.raises(nextset.InputError, match="each of a, b has to run after another of them"):
        in_order([Toy("a", ("b",)), Toy("b", ("a",)), Toy("c")])


def test_a_study_runs_the_stages_of_its_sections(tmp_path: Path) -> None:
    templates = 'templates: ["builtin:gender"]\n'
    assert names(stages_of(study(tmp_path, templates))) == ["generate", "fill"]
    filtered = templates + 'filter: {models: ["builtin:nli-electra"]}\nrelease: {name: x, version: 0.1.0}\n'
    core = [name for name in NAMES[:14] if name not in ("port", "triggers", "tune")]
    assert names(stages_of(study(tmp_path, filtered))) == core
    questions = 'questions: {packs: ["builtin:en"]}\n'
    assert names(stages_of(study(tmp_path, questions))) == ["generate"]
    released = questions + "release: {name: x, version: 0.1.0}\n"
    expected = ["generate", "release", "release_report", "dataset_version"]
    assert names(stages_of(study(tmp_path, released))) == expected
    quads = (
        questions
        + 'filter: {models: ["builtin:qa-roformer"], candidates: [questions], rule: {c_at_least: 0.1}}\n'
    )
    expected = ["generate", "score", "filter", "filter_report", "audit", "report"]
    assert names(stages_of(study(tmp_path, quads))) == expected


def test_a_run_ends_after_the_stage_until(tmp_path: Path) -> None:
    loaded = study(tmp_path, 'templates: ["builtin:gender"]\n')
    summary = nextset.run(loaded, until="generate")
    assert [result.stage for result in summary.stages] == ["generate"]
    assert summary.made == loaded.out / "generate"
    assert summary.interventions is None
    assert not hasattr(summary, "nothing")
    assert not (loaded.out / "fill").exists()
    assert stages_until(loaded, None) == stages_of(loaded)
    with pytest.raises(nextset.InputError, match="there is no stage 'fitler'") as error:
        nextset.run(loaded, until="fitler")
    assert error.value.remedy == "use one of the study's stages: generate, fill"
    with pytest.raises(nextset.InputError, match="this study does not run the stage 'filter'"):
        nextset.run(loaded, until="filter")


@pytest.mark.parametrize(
    ("artifact", "command"),
    [
        ("generate", "generate"), ("mask_words", "fill"), ("fluency", "fill"), ("fill_marks", "fill"),
        ("score_pilot", "score"), ("score_held_out", "filter"), ("filter_report", "filter"),
        ("filter_comparison", "filter --compare"), ("validate", "validate apply"),
        ("validate_report", "validate report"), ("validator", "validate predict"),
        ("release", "release build"), ("release_report", "release build"),
        ("dataset_version", "release build"), ("score_release", "audit"),
        ("score_release_held_out", "audit"), ("score_audit", "audit"), ("score_audit_qa", "audit"),
        ("score_wordings", "audit"), ("traces", "audit"), ("ambiguous_questions", "selectional"),
        ("selectional_answers", "selectional"), ("selectional_report", "selectional"),
        ("passage_index", "retrieval"), ("passage_vectors-builtin--x-0123", "retrieval"),
        ("retrieved", "retrieval"), ("retrieval_answers", "retrieval"), ("retrieval_report", "retrieval"),
        ("score_twins_question", "interventions"), ("intervention_series", "interventions"),
        ("interventions_report", "interventions"), ("other", "other"),
    ],
)  # fmt: skip
def test_the_command_that_makes_an_artifact(artifact: str, command: str) -> None:
    assert command_of(artifact) == command
