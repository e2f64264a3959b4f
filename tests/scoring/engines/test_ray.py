"""Jobs on a real Ray cluster: one machine that only leads, two with a CPU each."""

from __future__ import annotations

import functools
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, Runner, build
from nextset.artifacts.progress_callback import Tick
from nextset.errors import ModelError, NextsetError
from nextset.extensions.ambiguity.search.search_stage import search_passages
from nextset.extensions.ambiguity.search.stage import index_passages
from nextset.scoring.engines.devices import device_type
from nextset.scoring.engines.local import run_locally
from nextset.scoring.engines.ray_cluster import has_gpus
from nextset.scoring.engines.ray_data import run_on_ray
from nextset.scoring.jobs import Job
from nextset.scoring.model_server.rate_and_cost_limits import ledger_of
from nextset.scoring.row_chunks import chunks, sources_of
from nextset.scoring.stage import score
from nextset.scoring.study_models import model_of
from nextset.study.filter_rule_settings import Boundaries
from tests.extensions.ambiguity.search.passage_studies import passage_study
from tests.extensions.ambiguity.search.tiny_encoders import save_bert
from tests.scoring.engines.ray_parts import dies, dies_once, number, waits_once
from tests.scoring.model_server.scripted_server import scripted
from tests.scoring.small_study import MODELS, small_study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:`use_.*` is deprecated:DeprecationWarning:ray.data.context"),
]

LIMIT = 60
"""Seconds that are waited for a worker."""
STORE = 80_000_000
"""Bytes of shared memory of a machine."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """The cluster, at RAY_ADDRESS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # listen on the loopback address alone
        patch.setenv("RAY_BACKEND_LOG_LEVEL", "fatal")
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "num_gpus": 0, "include_dashboard": False, "object_store_memory": STORE}
        made = Cluster(initialize_head=True, head_node_args=head)
        patch.setenv("RAY_ADDRESS", made.address)
        for _ in range(2):
            made.add_node(num_cpus=1, num_gpus=0, object_store_memory=STORE)
        yield made
        made.shutdown()  # type: ignore[no-untyped-call]


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def jobs(folder: Path) -> dict[str, Part]:
    """Both models, each asked about all items of a small study."""
    study = small_study(folder, "ray")
    rows = list(chunks(sources_of(open_artifact(study.out / "generate"), "items")))
    models = [model_of(study, name, "nli") for name in MODELS]
    made = [Job(model, some, "filter", Boundaries()) for model in models for some in rows]
    return {f"scores-{i:05d}.parquet": Part("scores", job) for i, job in enumerate(made)}


def test_the_artifact_is_that_of_the_local_engine(cluster: Any, tmp_path: Path) -> None:
    here = score(small_study(tmp_path / "here", "local"))
    there = score(small_study(tmp_path / "there", "ray"))
    assert len(there.shards) == 8
    assert content(there.folder) == content(here.folder)


