"""A form of a stranger's package runs from generation to report: one module in each package, and no edit."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from tests.toy_packages import install_toy

ROOT = Path(__file__).parents[1]
ENTRY_POINTS = """\
[nextset.forms]
claim = tests.toy_form.claim_form:CLAIM
[nextset.sections]
claims = tests.toy_form.claim_generation:ClaimSettings
[nextset.section_tables]
claims = tests.toy_form.claim_generation:claim_tables
[nextset.forms.scoring]
claim = tests.toy_form.claim_scoring:CLAIM_SCORING
[nextset.forms.filtering]
claim = tests.toy_form.claim_filtering:FILTERED_CLAIMS
[nextset.forms.validation]
claim = tests.toy_form.claim_validation:JUDGED_CLAIMS
[nextset.forms.release]
claim = tests.toy_form.claim_release:RELEASED_CLAIMS
[nextset.forms.auditing]
claim = tests.toy_form.claim_auditing:AUDITED_CLAIMS
"""
STUDY = """\
format: 1
name: toy
templates: ["builtin:gender/man_is_to_breadwinner"]
claims: {beginning: "It is said:"}
filter:
  candidates: [claims]
  models: ["builtin:nli-electra", "builtin:nli-roberta"]
  held_out: ["builtin:nli-albert"]
  rule: any_wrong
release: {name: toy, version: 0.1.0}
"""


def nextset_in(programs: Path, folder: Path, *command: str) -> str:
    """Return what the command prints; the toy package is installed in ``folder``."""
    done = subprocess.run(
        [programs / "nextset", *command],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
            KEY_VARIABLE: "a key for the tests, long enough",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_form_of_another_package_runs_to_the_report(tmp_path: Path, programs: Path) -> None:
    install_toy(tmp_path, "toy_form", "0.1", ENTRY_POINTS)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(STUDY)
    nextset_in(programs, tmp_path, "run", "study", "--until", "filter", "--debug")
    out = tmp_path / "study" / "out"
    kept = pq.read_table(out / "filter" / "kept")
    assert all(text.startswith("It is said:") for text in kept["hypothesis"].to_pylist())
    # people judge the claims in a file, and their verdicts decide what is released
    nextset_in(programs, tmp_path, "validate", "export", "study", "--for", "csv", "--debug")
    (tasks,) = (out / "tasks").glob("*.csv")
    units = [row["unit_id"] for row in csv.DictReader(tasks.read_text(encoding="utf-8-sig").splitlines())]
    assert len(units) > 1
    answers = [
        f"{unit},{judge},{'invalid,' if unit == units[0] else 'valid,pro'},,"
        for unit in units
        for judge in ("ada", "ben", "cem")
    ]
    (tmp_path / "answers.csv").write_text(
        "\n".join(["unit_id,judge,verdict,stance,reason,comment", *answers])
    )
    nextset_in(programs, tmp_path, "validate", "import", "study", "answers.csv", "--debug")
    summary = nextset_in(programs, tmp_path, "run", "study", "--debug")
    verdicts = pq.read_table(out / "validate" / "items", columns=["id", "unit_id", "verdict"]).to_pylist()
    assert {row["unit_id"]: row["verdict"] for row in verdicts} == {
        unit: "invalid" if unit == units[0] else "valid" for unit in units
    }
    released = {row["id"] for row in verdicts if row["verdict"] == "valid"}
    assert f"release       made      {len(released)} claims" in summary
    (version,) = (out / "dataset").iterdir()
    assert set(pq.read_table(version / "data" / "claims")["id"].to_pylist()) == released
    assert "config_name: claims" in (version / "README.md").read_text(encoding="utf-8")
    measures = pq.read_table(out / "audit" / "measures")
    assert set(measures["form"].to_pylist()) == {"claim"}
    assert "Claims" in (out / "report" / "index.html").read_text(encoding="utf-8")
