"""YAML files that people write: changed in any way, they are read, or refused with the line."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.generation.questions.pack import read_pack
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.generation.writers.writer_prompts import read_writer_prompts
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.scoring.prompt_wordings import read_prompts
from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.page_wording import load_wording
from nextset.word_lists.lexicon import read_lexicon
from tests.validation.plan.gold_files import gold_of

ROOT = Path(__file__).parents[1]
PACK = ROOT / "tests" / "generation" / "questions" / "small_pack"

STUDY = """\
format: 1
name: small
templates: [one.yaml]
questions: {packs: [word_lists/en], subset: 100}
filter:
  models: [a, b]
  held_out: [c]
  rule: {all_of: [any_wrong, {any_of: [{margin_below: 0.2}, {at_least_wrong: 2}]}]}
  balance: {by: stance, reject_surplus: true}
models:
  a: {labels: [entailment, neutral, contradiction], canaries: [{premise: p, hypothesis: h, label: neutral}]}
scoring: {statements: {by: both, pronouns: {female: she}}, server: {at_once: 2}}
validate:
  session:
    consent: Somebody runs this study for something.
    support: Somebody can be reached by somebody.
    budget: {batch: 5, person: 10, pause: 0}
release: {name: small, version: 0.1.0}
"""
YAML_TEMPLATE = """\
format: 1
stereotype: tea is calm
domain: drinks
source: plain statement
groups: {GROUP1: tea, GROUP2: coffee}
words: {CUPS: [cup, mug]}
premises: [{text: "A {{CUPS}} stood there.", source: nobody}]
hypotheses: [{text: "{{GROUP1}} is calm.", question: "Is {{GROUP1}} calm?"}]
masked: [{text: "{{GROUP1}} is {{MASK}}.", question: "Is {{GROUP1}} {{MASK}}?"}]
tests: [{text: "A {{CUPS}} stood there.", question: "Did it?", label: entailment}]
"""
OVERLAY = """\
format: 1
extends: template.yaml
words: {SIZES: [big, small]}
masked: [{text: "{{GROUP1}} is {{SIZES}} and {{MASK}}.", question: "Is {{GROUP1}} {{MASK}}?"}]
"""
GOLD = """\
hypotheses:
  - {language: en, domain: drinks, stereotype: s, groups: [tea, coffee], hypothesis: Tea calms.,
     verdict: valid, stance: pro, why: it says so, source: nobody}
questions:
  - {language: en, domain: drinks, stereotype: s, subjects: [Tea, Coffee], contexts: [T by c., C by t.],
     question: "Who was calm?", question_negated: "Who was not calm?", underspecified: true,
     grammatical: true, free_of_hint: true, why: cups, source: nobody}
"""


def shipped(path: str) -> str:
    """A file of ours with few entries in each list and mapping."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: short(inner) for name, inner in list(value.items())[:12]}
        return [short(inner) for inner in value[:4]] if isinstance(value, list) else value

    return yaml.safe_dump(short(yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))))


def _overlay(file: Path) -> Any:
    template = file.parent / "template.yaml"
    template.write_text(YAML_TEMPLATE, encoding="utf-8")
    return apply_overlay(file, [read_yaml_template(template)])


FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "study.yaml": (STUDY, lambda file: Study.load(file.parent)),
    "one.yaml": (YAML_TEMPLATE, read_yaml_template),
    "overlay.yaml": (OVERLAY, _overlay),
    "gold.yaml": (GOLD, lambda file: gold_of(file, "nli")),
    "lexicon.yaml": (shipped("word_lists/en/lexicon.yaml"), read_lexicon),
    "group_terms.yaml": (
        (ROOT / "word_lists/en/group_terms.yaml").read_text(encoding="utf-8"),
        lambda file: read_group_terms(file.name, lambda name: file.parent / name),
    ),
    "prompts.yaml": (shipped("scoring/prompts/en.yaml"), read_prompts),
    "writer.yaml": (shipped("generation/writers/prompts/en.yaml"), read_writer_prompts),
    "en.yaml": (
        (ROOT / "validation/annotator_pages/wording/en.yaml").read_text(encoding="utf-8"),
        lambda file: load_wording("en", file.parent),
    ),
    **{
        f"pack/{name}": ((PACK / name).read_text(encoding="utf-8"), lambda file: read_pack(_pack(file)))
        for name in ("pack.yaml", "subjects/cats.yaml", "attributes/acts.yaml", "templates/pets.yaml")
    },
}


def _pack(file: Path) -> Path:
    return file.parent if file.name == "pack.yaml" else file.parents[1]


