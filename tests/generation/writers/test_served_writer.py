"""A model behind a real server writes; each of its answers is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import ModelError
from tests.generation.mask_fills.pets_study import PETS, STUDY
from tests.generation.writers.test_stage import PROMPTS, WORDS
from tests.generation.writers.tiny_writer import save_writer
from tests.scoring.model_server.served import Proxy, proxied, served

pytestmark = pytest.mark.slow

REQUESTS = 4  # two masked texts × two orders of the groups


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_writer(tmp_path_factory.mktemp("models") / "tiny", WORDS)


@pytest.fixture(scope="module")
def server(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tiny, tmp_path_factory.mktemp("hub")) as address:
        yield address


@pytest.fixture
def proxy(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy in front of the server, and a cache of its own."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    with proxied(server) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        yield found


def study(folder: Path, tiny: Path, **limits: int) -> nextset.Study:
    folder.mkdir(exist_ok=True)
    (folder / "prompts.yaml").write_text(PROMPTS, encoding="utf-8")
    (folder / "pets.yaml").write_text(PETS, encoding="utf-8")
    fill = f"{{model: 'openai:{tiny}', writer: {{prompt: prompts.yaml, proposals: 4, seed: 5}}}}"
    limits |= {"at_once": 1, "answer_tokens": 60}
    more = f"scoring: {{server: {limits}}}\n"
    (folder / "study.yaml").write_text(STUDY.replace("{FILL}", fill) + more, encoding="utf-8")
    loaded = nextset.Study.load(folder)
    nextset.generate(loaded)
    return loaded


def test_a_server_is_asked_once_for_each_sentence(tiny: Path, proxy: Proxy, tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", tiny)
    items = nextset.fill(loaded).table("items").to_pylist()
    assert len(proxy.bodies) == nextset.preview(loaded).prompts == REQUESTS
    first = proxy.bodies[0]
    assert (first["temperature"], first["seed"], first["max_tokens"]) == (0.7, 5, 60)
    assert "response_format" not in first
    assert first["messages"][0]["content"].startswith("4 ")
    assert {row["bindings"]["writer"]["model"] for row in items} == {"openai:tiny"}
    assert {f["word"] for row in items for f in row["bindings"]["fills"]} <= {
        "calm", "rude", "brisk", "few", "odd", "Calm", "Few",
    }  # fmt: skip
    # another study with the same sentences asks nothing again, and gets the same
    other = study(tmp_path / "t", tiny)
    assert nextset.fill(other).table("items").to_pylist() == items
    assert len(proxy.bodies) == REQUESTS


def test_a_run_that_stopped_asks_nothing_twice(tiny: Path, proxy: Proxy, tmp_path: Path) -> None:
    stopped = study(tmp_path / "s", tiny, max_requests=2)
    with pytest.raises(ModelError, match="limit of requests, 2; all answers are kept"):
        nextset.fill(stopped)
    assert len(proxy.bodies) == 2
    resumed = study(tmp_path / "s", tiny)
    assert nextset.fill(resumed).rows("items") > 0
    assert len(proxy.bodies) == len(set(proxy.prompts)) == REQUESTS
    assert open_artifact(resumed.out / "mask_words").counts["answers"] == REQUESTS


def test_faults_of_a_server_are_waited_for(tiny: Path, proxy: Proxy, tmp_path: Path) -> None:
    proxy.retry_after = "0"
    proxy.fault = lambda n, body: ["429 wait", "400 seed is not supported", "", "garbage"][n] if n < 4 else ""
    assert nextset.fill(study(tmp_path / "s", tiny)).rows("items") > 0
    assert all("seed" not in body for body in proxy.bodies[2:])
