"""Sessions on a real Label Studio at size, 1,000 cycles with faults, and valid items an hour.

    python benchmarks/validation.py [--units 5000]
    python benchmarks/validation.py --faults [--cycles 1000]
    python benchmarks/validation.py --validator [STUDY] [--batch 25] [--seeds 20] [--pace 30]

``--validator`` judges the units of a study that have a verdict again, half of them, in shuffled order and in
that of the verdict model, which is trained again after each batch: a simulation over the study's verdicts.
Without STUDY, over the project's own judgments: in studies/hard_and_valid/judgments, or ``--judgments FILE``.

The annotators answer through the API, which takes most of the time and is not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.figures import figure
from benchmarks.own_judgments import judged_recipe
from nextset.cli.validate_predict import featurizer
from nextset.records.judgment import Verdict
from nextset.scoring.models.sources import locate
from nextset.study.study_folder import Study
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from nextset.validation.study_units import kept_units
from nextset.validation.verdict_model.prediction_records import Predicted
from nextset.validation.verdict_model.queue_simulation import percentiles, simulate_queue
from nextset.validation.verdict_model.stage import verdicts_so_far
from nextset.validation.verdict_model.unit_features import unit_features
from nextset.validation.verdict_model.valid_per_hour import mean_seconds
from nextset.validation.verdict_model.verdict_prediction import predict_rest
from tests.validation.session.sample_annotators import judged, pass_gate, verdict_of
from tests.validation.session.sample_study import kept, made_study
from tests.validation.studio import Annotator, Studio, running

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "studies" / "hard_and_valid"
SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1, when something troubles you.
    budget: {{batch: {items}, person: {items}}}
"""


