"""The tests that a change can reach: in the folder of its name, and through imports, nearest first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.reached_tests import changed_files, nearest, reached

IMPORTED_BY = {
    "nextset.words": ["nextset.generation.slots", "tests.nextset.test_words"],
    "nextset.generation.slots": ["nextset.generation.stage", "tests.generation.slot_examples"],
    "nextset.generation.stage": ["nextset.words", "tests.test_docs"],  # a circle
    "tests.generation.slot_examples": ["tests.scoring.test_slots", "tests.conftest"],
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    files = {
        "nextset/words.py": "",
        "generation/slots.py": "",
        "generation/templates/a.yaml": "",
        "tests/test_docs.py": "def test_a(): ...\n",
        "tests/generation/test_forms.py": "def test_a(): ...\ndef test_b(): ...\n",
        "tests/scoring/test_slots.py": "@pytest.mark.slow\ndef test_a(): ...\n",
        "tests/scoring/conftest.py": "",
        "tests/nextset/test_words.py": "def test_a(): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "nextset" / "generation").symlink_to("../generation")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "distances"),
    [
        ([], {}),
        (["nextset/words.py"], {"nextset/test_words": 1, "test_docs": 3, "scoring/test_slots": 3}),
        (["generation/slots.py"], {"generation/test_forms": 1, "scoring/test_slots": 2, "test_docs": 2,
                                   "nextset/test_words": 3}),
        (["generation/templates/a.yaml"], {"generation/test_forms": 1}),
        (["docs/index.md"], {"test_docs": 1}),
        (["tests/scoring/conftest.py"], {"scoring/test_slots": 1}),
        (["tests/scoring/test_slots.py", "tests/test_deleted.py"], {"scoring/test_slots": 0}),
    ],
)  # fmt: skip
def test_a_change_reaches_tests_beside_it_and_tests_that_import_it(
    clone: Path, changed: list[str], distances: dict[str, int]
) -> None:
    assert reached(changed, IMPORTED_BY, clone) == {f"tests/{n}.py": d for n, d in distances.items()}


def test_the_nearest_quick_tests_are_chosen(clone: Path) -> None:
    distances = reached(["generation/slots.py"], IMPORTED_BY, clone)
    names = ["generation/test_forms", "scoring/test_slots", "test_docs", "nextset/test_words"]
    for most, count in ((0, 1), (2, 2), (3, 3), (4, 4)):  # 2, 0, 1 and 1 quick tests
        assert nearest(distances, clone, most) == [f"tests/{name}.py" for name in names[:count]]


def test_what_differs_from_the_merge_base_is_changed(clone: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=clone, capture_output=True, check=True)

    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "one")
    git("checkout", "-b", "mine")
    assert changed_files(clone) == []
    (clone / "nextset" / "words.py").write_text("A = 1\n", encoding="utf-8")
    git("commit", "-am", "two")
    (clone / "generation" / "slots.py").unlink()
    (clone / "new é.py").touch()
    assert changed_files(clone) == ["generation/slots.py", "new é.py", "nextset/words.py"]
