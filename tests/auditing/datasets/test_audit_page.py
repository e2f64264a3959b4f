"""The page docs/how_to/audit.md: its example runs, and its prediction file is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.predictions.prediction_file import read_predictions
from tests.auditing.datasets.version_example import example_version
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "audit.md"


@pytest.mark.slow
def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(PAGE, "python")
    monkeypatch.chdir(tmp_path)
    example_version(tmp_path / "carers-1.0.0")
    exec(compile(code, "docs/how_to/audit.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "counterfactual_misprediction" in printed
    assert "p_corrected" in printed
    listed = re.findall(r"`(audit/[a-z.]+/?)`", PAGE.read_text(encoding="utf-8"))
    assert {"audit/index.html", "audit/measures.csv", "audit/measures.json"} <= set(listed)
    made = tmp_path / "carers-audit" / "audit"
    files = {f"audit/{f.name}" + ("/" if f.is_dir() else "") for f in made.iterdir() if f.name[0] not in "._"}
    assert set(listed) <= files
    assert set(json.loads((made / "measures.json").read_bytes())[0]) == set(MeasureRow.__dataclass_fields__)


def test_the_prediction_file_is_read(tmp_path: Path) -> None:
    """One order is shown; in the other one the answers change places, so that both orders agree."""
    (text,) = blocks(PAGE, "json")
    entries = json.loads(text)
    ((key, entry),) = entries.items()
    c0, c1, first, second, *rest = key.split("|")
    turned = {q: {"ans0": entry[q]["ans1"], "ans1": entry[q]["ans0"]} for q in ("q0", "q1")}
    entries["|".join((c1, c0, second, first, *rest))] = turned
    file = tmp_path / "gender.bert.output.json"
    file.write_text(json.dumps(entries), encoding="utf-8")
    read = read_predictions(file)
    # Ana √(.7 · .6), Ben √(.2 · .3) for the question
    assert read.scores[:2, 0] == pytest.approx([0.42**0.5, 0.06**0.5])
    assert read.columns.clusters == ("female", "male")
