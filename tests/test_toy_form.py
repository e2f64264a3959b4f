"""A form of a stranger's package runs from generation to report: one module in each package, and no edit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

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


@pytest.mark.slow
def test_a_form_of_another_package_runs_to_the_report(tmp_path: Path) -> None:
    install_toy(tmp_path, "toy_form", "0.1", ENTRY_POINTS)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(STUDY)
    done = subprocess.run(
        [sys.executable, "-m", "nextset", "run", "study", "--debug"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    out = tmp_path / "study" / "out"
    kept = pq.read_table(out / "filter" / "kept")
    assert kept.num_rows > 0
    assert all(text.startswith("It is said:") for text in kept["hypothesis"].to_pylist())
    measures = pq.read_table(out / "audit" / "measures")
    assert set(measures["form"].to_pylist()) == {"claim"}
    assert "Claims" in (out / "report" / "index.html").read_text(encoding="utf-8")
    (version,) = (out / "dataset").iterdir()
    assert "config_name: claims" in (version / "README.md").read_text(encoding="utf-8")
