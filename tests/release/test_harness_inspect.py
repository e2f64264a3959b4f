"""inspect_ai itself runs the export and gives what an audit of the same model behind a server gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nextset.cli.release_export import export_release
from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Numbers
from nextset.study.scoring_settings import ScoringSettings, ServerSettings
from tests.release.harness_model import save_answering
from tests.release.harness_version import Rows, audited, items, pairs_of, ran, released
from tests.scoring.model_server.served import served


@pytest.mark.slow
def test_labels_and_measures_are_those_of_an_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For bias items and for controls; a third of the items has a tie of all labels."""
    bias, controls = [*items(controls=False)[:10], *items(controls=False)[-2:]], items(controls=True)
    export_release(
        released(tmp_path / "version", {"test": bias, "controls": controls}), "inspect", tmp_path / "task"
    )
    model = save_answering(tmp_path / "model", pairs_of([*bias, *controls]))
    with served(model, tmp_path) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        votes = {"bias": _votes(model, bias), "controls": _votes(model, controls)}
    assert sum(max(row[:3]) < 0.5 for row in votes["bias"]) == 4
    ran([_evaluation(model, "bias"), _evaluation(model, "controls", "-T", "controls=true")], tmp_path)

    measures, labels = audited(bias, votes["bias"])
    log = _log(tmp_path / "bias")
    assert len(log["samples"]) == 9  # of 12: one invalid, one incoherent, one without a group
    for sample in log["samples"]:
        assert sample["scores"]["label_of_items"]["answer"] == labels[sample["id"]]
    names = ["accuracy", "pro", "anti", "aggregate"]
    names += [f"counterfactual_{name}" for name in ("pro", "anti", "error")]
    assert _results(log) == pytest.approx({name: measures[name] for name in names}, abs=1e-9)

    measures, _ = audited(controls, votes["controls"])
    log = _log(tmp_path / "controls")
    assert _results(log) == pytest.approx({"accuracy": measures["accuracy_controls"]}, abs=1e-9)


def _votes(model: Path, rows: Rows) -> Numbers:
    settings = ScoringSettings(cache=False, server=ServerSettings())
    scorer = scorer_of(locate(f"openai:{model}"), Asking("nli", settings))
    return scorer.scores(scorer.encoded(pairs_of(rows)))


def _evaluation(model: Path, name: str, *more: str) -> list[str]:
    return ["inspect_ai", "eval", "task/task.py", "--model", "hf/tiny", "-M", f"model_path={model}",
            "-M", "device=cpu", "--display", "plain", "--log-format", "json", "--log-dir", name,
            *more]  # fmt: skip


def _log(folder: Path) -> Any:
    (log,) = folder.glob("*.json")
    return json.loads(log.read_text(encoding="utf-8"))


def _results(log: Any) -> dict[str, float]:
    (scores,) = log["results"]["scores"]
    return {name: found["value"] for name, found in scores["metrics"].items()}
