"""Sessions on a real Label Studio at size, under load, with 1,000 faults; valid items per hour, and hours.

    python benchmarks/validation.py [--units 5000]
    python benchmarks/validation.py --roles
    python benchmarks/validation.py --faults [--cycles 1000]
    python benchmarks/validation.py --load [--people 50] [--pause 3] [--minutes 10] [--address URL]
    python benchmarks/validation.py --keys
    python benchmarks/validation.py --flood
    python benchmarks/validation.py --validator [STUDY] [--batch 25] [--seeds 20] [--pace 30]
    python benchmarks/validation.py --hours [--sessions 200]

``--roles`` tries every endpoint of Label Studio with an annotator's login and token, through the gateway, and
compares the database before and after; and it runs a session in Chromium whose requests must all be allowed.

``--load`` lets people of a real session answer at the same time, one answer per three seconds each, like the
page, and looks for every acknowledged answer: through the gateway of its own `nextset validate serve`, or at
``--address``, whose owner's token is in ``NEXTSET_LABEL_STUDIO_TOKEN``. With
``DJANGO_DB=default`` and ``POSTGRE_…`` it uses PostgreSQL.

``--validator`` simulates the judging of half of a study's units with verdicts, in shuffled order and in the
order of the verdict model, which is trained again after each batch. Without STUDY, it uses the project's own
judgments: in studies/hard_and_valid/judgments, or ``--judgments FILE``.

``--hours`` simulates people with known mean times, and counts how often the interval of `validate plan
--hours` contains the time that their sessions then take; no server is needed.

``--faults`` lets people answer through the gateway, while the gateway, Label Studio and pulls are killed and
responses are cut off, at all places.

``--keys`` judges 100 items by keyboard in Chromium, with the gateway's script and without: keys per item, and
seconds from the last key until the next item is shown, from the gate until the first item is shown, and from
the last key of a batch until the next batch is shown.

``--flood`` measures what a refused request costs, and how long an annotator waits for the next item while
another one sends requests on twelve connections without end, and while slow headers hold 2,000 connections.

The annotators answer through the API, which takes most of the time and is not measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.figures import figure
from benchmarks.gateway_flood import flooded, refused_seconds, slow_connections, waits
from benchmarks.gateway_roles import attempts_and_session
from benchmarks.judging_pace import measure_pace
from benchmarks.own_judgments import judged_recipe
from benchmarks.session_load import measure_load, people_at_work, print_load
from benchmarks.simulated_hours import CASES, simulate
from makers.queue_simulation import percentiles, simulate_queue
from nextset.cli.validate_predict import featurizer
from nextset.records.judgment import Verdict
from nextset.scoring.models.sources import locate
from nextset.study.study_folder import Study
from nextset.validation.gateway.connection_limit import raised_file_limit
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, Connection, local_connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import read_gateway
from nextset.validation.label_studio.local_owner import DATA_VARIABLE
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from nextset.validation.study_units import kept_units
from nextset.validation.verdict_model.prediction_records import Predicted
from nextset.validation.verdict_model.stage import verdicts_so_far
from nextset.validation.verdict_model.unit_features import unit_features
from nextset.validation.verdict_model.valid_per_hour import mean_seconds
from nextset.validation.verdict_model.verdict_prediction import predict_rest
from tests.chromium import chromium
from tests.validation.session.sample_annotators import judged, pass_gate, verdict_of
from tests.validation.session.sample_study import kept, made_study
from tests.validation.studio import Annotator, Studio, running

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "studies" / "hard_and_valid"
SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, office 1, if something troubles you.
    budget: {{batch: {items}, person: {items}, pause: 0}}
"""


