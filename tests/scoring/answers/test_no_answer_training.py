"""Whether a card says that a reader was trained on questions without an answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nextset.scoring.answers.no_answer_training import TRAINED_SENTENCE, trained_on_no_answer
from nextset.scoring.models.sources import locate


@pytest.mark.parametrize(
    ("card", "said"),
    [
        (f"# qa\n\n{TRAINED_SENTENCE} Let it say so.\n", True),
        ("---\ndatasets:\n- squad_v2\n---\n", True),
        ("---\ndatasets:\n  - rajpurkar/squad_v2\r\n---\n", True),
        ("---\ndatasets: squad_v2\n---\n", True),
        ('---\ndatasets: ["squad_v2"]\n---\n', True),
        ("---\ndatasets:\n- squad\n---\n", False),
        ("# qa\n\nUnlike those of\n- squad_v2\n", False),
        ("", False),
    ],
)
def test_cards(tmp_path: Path, card: str, *, said: bool) -> None:
    (tmp_path / "README.md").write_text(card, newline="")
    assert trained_on_no_answer(replace(locate("builtin:qa-roformer"), folder=tmp_path)) == said


def test_models_without_a_card(tmp_path: Path) -> None:
    source = locate("builtin:qa-roformer")
    assert not trained_on_no_answer(source)
    assert not trained_on_no_answer(replace(source, folder=None))
    (tmp_path / "README.md").mkdir()
    assert not trained_on_no_answer(replace(source, folder=tmp_path))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_bytes(b"\xff\xfe\x00")
    assert not trained_on_no_answer(replace(source, folder=tmp_path / "other"))
