"""Masks that cannot be filled as they say are errors before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import InputError, StudyError
from tests.generation.mask_fills.pets_study import PETS, STUDY, study


@pytest.mark.parametrize(
    ("fill", "pets", "says"),
    [
        (
            "mask: adj",
            ("domain: pets", "domain: pets\nlanguage: pt"),
            r"study.yaml:4: .*needs a tagger for pt",
        ),
        ("top_k: 5", ("domain: pets\n", "domain: pets\nlanguage: pt\n"), ""),
        ("top_k: 5", ("too {{MASK}}.", "too {{MASK:adj}}."), ""),
        ("mask: in sizes", ("premises:", "premises:"), r"study.yaml:4: .*no list sizes"),
        (
            "mask: in sizes",
            ("premises:", "lists: {sizes: [big]}\npremises:"),
            r"study.yaml:4: .*several masks",
        ),
    ],
)
def test_what_masks_take_is_checked_before_anything_is_made(
    tmp_path: Path, fill: str, pets: tuple[str, str], says: str
) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    (loaded.folder / "pets.yaml").write_text(PETS.replace(*pets), encoding="utf-8")
    loaded.file.write_text(STUDY.replace("{FILL}", f"{{{fill}}}"), encoding="utf-8")
    loaded = nextset.Study.load(loaded.folder)
    if not says:
        nextset.generate(loaded)
        return
    with pytest.raises(InputError, match=says):
        nextset.generate(loaded)


def test_a_constraint_in_another_language_needs_a_tagger(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    pets = PETS.replace("domain: pets", "domain: pets\nlanguage: pt").replace(
        "too {{MASK}}.", "too {{MASK:adj}}."
    )
    (loaded.folder / "pets.yaml").write_text(pets, encoding="utf-8")
    with pytest.raises(InputError, match=r"pets.yaml:15: .*needs a tagger for pt"):
        nextset.generate(loaded)


@pytest.mark.parametrize(
    ("listed", "mask", "says"),
    [
        ("teacher, doctor", "{{MASK:adj in traits}}", r"no word of the list traits fits .*adj in traits"),
        ("gentle, kind", "{{MASK:in traits not others}}", r"no word of the list traits fits .*not others"),
        ("teacher", "{{MASK:noun.plural in traits}}", "no word of the list traits fits"),
    ],
)
def test_a_list_without_a_word_that_fits_is_an_error(
    tmp_path: Path, listed: str, mask: str, says: str
) -> None:
    loaded = study(tmp_path / "s", "top_k: 1")
    pets = PETS.replace("hypotheses:", f"lists: {{traits: [{listed}], others: [kind, gentle]}}\nhypotheses:")
    pets = pets[: pets.index("masked:")] + f'masked:\n  - text: "{{{{GROUP2}}}} are {mask}."\n'
    (loaded.folder / "pets.yaml").write_text(pets, encoding="utf-8")
    with pytest.raises(InputError, match=rf"pets.yaml:\d+: .*{says}"):
        nextset.generate(loaded)


def test_a_default_list_that_nobody_has_is_an_error_before_a_mask_needs_it(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    (loaded.folder / "pets.yaml").write_text(PETS[: PETS.index("masked:")], encoding="utf-8")
    loaded.file.write_text(STUDY.replace("{FILL}", "{mask: in impersonal_adjectivs}"), encoding="utf-8")
    loaded = nextset.Study.load(loaded.folder)
    with pytest.raises(
        StudyError, match=r"study.yaml:4: fill.mask: there is no list impersonal_adjectivs"
    ) as caught:
        nextset.generate(loaded)
    assert caught.value.remedy == "did you mean 'impersonal_adjectives'?"