def test_every_file_is_read_unchanged(tmp_path: Path) -> None:
    for name, (text, read) in FILES.items():
        read(written(tmp_path, name, text))


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**50), 10**50),
        st.floats(),
        st.text(max_size=8),
        st.dates(),
        st.sampled_from(["any_wrong", "{{MASK}}", "{{", "[subj1]", "x" * 10_000, "\u202e\x1b", "a\ud800"]),
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)


def containers(value: Any) -> Iterator[Any]:
    """Every mapping and list in ``value`` that is not empty."""
    if isinstance(value, dict | list) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """The file ``text`` with one place replaced, removed, renamed or added."""
    data = yaml.safe_load(text)
    there = draw(st.sampled_from(list(containers(data))))
    at = draw(st.sampled_from(list(there) if isinstance(there, dict) else range(len(there))))
    match draw(st.sampled_from(["replace", "replace", "remove", "rename", "add"])):
        case "replace":
            there[at] = draw(VALUES)
        case "remove":
            del there[at]
        case "rename" if isinstance(there, dict):
            there[f"{at}s"] = there.pop(at)
        case _ if isinstance(there, dict):
            there[draw(st.text(min_size=1, max_size=8))] = draw(VALUES)
        case _:
            there.append(copy.deepcopy(there[at]))
    return yaml.safe_dump(data, width=10**6)


def written(folder: Path, name: str, text: str) -> Path:
    if name.startswith("pack/") and not (folder / "pack").exists():
        shutil.copytree(PACK, folder / "pack")
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(
    max_examples=25,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_changed_file_is_read_or_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    text, read = FILES[name]
    file = written(tmp_path, name, data.draw(changed(text)))
    try:
        read(file)
    except InputError as error:
        assert error.file is not None
        named_elsewhere = error.file != file  # a list that does not exist
        assert error.line is not None or named_elsewhere or error.message == "the file is empty"
        assert len(f"{error}{error.remedy}") < 80 * 40
        assert error.remedy
        assert not error.remedy.endswith("of "), "no key is named"
    finally:
        if name.startswith("pack/"):
            file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "key", "remedy"),
    [
        ("study.yaml", "premise: p", "premis: p", "models.a.canaries.0.premis", "'premise'"),
        ("study.yaml", "labels: [ent", "x: 1, labels: [ent", "models.a.x", "use one of adapter, canaries, "),
        ("study.yaml", "margin_below: 0.2", "margin: 0.2", "any_of.0.margin", "'margin_below'"),
        ("study.yaml", "{at_least_wrong: 2}", "{zzz: 2}", "any_of.1.zzz", "use one of a"),
        ("study.yaml", "female: she}", "female: she}, bye: name", "scoring.statements.bye", "'by'"),
        ("study.yaml", "\n  a: {labels", "\n  labels: {x", "models.labels.x", "use one of adapter, "),
        ("pack/attributes/acts.yaml", "kind:", "kinds:", ".kinds", "'kind'"),
        (
            "pack/attributes/acts.yaml",
            "  thief: {kind:",
            "  kind: {kinds:",
            "attributes.kind.kinds",
            "'kind'",
        ),
        ("pack/subjects/cats.yaml", "Ash: {gender", "forms: {gendr", "subjects.forms.gendr", "'gender'"),
        ("pack/templates/pets.yaml", "negated:", "negatd:", ".negatd", "'negated'"),
    ],
)
def test_an_unknown_key_names_those_that_are_known(
    tmp_path: Path, name: str, old: str, new: str, key: str, remedy: str
) -> None:
    text, read = FILES[name]
    assert old in text
    with pytest.raises(InputError) as caught:
        read(written(tmp_path, name, text.replace(old, new, 1)))
    assert "unknown key" in caught.value.message
    assert key in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("present", "earlier", "key"),
    [
        ("reject_surplus: true", "mend: true", "filter.balance.mend"),
        ("statements: {by", "masks: {by", "scoring.masks"),
        ("consent: S", "stop_below: 0.2\n    consent: S", "validate.session.stop_below"),
    ],
)
def test_a_renamed_key_is_an_error_with_its_present_name(
    tmp_path: Path, present: str, earlier: str, key: str
) -> None:
    assert present in STUDY
    with pytest.raises(InputError, match=f"'{key}' is now called") as caught:
        FILES["study.yaml"][1](written(tmp_path, "study.yaml", STUDY.replace(present, earlier)))
    assert caught.value.line is not None
    assert caught.value.remedy.startswith("rename the key to ")


def test_a_word_list_that_holds_a_list_is_refused_with_its_line(tmp_path: Path) -> None:
    text, read = FILES["lexicon.yaml"]
    data = yaml.safe_load(text)
    data["countries"].append(["Norway"])
    with pytest.raises(InputError, match=r"countries\.4: not a text") as caught:
        read(written(tmp_path, "lexicon.yaml", yaml.safe_dump(data)))
    assert caught.value.line is not None
