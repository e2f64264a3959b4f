"""Wrong template files and overlays: one error, with file, line and remedy; nothing half-read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nextset.errors import InputError, StudyError, TemplateError
from nextset.generation.stage import load_sources
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.study.study_folder import Study


def refused(path: Path) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        read_template(path)
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("stereotype: cats are to lazy", "stereotype: ''", 2, "stereotype: too short (here: '')"),
        ("{{TIME}}.", "{{TIEM}}.", 14, "{{TIEM}} is not defined"),
        ("Cats are lazier", "Cats all {{TIME}} are lazier", 24, "the sentence contains {{TIME}}"),
        ("pro: Cats are lazier", "pro: Cats are {lazier", 24, "brace outside {{NAME}}"),
        ("Dogs are lazier than cats", "cats are lazier than Dogs", 25, "are the same sentence"),
        ("pro: Cats are lazier than dogs.", "pro: ''", 24, "sentences.pro: too short"),
        ("  anti: Dogs are lazier than cats.\n", "", 23, "'sentences.anti' is missing"),
        ("  anti: Dogs", "  other: Dogs", 25, "unknown key 'sentences.other'"),
        (
            "too {{MASK}}.",
            "too lazy.",
            17,
            "the number of {{MASK}} in '{{GROUP2}} are too lazy.' is 0, not 1",
        ),
        ("Some pets", "{{MASK}} pets", 20, "number of {{MASK}} in '{{MASK}} pets sleep.' is 1, not 0"),
        ("idle all {{TIME}}.", "idle {{ TIME }}.", 14, "brace outside {{NAME}}"),
        ("    label: entailment", "    label: maybe", 22, "label"),
        ("    source: https://example.org/b\n", "", 11, "source"),
        ("source: Somebody 2020\n", "", 1, "'source' is missing"),
        ("masked:", "maksed:", 16, "unknown key 'maksed'"),
        ("GROUP2: cats", "GROUP7: cats", 5, "unknown key 'groups.GROUP7'"),
        ("[day, night]", "[]", 7, "the word list TIME is empty"),
        ("TIME: [day", "MASK: [day", 7, "the word list MASK has the same name as the mask"),
        ("[day, night]", "[day, '{{MASK}}']", 7, "'{{MASK}}' contains a brace"),
        ("GROUP2: cats", "GROUP2: dogs", 5, "GROUP1 and GROUP2 are both 'dogs'"),
        ("{GROUP1: dogs, GROUP2: cats}", "\n  GROUP1: pet  dogs\n  GROUP2: Pet Dogs", 7, "both 'Pet Dogs'"),
        ("GROUP2: cats", "GROUP2: '{{TIME}}'", 5, "'{{TIME}}' contains a brace"),
        ("too {{MASK}}.", "too {{MASK:}}.", 17, "a mask has nothing after its colon"),
        ("too {{MASK}}.", "too {{MASK:ADJ}}.", 17, "'ADJ' in 'ADJ' is neither a category nor a form"),
        ("too {{MASK}}.", "too {{MASK: adj}}.", 17, "extra spaces in ' adj'"),
        ("too {{MASK}}.", "too {{MASK:adj | noun}}.", 17, "extra spaces in 'adj | noun'"),
        ("too {{MASK}}?", "too {{MASK:verb.base }}?", 18, "extra spaces in 'verb.base '"),
        ("too {{MASK}}?", "too?", 18, "the number of {{MASK}} in 'Are {{GROUP2}} too?' is 0, not 1"),
        ("idle all {{TIME}}?", "idle all {{TIEM}}?", 15, "{{TIEM}} is not defined"),
        ("too {{MASK}}.", "too {{MASK|adj}}.", 17, "brace outside {{NAME}}"),
        ("too {{MASK}}.", "too {{MASK:adj or noun}}.", 17, "'adj or noun' is not a constraint of a mask"),
        ("too {{MASK}}.", "too {{MASK:adj in}}.", 17, "'adj in' is not a constraint of a mask"),
        ("too {{MASK}}.", "too {{MASK:in Sizes}}.", 17, "'Sizes' is not the name of a list"),
        ("too {{MASK}}.", "too {{MASK:in sizes}}.", 17, "the list sizes is not defined"),
        ("too {{MASK}}.", "too {{MASK:adj not sizes}}.", 17, "the list sizes is not defined"),
        ("too {{MASK}}?", "too {{MASK:adj}}?", 18, "'adj' is not a form"),
        (
            "too {{MASK}}?",
            "too {{MASK:verb.base}}?",
            18,
            "has {{MASK:verb.base}}, and the hypothesis {{MASK}}",
        ),
        (
            "Some pets",
            "{{MASK:adj}} pets",
            20,
            "the number of {{MASK}} in '{{MASK}} pets sleep.' is 1, not 0",
        ),
        ("Pets sleep.", "Pets {{MASK:verb}}.", 11, "the number of {{MASK}} in 'Pets {{MASK}}.' is 1, not 0"),
        ("premises:", "lists: {Sizes: [big]}\npremises:", 8, "'Sizes' is not a valid list name"),
        ("premises:", "lists: {in: [big]}\npremises:", 8, "'in' is not a valid list name"),
        ("premises:", "lists: {sizes: []}\npremises:", 8, "the list sizes is empty"),
        ("premises:", "lists: {sizes: [big, Big]}\npremises:", 8, "'Big' is repeated (list sizes)"),
        (
            "premises:",
            "lists: {sizes: ['{{TIME}}']}\npremises:",
            8,
            "'{{TIME}}' contains '{', which is not allowed in words",
        ),
        (
            "premises:",
            "lists: {sizes: ['<b>big']}\npremises:",
            8,
            "'<b>big' contains '<', which is not allowed in words",
        ),
        ("premises:", 'lists: {sizes: ["big\\0"]}\npremises:', 8, "the control character U+0000"),
        (
            "premises:",
            'lists: {sizes: ["\\u200Ebig"]}\npremises:',
            8,
            "contains '\\u200e', which is not allowed in words",
        ),
        ("Some pets", "Some \\e pets", 20, "the control character U+001B"),
        ("[day, night]", '[day, "a\\0b"]', 7, "the control character U+0000"),
        ("[day, night]", "[day, a\u202eb]", 7, "the control character U+202E"),
        ("GROUP2: cats", "GROUP2: a\u2067b", 5, "the control character U+2067"),
        ("premises:", 'lists: {sizes: ["\\U0001F600"]}\npremises:', 8, "which is not allowed in words"),
        ("premises:", "lists: {sizes: [big. They are bad]}\npremises:", 8, "is not a word"),
        ("premises:", "lists: {sizes: ['...']}\npremises:", 8, "is not a word"),
        ("premises:", f"lists: {{sizes: [{'big ' * 26}]}}\npremises:", 8, "has more than 100 characters"),
        (
            "tests:",
            '  - text: "{{GROUP2}} are too {{MASK:adj}}."\n'
            '    question: "Are {{GROUP2}} too {{MASK}}?"\ntests:',
            19,
            "is also in small.yaml:17, but its masks there take different words",
        ),
    ],
)
def test_a_wrong_template_is_refused_with_its_line(
    small: Path, old: str, new: str, line: int | None, says: str
) -> None:
    text = small.read_text()
    assert old in text
    small.write_text(text.replace(old, new, 1))
    error = refused(small)
    assert says in error.message
    assert error.line == line
    assert error.remedy


def test_a_list_needs_a_sentence_with_one_mask(small: Path) -> None:
    text = small.read_text().replace("premises:", "lists: {sizes: [big]}\npremises:")
    text = text.replace("are too {{MASK}}", "{{MASK:verb}} {{MASK:in sizes}}").replace(
        "too {{MASK}}?", "{{MASK}} {{MASK}}?"
    )
    small.write_text(text)
    error = refused(small)
    assert "has several masks, and one of them takes the words of a list" in error.message
    assert error.line == 18


def test_questions_are_inflected_in_english_alone(small: Path) -> None:
    text = small.read_text().replace("domain: pets", "domain: pets\nlanguage: de")
    text = text.replace("too {{MASK}}.", "too {{MASK:verb.past}}.").replace(
        "too {{MASK}}?", "too {{MASK:verb.base}}?"
    )
    small.write_text(text)
    assert "de words cannot be inflected" in refused(small).message


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"reference": []}, "reference"),
        ({"GROUP2": ["Dogs"]}, "GROUP1 and GROUP2 are both 'Dogs'"),
        ({"reference": ["a", "b"]}, "premise and reference differ in length (1 and 2)"),
        (
            {"bias_question_stereotypical": []},
            "and bias_question_stereotypical differ in length (1 and 0)",
        ),
        ({"test_hypothesis": [["x", 7]]}, "label 7"),
        ({"test_hypothesis": [["x", 1.0]]}, "label 1.0 is not 0, 1 or 2"),
        ({"test_hypothesis": [["x", True]]}, "label True"),
        ({"test_hypothesis": [["x", 10**4000]]}, "a number of 4,001 characters"),
        ({"test_hypothesis": [["x"] * 20_000]}, "characters omitted"),
        ({"test_hypothesis": [["x"]]}, "is not a list of 2 values that begins with a text"),
        ({"test_hypothesis": [[None, 1]]}, "is not a list of 2 values that begins with a text"),
        ({"GROUP1": []}, "GROUP1"),
        ({"data": {"TIME": "day"}}, "data.TIME"),
        ({"premise": ["a { b"]}, "brace"),
        ({"name": 3}, "name"),
        ({"name": "\ud800"}, "lone surrogate"),
        ({"name": "a\0"}, "the control character U+0000"),
        ({"premise": ["a\u202eb"]}, "the control character U+202E"),
        ({"data": {"TIME": ["day", "\x1b[31m"]}}, "the control character U+001B"),
    ],
)
def test_a_wrong_published_file_is_refused(
    published: Callable[..., Path], changes: dict[str, object], says: str
) -> None:
    error = refused(published(**changes))
    assert says in error.message
    assert error.file is not None


def test_a_published_file_cut_in_half_is_refused_with_its_line(published: Callable[..., Path]) -> None:
    path = published()
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    error = refused(path)
    assert "not JSON" in error.message
    assert error.line is not None


OVERLAY = """\
format: 1
extends: small.yaml
masked:
  - text: "{{GROUP1}} are {{MASK}}."
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("small.yaml", "smal.yaml", "no template file of the study"),
        ("format: 1\n", "format: 1\nwords: {TIME: [x]}\n", "already defined in small.yaml"),
        (
            "format: 1\n",
            "format: 1\nlists: {sizes: [big]}\n",
            "the list sizes is already defined in small.yaml",
        ),
        ("{{MASK}}", "{{NONE}}", "{{NONE}} is not defined"),
        ("{{MASK}}", "lazy", "the number of {{MASK}} in '{{GROUP1}} are lazy.' is 0, not 1"),
    ],
)
def test_a_wrong_overlay_is_refused(small: Path, tmp_path: Path, old: str, new: str, says: str) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(OVERLAY.replace(old, new))
    small.write_text(small.read_text().replace("premises:", "lists: {sizes: [small]}\npremises:"))
    with pytest.raises(TemplateError, match=says.replace("{", r"\{")) as caught:
        apply_overlay(overlay, [read_template(small)])
    assert caught.value.file == overlay