def timed(do: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds and the result of ``do``."""
    began = time.monotonic()
    found = do()
    return time.monotonic() - began, found


def sizes(n_units: int) -> None:
    """Measure open, status and pull with three annotators who judge everything."""
    with tempfile.TemporaryDirectory() as scratch, running(Path(scratch) / "label-studio") as studio:
        people = [studio.annotator(f"{name}@example.org") for name in ("ana", "ben", "cleo")]
        session = SESSION.format(items=2 * n_units)
        study = made_study(Path(scratch) / "study", session=session, table=kept(n_units))
        client = studio.client()
        gates, _ = timed(lambda: open_session(study, client, [a.email for a in people]))
        state = EventLog(study.judgments).state.current
        assert state is not None
        parts = list(state.people.values())
        right = session_materials(study).briefing.comprehension
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
        # the benchmark answers faster than people: most answers are within ten minutes of the newest one
        figure(f"pull of {pulled.taken.new} edited answers", again, "<= 10 s", again <= 10, "s")


def answer_all(studio: Studio, judgments: Path, people: list[Annotator]) -> list[list[int]]:
    """Let everyone answer everything at the same time; return the numbers of their answers."""
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


@contextmanager
def served(data: Path) -> Iterator[Connection]:
    """Run `nextset validate serve` in a separate process, with its data in ``data``; yield a connection."""
    environment = {**os.environ, DATA_VARIABLE: str(data)}
    command = [sys.executable, "-m", "nextset", "validate", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        over = threading.Event()
        try:
            while (connection := local_connection(data)) is None and process.poll() is None:
                over.wait(0.2)
            assert connection is not None, "validate serve did not start"
            yield connection
        finally:
            process.terminate()


def roles() -> None:
    """Print the others' data that an annotator can read or change, and the refused requests of a session."""
    with tempfile.TemporaryDirectory() as scratch, running(Path(scratch) / "ls") as studio:
        found, refused, asked = attempts_and_session(studio, Path(scratch))
    figure("requests with an annotator's login or token", found.tried, "hundreds", found.tried >= 1000)
    figure("  of these, requests that read data of others", len(found.read), "0", not found.read)
    figure("  changed rows of others", len(found.changed), "0", not found.changed)
    for line in (*found.read[:5], *found.changed[:5]):
        sys.stderr.write(f"{line}\n")
    figure("requests of a session in the browser", asked, "measured only", True)
    figure("  of these refused", len(refused), "0", not refused)
    for line in refused[:5]:
        sys.stderr.write(f"{line}\n")


def under_load(people: int, pause: float, minutes: float, address: str) -> None:
    """Measure many people at the same time, on a separate server or at ``address``."""
    seconds = 60 * minutes
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        if address:
            connection = Connection(address, os.environ.get(TOKEN_VARIABLE, ""))
        else:
            connection = stack.enter_context(served(Path(scratch) / "label-studio"))
            address = connection.url
        client = stack.enter_context(LabelStudio(connection))
        items = math.ceil(seconds / pause) + 10
        at_work = people_at_work(client, address, Path(scratch) / "study", people, items)
        print_load(measure_load(client, stack.enter_context(at_work), pause, seconds), people, pause)


def faults(cycles: int) -> None:
    """Run cycles of answers, a fault and a pull, through the gateway, in a separate process."""
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
    figure("answers acknowledged by the gateway", tally["answers"], "measured only", True)
    figure("answers repeated because they were not acknowledged", tally["again"], "measured only", True)
    figure("people's requests refused", tally["refused"], "0", tally["refused"] == 0)
    for name in ("lost", "overwritten", "twice"):
        figure(f"judgments {name}", tally[name], "0", tally[name] == 0)
    figure("tasks doubled", tally["doubled"], "0", tally["doubled"] == 0)


def validator(study: Study, batch: int, seeds: int, pace: float | None) -> None:
    """Print the valid units per hour in the first half of the verdicts: shuffled, and likely valid first."""
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)
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
    figure("  of these, valid", 100 * valid / len(ids), "measured only", True, "%")
    known = sum(u in so_far.seconds for u in ids) if pace is None else 0
    figure(f"seconds per unit (known for {known:,})", fmean(seconds.values()), "measured only", True, "s")
    found = simulate_queue(
        so_far.verdicts, seconds, predict, batch=batch, budget=(len(ids) + 1) // 2, seeds=range(seeds)
    )
    for order, values in (("shuffled", found.shuffled), ("likely valid first", found.likely_first)):
        low, mean, high = percentiles(values)
        name = (
            f"valid units per hour in the first half, {order} ({low:.0f} to {high:.0f} over {seeds} orders)"
        )
        figure(name, mean, "measured only", True)
    low, mean, high = percentiles(found.likely_first - found.shuffled)
    figure(f"gain, from the same first batch of {batch} ({low:.0f} to {high:.0f})", mean, "> 0", mean > 0)
    figure("batches after the first that the model ordered", 100 * found.trained, "measured only", True, "%")


def hours(sessions: int) -> None:
    """Print the coverage of the 95 % interval of a session's hours, by the answers known before."""
    for case in CASES:
        found = simulate(case, sessions, seed=0)
        held = 100 * found.held / found.said
        figure(f"{case.name}: intervals that contain the truth", held, ">= 90 %", held >= 90, "%")
        if found.narrow:
            name = f"  of the {found.narrow} within ± 25 %"
            figure(name, 100 * found.narrow_held / found.narrow, "measured only", True, "%")


