"""Which files an entry of ``templates`` names."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.bbnli_templates import FOLDER, english_files, languages
from nextset.errors import StudyError
from nextset.generation.templates.template_files import load_templates, template_files


def named(entry: str) -> list[str]:
    files = template_files(entry, Path, Path("study.yaml"))
    return [str(file.relative_to(FOLDER)) for file in files]


def test_bbnli_names_the_sixteen_english_files_and_no_others() -> None:
    assert len(named("builtin:bbnli")) == 16
    assert {Path(file).parts[0] for file in named("builtin:bbnli")} == {"gender", "race", "religion"}
    read = load_templates(["builtin:bbnli"], [], Path, Path("study.yaml")).templates
    assert {template.language for template in read} == {"en"}
    assert [t.file for t in read] == english_files()


def test_a_language_names_its_own_files_and_a_domain_the_english_ones() -> None:
    assert languages() == ["de", "es"]
    assert named("builtin:de") == named("builtin:de/gender") == ["de/gender/mann_ist_zu_fuehrungskraft.yaml"]
    assert named("builtin:es/gender/mujer_es_a_hogar") == ["es/gender/mujer_es_a_hogar.yaml"]
    assert len(named("builtin:gender")) == 5
    both = load_templates(["builtin:gender", "builtin:de", "builtin:es"], [], Path, Path("study.yaml"))
    assert [t.language for t in both.templates] == ["en"] * 5 + ["de", "es"]


@pytest.mark.parametrize("name", ["fr", "de/race", "de/gender/none", "../word_lists"])
def test_what_nextset_does_not_ship_is_named_with_what_it_ships(name: str) -> None:
    with pytest.raises(StudyError, match="nextset has no templates") as e:
        named(f"builtin:{name}")
    assert e.value.remedy == (
        "use builtin:bbnli (all in English) or one of builtin:gender, builtin:race, builtin:religion, "
        "builtin:de, builtin:es"
    )