def timed(do: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    began = time.monotonic()
    found = do()
    return time.monotonic() - began, found


def sizes(n_units: int) -> None:
    """Open, status and pull with three annotators who judge everything."""
    with tempfile.TemporaryDirectory() as scratch, running(Path(scratch) / "label-studio") as studio:
        people = [studio.annotator(f"{name}@example.org") for name in ("ana", "ben", "cleo")]
        session = SESSION.format(items=2 * n_units)
        study = made_study(Path(scratch) / "study", session=session, table=kept(n_units))
        client = studio.client()
        gates, _ = timed(lambda: open_session(study, client, [a.email for a in people]))
        state = EventLog(study.judgments).state.current
        assert state is not None
        parts = list(state.people.values())
        right = [item.verdict for item in session_materials(study).briefing.comprehension]  # type: ignore[union-attr]
        for annotator, part in zip(people, parts, strict=True):
            pass_gate(studio, annotator, part.projects["gate"], right)
        pushing, pulled = timed(lambda: pull_session(study, client))
        tasks = sum(b.on_server for b in pulled.advanced.pushed)
        name = f"{n_units:,} units x 3: plan, projects and {tasks:,} tasks on the server"
        figure(name, gates + pushing, "<= 60 s", gates + pushing <= 60, "s")

        numbers = answer_all(studio, study.judgments, people)
        status, _ = timed(lambda: session_status(study, client))
        figure("status before the pull", status, "<= 5 s", status <= 5, "s")
        pull, pulled = timed(lambda: pull_session(study, client))
        figure(f"pull of {pulled.taken.new:,} answers", pull, "<= 120 s", pull <= 120, "s")
        status, found = timed(lambda: session_status(study, client))
        figure("status with everything pulled", status, "<= 5 s", status <= 5, "s")
        figure("units with enough judgments", found.enough, f"{n_units:,}", found.enough == n_units)
        for annotator, answers in zip(people, numbers, strict=True):
            for number in answers[:34]:
                annotator.edit(number, *judged("incoherent"))
        again, pulled = timed(lambda: pull_session(study, client))
        # the benchmark answers faster than people do: ten minutes before the newest answer is most of them
        figure(f"pull of {pulled.taken.new} edited answers", again, "<= 10 s", again <= 10, "s")


def answer_all(studio: Studio, judgments: Path, people: list[Annotator]) -> list[list[int]]:
    """Everybody answers everything at the same time; the numbers of their answers."""
    state = EventLog(judgments).state.current
    assert state is not None
    projects = [p.projects["work"] for p in state.people.values()]
    numbers: list[list[int]] = [[] for _ in people]

    def work(annotator: Annotator, project: str, done: list[int]) -> None:
        for unit_id, task in studio.task_numbers(int(project)).items():
            done.append(annotator.answer(task, *judged(verdict_of(unit_id))))

    threads = [threading.Thread(target=work, args=of) for of in zip(people, projects, numbers, strict=True)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        threads[0].join(30)
        sys.stderr.write(f"{sum(map(len, numbers)):,} answers, {time.monotonic() - began:.0f} s\n")
    return numbers


def faults(cycles: int) -> None:
    """Cycles of answers, a fault and a pull; in a process of their own, so that it can be stopped."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "tests.validation.session.faulty_sessions",
            scratch,
            "0",
            str(cycles),
        ]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, env=os.environ)
    tally = json.loads(done.stdout)
    figure("cycles with a fault each", tally["cycles"], f"{cycles:,}", tally["cycles"] == cycles)
    for name, n in sorted(tally["faults"].items()):
        figure(f"  of these: {name}", n, "measured only", True)
    figure("answers acknowledged by the server", tally["answers"], "measured only", True)
    for name in ("lost", "overwritten", "twice"):
        figure(f"judgments {name}", tally[name], "0", tally[name] == 0)
    figure("tasks doubled", tally["doubled"], "0", tally["doubled"] == 0)


def validator(study: Study, batch: int, seeds: int, pace: float | None) -> None:
    """Valid units an hour in the first half of the verdicts: shuffled, and likely valid first."""
    units = kept_units(study.out, study.filter)
    so_far = verdicts_so_far(study, units)
    units = units.filter(pc.is_in(units["unit_id"], pa.array(sorted(so_far.verdicts), pa.string())))
    ids = units["unit_id"].to_pylist()
    assumed = pace or mean_seconds(so_far.seconds)
    seconds = {u: pace or so_far.seconds.get(u, assumed) for u in ids}
    name = study.filter.models[0]
    source = featurizer(locate(name, study.folder), study.model_label(name), study.filter.form)
    texts, about = source.features(units), unit_features(units, source.word_classes)

    def predict(verdicts: Mapping[str, Verdict]) -> Sequence[Predicted]:
        return predict_rest(ids, texts, verdicts, model=source.model, about=about).predicted

    valid = sum(so_far.verdicts[u] == "valid" for u in ids)
    figure("units with a verdict", len(ids), "measured only", True)
    figure("  of these valid", 100 * valid / len(ids), "measured only", True, "%")
    known = sum(u in so_far.seconds for u in ids) if pace is None else 0
    figure(f"seconds a unit (known of {known:,})", fmean(seconds.values()), "measured only", True, "s")
    found = simulate_queue(
        so_far.verdicts, seconds, predict, batch=batch, budget=(len(ids) + 1) // 2, seeds=range(seeds)
    )
    for order, values in (("shuffled", found.shuffled), ("likely valid first", found.likely_first)):
        low, mean, high = percentiles(values)
        name = f"valid units an hour in the first half, {order} ({low:.0f} to {high:.0f} over {seeds} orders)"
        figure(name, mean, "measured only", True)
    low, mean, high = percentiles(found.likely_first - found.shuffled)
    figure(f"gain, from the same first batch of {batch} ({low:.0f} to {high:.0f})", mean, "> 0", mean > 0)
    figure("batches after the first that the model ordered", 100 * found.trained, "measured only", True, "%")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--validator", type=Path, nargs="?", const=RECIPE, metavar="STUDY")
    parser.add_argument("--judgments", type=Path, metavar="FILE", help="of the recipe, instead of its newest")
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--pace", type=float, help="seconds a unit, instead of the judgments' own")
    asked = parser.parse_args()
    simulation = (asked.batch, asked.seeds, asked.pace)
    if asked.judgments or asked.validator == RECIPE:
        with tempfile.TemporaryDirectory() as scratch:
            validator(judged_recipe(RECIPE, Path(scratch), asked.judgments), *simulation)
    elif asked.validator:
        validator(Study.load(asked.validator), *simulation)
    elif asked.faults:
        faults(asked.cycles)
    else:
        sizes(asked.units)


if __name__ == "__main__":
    main()