def test_models_behind_servers_are_asked_by_this_process(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits of a run are counted in one process, so a worker's requests would not be in its ledger."""
    with scripted(lambda request: request.choices[0]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        study = small_study(tmp_path / "study", "ray")
        rows = next(chunks(sources_of(open_artifact(study.out / "generate"), "items")))
        models = [model_of(study, name, "nli") for name in (MODELS[0], "openai:m")]
        parts = {
            f"{n}.parquet": Part("scores", Job(model, rows, "filter", Boundaries()))
            for n, model in enumerate(models)
        }
        ledger = ledger_of(study.settings.scoring.server)
        before = ledger.requests
        scores = {file: made.table for file, made in run_on_ray(parts)}
        assert ledger.requests - before == len(server.requests) > 0
    assert set(scores["1.parquet"]["votes"].to_pylist()) == {True}
    assert set(scores["0.parquet"]["votes"].to_pylist()) == {False}


def test_a_machine_that_dies_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    where, never, note = tmp_path / "where", tmp_path / "never", tmp_path / "note"
    os.mkfifo(where)
    os.mkfifo(never)
    told = os.open(where, os.O_RDONLY | os.O_NONBLOCK)
    hangs = functools.partial(waits_once, note, where, never, 7)
    scored = [part.make for part in jobs(tmp_path / "study").values()]
    recorded: list[int] = []

    def kill_one(done: int, total: int) -> None:
        recorded.append(done)
        if done == 1:  # a shard is in the journal, and one machine hangs or will
            with selectors.DefaultSelector() as ready:  # select knows only the first 1,024 files
                ready.register(told, selectors.EVENT_READ)
                assert ready.select(LIMIT)
            node = os.read(told, 100).decode()
            cluster.remove_node(next(n for n in cluster.worker_nodes if n.node_id == node))

    def made(name: str, first: Callable[[], PartResult], runner: Runner, tick: Tick) -> dict[str, bytes]:
        parts = [Part("scores", make) for make in (first, *scored)]
        folder = tmp_path / name
        return content(build(folder, Recipe("s", 1), lambda: parts, progress=tick, runner=runner).folder)

    try:
        there = made("there", hangs, run_on_ray, kill_one)
    finally:
        os.close(told)
        cluster.add_node(num_cpus=1, num_gpus=0, object_store_memory=STORE)
    assert there == made("here", functools.partial(number, 7), run_locally, lambda done, total: None)
    assert recorded == list(range(10))


def test_a_worker_that_dies_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    parts = {str(i): Part("x", functools.partial(number, i)) for i in range(4)}
    parts["deadly"] = Part("x", functools.partial(dies_once, tmp_path / "note", 9))
    found = list(run_on_ray(parts))
    assert sorted(file for file, _ in found) == sorted(parts)
    assert {file: made.table["x"].to_pylist() for file, made in found}["deadly"] == [9]
    assert {file: dict(made.counts) for file, made in found}["deadly"] == {"seen": 9}


def test_a_part_that_no_worker_survives_ends_the_run(cluster: Any) -> None:
    with pytest.raises(NextsetError, match="4 Ray workers died while they worked on deadly") as e:
        list(run_on_ray({"deadly": Part("x", dies)}))
    assert "memory" in e.value.remedy


def test_an_error_of_a_model_comes_out_as_it_is(cluster: Any, tmp_path: Path) -> None:
    parts = jobs(tmp_path / "study")
    file, part = next(iter(parts.items()))
    assert isinstance(part.make, Job)
    wrong = replace(part.make.model, device="cuda")
    with pytest.raises(ModelError, match=r"builtin:nli-electra should run on cuda, but .* has cpu") as e:
        list(run_on_ray({file: Part("scores", replace(part.make, model=wrong))}))
    assert e.value.exit_code == 6
    assert "--num-gpus 0" in e.value.remedy
    assert any("in a Ray worker" in note for note in e.value.__notes__)


def test_the_device_is_that_of_the_cluster(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert device_type("ray") == "cpu"
    node = cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=STORE)
    has_gpus.cache_clear()
    assert device_type("ray") == "cuda"
    parts = {str(i): Part("x", functools.partial(number, i)) for i in range(10)}  # several at a time
    assert sorted(made.counts["seen"] for _, made in run_on_ray(parts)) == list(range(10))
    cluster.remove_node(node)
    has_gpus.cache_clear()
    monkeypatch.setenv("RAY_ADDRESS", "local")
    assert device_type("ray") == device_type("local")


def test_nothing_to_make_needs_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    assert list(run_on_ray({})) == []


def test_a_cluster_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(NextsetError, match=r"Ray cluster at 127\.0\.0\.1:1 cannot be used") as e:
        list(run_on_ray({"x": Part("x", functools.partial(number, 1))}))
    assert "unset RAY_ADDRESS" in e.value.remedy


WITHOUT = """
import sys
from importlib.machinery import PathFinder
class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == "ray" else super().find_spec(name, path, target)
sys.meta_path = [Without if finder is PathFinder else finder for finder in sys.meta_path]
from nextset.artifacts.build import Part
from nextset.errors import DependencyMissing
from nextset.scoring.engines import engine_of
try:
    list(engine_of("ray")({"x": Part("x", print)}))
except DependencyMissing as e:
    print(e, e.remedy, e.exit_code, sep="\\n")
"""


def test_without_ray_the_install_command_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "scoring.engine: ray needs Ray, which is not installed", "pip install 'nextset[ray]'", "7",
    ]  # fmt: skip


def test_a_cluster_that_wants_a_token_is_told_apart_from_no_cluster(tmp_path: Path, root: Path) -> None:
    """In a process of its own, since Ray reads its settings once; the token's file is looked for in HOME."""
    program = """
import socket
from nextset.errors import ModelError
from nextset.scoring.engines.ray_cluster import cluster
with socket.create_server(("127.0.0.1", 0)) as listening:
    import os
    os.environ["RAY_ADDRESS"] = "127.0.0.1:%d" % listening.getsockname()[1]
    try:
        with cluster():
            pass
    except ModelError as e:
        print(e, e.remedy)
"""
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "HOME": str(tmp_path), "PYTHONPATH": str(root)}
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert "cannot be used without its token" in done.stdout, done.stderr
    assert "set RAY_AUTH_TOKEN" in done.stdout


def test_the_vectors_of_passages_are_those_of_the_local_engine(cluster: Any, tmp_path: Path) -> None:
    encoder = save_bert(tmp_path / "bert")
    for engine in ("local", "ray"):
        study = passage_study(
            tmp_path / engine, bm25=False, dense=[{"model": str(encoder)}], scoring={"engine": engine}
        )
        index_passages(study)
        assert search_passages(study).rows("retrieved") == 15
    name = "passage_vectors-bert"
    assert content(tmp_path / "ray" / "out" / name) == content(tmp_path / "local" / "out" / name)