def test_an_overlay_states_the_stereotype_of_a_published_file(
    published: Callable[..., Path], small: Path, tmp_path: Path
) -> None:
    overlay, sentences = (
        tmp_path / "overlay.yaml",
        "sentences: {pro: '{{GROUP2}} are lazy.', anti: Dogs are.}\n",
    )
    overlay.write_text(f"format: 1\nextends: cats_are_to_lazy.json\n{sentences}")
    template = read_template(published())
    (stated,) = apply_overlay(overlay, [template])
    assert stated.sentences is not None
    assert (stated.sentences.pro, stated.sentences.anti) == ("Cats are lazy.", "Dogs are.")
    assert stated.statements == template.statements
    for extended, text, says in (
        (small, sentences, "small.yaml already states its stereotype"),
        (template.file, "", "the overlay adds nothing"),
    ):
        overlay.write_text(f"format: 1\nextends: {extended.name}\n{text}")
        with pytest.raises(TemplateError, match=says):
            apply_overlay(overlay, [read_template(extended)])


def test_an_overlay_adds_and_touches_nothing(small: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(OVERLAY)
    before = small.read_bytes()
    template = read_template(small)
    (extended,) = apply_overlay(overlay, [template])
    assert extended.statements == (*template.statements, extended.statements[-1])
    assert extended.statements[-1].file == overlay
    assert small.read_bytes() == before


def study(folder: Path, templates: str) -> Study:
    (folder / "study.yaml").write_text(
        f"format: 1\nname: s\ntemplates: {templates}\nfilter: {{models: [builtin:nli-electra]}}\n"
        "release: {name: s, version: 0.1.0}\n"
    )
    return Study.load(folder)


@pytest.mark.parametrize(
    ("templates", "says"),
    [
        ("[nowhere]", "leads to no template file"),
        ("['builtin:nothing']", "nextset has no templates"),
        ("['builtin:../scoring']", "nextset has no templates"),
        ("[$NEXTSET_UNSET/bbnli]", "NEXTSET_UNSET, which is not set"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path, templates: str, says: str) -> None:
    with pytest.raises(StudyError, match=says) as e:
        load_sources(study(tmp_path, templates))
    assert e.value.line == 3


def test_two_files_for_one_stereotype_are_refused(small: Path, tmp_path: Path) -> None:
    (tmp_path / "twice.yaml").write_text(small.read_text())
    with pytest.raises(TemplateError, match=r"is already defined in .*small\.yaml"):
        load_sources(study(tmp_path, "[small.yaml, twice.yaml]"))


@pytest.mark.parametrize(
    ("key", "says"),
    [("stereotype", "is already defined in .*small.yaml, as"), ("domain", "is spelt .* in .*small.yaml")],
)
def test_a_stereotype_or_domain_in_two_spellings_is_refused(
    small: Path, tmp_path: Path, key: str, says: str
) -> None:
    text = small.read_text()
    (written,) = re.findall(rf"^{key}: (.+)$", text, re.M)
    if key == "domain":
        text = re.sub(r"^stereotype: ", "stereotype: other ", text, flags=re.M)
    (tmp_path / "twice.yaml").write_text(text.replace(f"{key}: {written}", f"{key}: {written.upper()}"))
    with pytest.raises(TemplateError, match=says) as error:
        load_sources(study(tmp_path, "[small.yaml, twice.yaml]"))
    assert error.value.line is not None


@pytest.mark.parametrize("name", ["twice.yml", "twice.YAML", "below/twice.JSON", "below/Twice.YML"])
def test_a_template_file_with_another_ending_is_named(small: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "mine/below").mkdir(parents=True)
    (tmp_path / "mine/.github").mkdir()
    (tmp_path / "mine/.github/build.yml").touch()  # not meant for nextset
    (tmp_path / "mine/small.yaml").write_text(small.read_text())
    assert len(load_sources(study(tmp_path, "[mine]"))[0]) == 1
    (tmp_path / "mine" / name).write_text(small.read_text())
    right = Path(name).with_suffix(".json" if name.endswith("JSON") else ".yaml").name
    for entry in ("mine", f"mine/{name}"):
        with pytest.raises(InputError, match="is not read") as error:
            load_sources(study(tmp_path, f"[{entry}]"))
        assert error.value.file == tmp_path / "mine" / name
        assert f"rename it to {right}" in error.value.remedy