def keys(items: int = 100) -> None:
    """Print seconds from key to next item, and keys per item, with the gateway's script and without."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(Path(scratch) / "label-studio") as connection,
        LabelStudio(connection) as client,
        chromium() as browser,
    ):
        for script, name in ((True, "with the script"), (False, "without it")):
            found = measure_pace(client, browser, Path(scratch) / name, items, script=script)
            median, late = (float(np.percentile(found.seconds, p)) for p in (50, 95))
            goals = ("<= 0.4 s", "<= 2") if script else ("measured only",) * 2
            good = not script or median <= 0.4
            figure(f"key to next item, median of {items}, {name}", median, goals[0], good, "s")
            late_goal, early = ("<= 0.6 s", late <= 0.6) if script else ("measured only", True)
            figure(f"  the same, p95, {name}", late, late_goal, early, "s")
            answer = float(np.median(found.requests))
            figure("  of this, the request with the answer, median", answer, "measured only", True, "s")
            figure(f"keys per item, {name}", found.keys, goals[1], not script or found.keys <= 2)
            if found.next_batch is not None:
                figure(
                    "from the gate to the first item", found.first_item, "<= 3 s", found.first_item <= 3, "s"
                )
                figure("between batches", found.next_batch, "<= 3 s", found.next_batch <= 3, "s")


def flood(requests: int = 100) -> None:
    """Print what a refused request costs, and how long a judge waits during floods and slow connections."""
    raised_file_limit()
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(Path(scratch) / "label-studio") as connection,
        LabelStudio(connection) as client,
        people_at_work(client, connection.url, Path(scratch) / "study", 2, 20) as (judge, other),
    ):
        gateway = read_gateway(Path(scratch) / "label-studio")
        assert gateway is not None
        cost = 1000 * refused_seconds(other, requests, gateway.pid)
        figure("computing for a refused request", cost, "<= 2 ms", cost <= 2, "ms")
        waits(judge, 20)
        item = f"/api/dm/actions?id=next_task&project={other.project}"
        for name, method, path in (
            ("requests that are refused", "GET", "/api/projects"),
            ("requests for the next item", "POST", item),
        ):
            alone = waits(judge, requests)
            with flooded(other, method, path):
                waits(judge, requests)  # the requests that every person may send at once
                slower = 100 * (waits(judge, requests) / alone - 1)
            figure(f"next item, median of {requests}, alone", 1000 * alone, "measured only", True, "ms")
            figure(f"  slower in a flood of {name}", slower, "<= 20 %", slower <= 20, "%")
        alone = waits(judge, requests)
        with slow_connections(connection.url, 2000) as slow:
            slower = 100 * (waits(judge, requests) / alone - 1)
            figure(f"  slower with {len(slow):,} slow connections", slower, "<= 20 %", slower <= 20, "%")
        figure("requests of the judge that failed", len(judge.failed), "0", not judge.failed)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument("--roles", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--pause", type=float, default=3.0, help="seconds from answer to answer")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument(
        "--address", default="", metavar="URL", help="a running server to use instead of a new one"
    )
    parser.add_argument("--validator", type=Path, nargs="?", const=RECIPE, metavar="STUDY")
    parser.add_argument(
        "--judgments", type=Path, metavar="FILE", help="the recipe's judgments, instead of its newest file"
    )
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--pace", type=float, help="seconds per unit, instead of the judgments' own")
    parser.add_argument("--hours", action="store_true")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--flood", action="store_true")
    asked = parser.parse_args()
    simulation = (asked.batch, asked.seeds, asked.pace)
    if asked.judgments or asked.validator == RECIPE:
        with tempfile.TemporaryDirectory() as scratch:
            validator(judged_recipe(RECIPE, Path(scratch), asked.judgments), *simulation)
    elif asked.validator:
        validator(Study.load(asked.validator), *simulation)
    elif asked.roles:
        roles()
    elif asked.load:
        under_load(asked.people, asked.pause, asked.minutes, asked.address)
    elif asked.hours:
        hours(asked.sessions)
    elif asked.faults:
        faults(asked.cycles)
    elif asked.keys:
        keys()
    elif asked.flood:
        flood()
    else:
        sizes(asked.units)


if __name__ == "__main__":
    main()
