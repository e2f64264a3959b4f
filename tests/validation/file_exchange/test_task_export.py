"""What annotators read with exported tasks: only what is true where they work."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
from tests.validation.filtered_study import kept_study

SKIP, KEY, REST, PAGE = "Skip button", "(key 0)", "for a rest", "on the page"


@pytest.mark.parametrize(
    ("route", "promised"), [("label-studio", {SKIP, KEY}), ("csv", set()), ("potato", {KEY})]
)
def test_guidelines_promise_only_what_their_route_has(tmp_path: Path, route: str, promised: set[str]) -> None:
    study = kept_study(tmp_path / "s", ["Men are calm."])
    if route == "potato":
        files = export_potato(study)
        # as markup the quotes are escaped; YAML folds lines
        texts = [files.guidelines.read_text(), " ".join(files.config.read_text().split())]
    else:
        made = export_tasks(study) if route == "label-studio" else export_csv(study)
        texts = [made.guidelines.read_text()]
    for text in texts:
        assert {p for p in (SKIP, KEY, REST, PAGE) if p in text} == promised
        assert "tell the person who gave you the items" in text
        assert "{{" not in text
        assert ("`declined`" in text) == (route == "csv")
