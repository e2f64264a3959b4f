"""A finished study asks a server again once its answers are removed and its folder out is deleted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from tests.scoring.model_server.scripted_server import Reply, scripted

MODEL = "openai:a"


@pytest.mark.slow
def test_removed_answers_and_results_are_asked_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(f"audit: {{models: ['{MODEL}']}}\nmodels: {{'{MODEL}': {{canaries_waived: a script}}}}\n")
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: Reply(request.choices[1], reasoning="First.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        study = nextset.Study.load(folder)
        nextset.run(study)
        asked = len(server.requests)
        server.answer = lambda request: Reply(request.choices[0], reasoning="Second.")
        command = [sys.executable, "-m", "nextset", "cache", "prune", "--model", MODEL, "--answers"]
        pruned = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert f"{MODEL}  {asked:,} answers" in pruned
        assert "studies that are finished keep their results" in pruned
        assert "rm -r STUDY/out, then nextset run STUDY" in pruned
        nextset.run(study)
        assert len(server.requests) == asked
        shutil.rmtree(study.out)
        nextset.run(study)
        assert len(server.requests) == 2 * asked
    scores = open_artifact(study.out / "score_audit").table("scores")
    assert set(scores["entailment"].to_pylist()) == {1.0}
    traces = open_artifact(study.out / "traces").table("traces")
    assert set(traces["text"].to_pylist()) == {"Second."}
