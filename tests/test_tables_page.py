"""docs/how_to/tables.md: its lines run, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "tables.md"


@pytest.mark.slow
def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks(PAGE, "python"))
    exec(compile(code, "<tables.md>", "exec"), {"__name__": "tables"})
    printed = capsys.readouterr().out
    assert "<NamedTables: items 868, masked 518, templates 502, mask_lists 110>" in printed
    assert "my_scorer" in printed
    assert "man is to breadwinner" in printed
    assert (tmp_path / "accuracy.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "by-code" / "study.yaml").is_file()
