"""Every lint rule finds what it names, and nothing in a clean file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nextset.generation.lint.template_lint import lint_template, without_list
from nextset.generation.lint.template_texts import renderings
from nextset.generation.sound_rules.rule_names import rules_of_language
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.lint_rules import Finding, lint_rules

ANCHORED = "{{MASK:like slow, sleepy, unlike quick, alert}}"
OPEN, TIED = "{{GROUP2}} are too {{MASK}}.", f"{{{{GROUP2}}}} are too {ANCHORED} to hunt."
HYPOTHESIS, QUESTION = "idle all {{TIME}}.", "Do {{GROUP2}}"
SOURCE, PREMISE_SOURCE = "source: Somebody 2020", "source: https://example.org/a"
SENTENCES = """\
sentences:
  pro: Cats are lazier than dogs.
  anti: Dogs are lazier than cats.
"""
UP_TO_PREMISE = """\
source: Somebody 2020
groups: {GROUP1: dogs, GROUP2: cats}
words:
  TIME: [day, night]
premises:
  - text: "{{GROUP2}}"""


def in_language(language: str, group: str, text: str, rules: str = "") -> str:
    """The same up to the premise, which begins with ``text``."""
    head = f"language: {language}\nrules: [{rules}]\n{UP_TO_PREMISE}"
    return head.replace("cats", f'"{group}"').replace('"{{GROUP2}}', f'"{text}')


FOUND = [
    ("unnamed-rule", UP_TO_PREMISE, in_language("es", "el gato", "A {{GROUP2}}"), 11),
    ("unused-words", "[day, night]", "[day, night]\n  IDLE: [a]", 8),
    ("unused-words", "premises:", "lists: {sizes: [big]}\npremises:", 8),
    ("no-group", "{{GROUP2}} idle all", "They idle all", 14),
    ("group-twice", HYPOTHESIS, "idle like Dogs all {{TIME}}.", 14),
    ("group-twice", TIED, "{{GROUP2}} are too {{MASK}} to hunt with cats.", 17),
    ("no-sentences", SENTENCES, "", 2),
    ("no-sentences", "pro: Cats are lazier than dogs", "pro: Cats are to lazy", 24),
    ("no-sentences", "anti: Dogs are lazier than cats", "anti: TODO", 25),
    ("group-twice", "Pets sleep.", "{{GROUP1}} sleep more than cats.", 11),
    ("question-groups", QUESTION, "Do {{GROUP1}}", 15),
    ("question-groups", QUESTION, "Do cats", 15),
    ("question-groups", QUESTION, "Do {{GROUP1}} and {{GROUP2}}", 15),
    ("question-groups", QUESTION, "Do Muslim {{GROUP2}}", 15),
    ("question-groups", HYPOTHESIS, "idle like Mexicans all {{TIME}}.", 15),
    ("question-groups", "Pets sleep.", "Mexicans sleep.", 11),
    ("question-groups", "Pets sleep.", "Most Muslim women sleep.", 11),
    ("no-source", SOURCE, "source: unknown", 4),
    ("no-source", SOURCE, "source: 'TODO find it, 2020'", 4),
    ("no-source", SOURCE, "source: Somebody, some day", 4),
    ("no-source", PREMISE_SOURCE, "source: '?'", 9),
    ("no-source", PREMISE_SOURCE, "source: n/a", 9),
    ("no-source", PREMISE_SOURCE, "source: '-'", 9),
    ("no-source", PREMISE_SOURCE, "source: page 20201 of a book", 9),
    ("duplicate", "Pets sleep.", "{{GROUP2}}  sleep 14 hours.", 11),
    ("duplicate", "Pets sleep.", "{{GROUP2}}, Sleep: 14 hours!", 11),
    ("duplicate", "[day, night]", "[day, night, Day]", 7),
    ("duplicate", "[day, night]", "\n  - day\n  - night\n  - Day", 10),
    ("missing-comma", "premises:", "lists: {crafts: [sewing knitting carpentry]}\npremises:", 8),
    ("missing-comma", "premises:", "lists: {crafts: [sewing knitting]}\npremises:", 8),
    (
        "missing-comma",
        "premises:",
        "lists:\n  crafts:\n  - sewing\n  - knitting carpentry weaving\npremises:",
        11,
    ),
    ("missing-comma", "[day, night]", "[day night]", 7),
    ("doubled-word", HYPOTHESIS, "idle day {{TIME}}.", 14),
    ("doubled-word", "Do {{GROUP2}}", "Do do {{GROUP2}}", 15),
    ("article", HYPOTHESIS, "take an nap {{TIME}}.", 14),
    ("article", HYPOTHESIS, "waste a hour {{TIME}}.", 14),
    ("article", HYPOTHESIS, "sleep on a {{TIME}} and an “union” bed.", 14),
    ("article-before-mask", TIED, "{{GROUP2}} hunt like a {{MASK}}.", 17),
    ("duplicate", "[day, night]", "[कल, रात, कल]", 7),
    ("doubled-word", HYPOTHESIS, "idle की की {{TIME}}.", 14),
    ("spacing", HYPOTHESIS, "idle all {{TIME}} .", 14),
    ("bracket", HYPOTHESIS, "idle all {{TIME}} [mask].", 14),
    ("bracket", HYPOTHESIS, "idle <mask> all {{TIME}}.", 14),
    ("bracket", HYPOTHESIS, "idle all {{TIME}} [MASK].", 14),
    ("bracket", HYPOTHESIS, "idle (all {{TIME}}.", 14),
    ("bracket", HYPOTHESIS, "idle all {{TIME}} (mask).", 14),
    ("bracket", HYPOTHESIS, "idle all {{TIME}} ().", 14),
    ("bracket", "[day, night]", "[day, '[night]']", 7),
    ("bracket", "GROUP2: cats", "GROUP2: '<cats>'", 5),
    ("missing-anchors", TIED, "{{GROUP2}} are too {{MASK}} to hunt.", 17),
    ("unusable-anchors", TIED, "{{GROUP2}} are too {{MASK:adj like slow, quickly}} to hunt.", 17),
    ("unusable-anchors", TIED, "{{GROUP2}} are too {{MASK:only like slow, women}} to hunt.", 17),
    (
        "unusable-anchors",
        TIED,
        "{{GROUP2}} are too {{MASK:adj not impersonal_adjectives like slow, average}} to hunt.",
        17,
    ),
    ("open-mask", TIED, OPEN, 17),
    ("open-mask", TIED, "{{GROUP1}} have {{MASK}}.", 17),
    ("open-mask", TIED, "{{GROUP1}} aren't more {{MASK}} than most other {{GROUP2}} people.", 17),
    ("typographic-quotes", "GROUP2: cats", "GROUP2: “cats”", 5),
    ("typographic-quotes", "[day, night]", "[„day“, night]", 7),
    ("typographic-quotes", "[day, night]", "[day, ‘night']", 7),
    ("typographic-quotes", '"Pets sleep."', "»Pets sleep.«", 11),
]
CLEAN = [
    ("unnamed-rule", UP_TO_PREMISE, in_language("es", "el gato", "Con {{GROUP2}}")),
    ("unused-words", HYPOTHESIS, "idle all {{TIME}} after {{TIME}}."),
    ("no-group", "Some pets sleep.", "Some of them sleep."),
    ("group-twice", HYPOTHESIS, "idle all {{TIME}} like a catseye in a cats-only bed."),
    ("group-twice", HYPOTHESIS, "idle all {{TIME}} like other {{GROUP2}}, not like {{GROUP1}}."),
    ("group-twice", "Pets sleep.", "Dogs and cats sleep."),
    ("question-groups", "Do {{GROUP2}} idle", "Is it {{GROUP2}} that idle"),
    ("question-groups", "Pets sleep.", "Dogs sleep more than Mexicans."),
    ("question-groups", "Pets sleep.", "{{GROUP1}} in Mexico sleep."),
    # vowel signs make other words
    ("duplicate", "[day, night]", "[का, की, के]"),
    ("doubled-word", HYPOTHESIS, "idle बात ती {{TIME}}."),
    ("no-sentences", "Cats are lazier than dogs.", '"{{GROUP2}} are lazier than {{GROUP1}}."'),
    ("no-source", SOURCE, "source: Somebody (1979), A Book"),
    ("no-source", SOURCE, "source: doi:10.1000/xyz"),
    ("no-source", PREMISE_SOURCE, "source: Office of Pets, Yearbook 2021"),
    ("duplicate", "Pets sleep.", "{{GROUP1}} sleep 14 hours."),
    ("duplicate", "[day, night]", "[day, days]"),
    ("missing-comma", "[day, night]", "[day, go to college]"),
    ("missing-comma", "[day, night]", "[half a day]"),
    ("missing-comma", "premises:", "lists: {crafts: [rug making, basket weaving]}\npremises:"),
    ("doubled-word", HYPOTHESIS, "know that that {{TIME}} is over."),
    ("article-before-mask", TIED, "{{GROUP2}} hunt like the {{MASK}}."),
    ("spacing", HYPOTHESIS, "idle, all {{TIME}}."),
    ("bracket", HYPOTHESIS, "idle all {{TIME}} (in the sun)."),
    ("missing-anchors", TIED, "{{GROUP2}} are too {{MASK:only like slow}} to hunt."),
    ("unusable-anchors", TIED, "{{GROUP2}} are too {{MASK:adj like slow, xyzzy-prone}} to hunt."),
    ("open-mask", TIED, "On the {{TIME}}, {{GROUP2}} are {{MASK}}."),
    ("open-mask", TIED, "{{GROUP2}} hunt {{MASK}}."),
    ("typographic-quotes", "Pets sleep.", "“Pets sleep”, they say."),
    ("typographic-quotes", "Pets sleep.", "“Sleep” is what pets call “life”"),
    ("typographic-quotes", "[day, night]", "[day, o’clock]"),
    *(
        ("article", HYPOTHESIS, f"need {text} all {{{{TIME}}}}.")
        for text in (
            "an hour",
            "a union",
            "an honest man",
            "a European",
            "an “umbrella”",
            "an FBI agent",
            "an LGBTQ person",
            "an HBCU",
            "an NAACP member",
            "a US senator",
            "an 8-year-old",
            "a one-off",
        )
    ),
]
Found = Callable[[str, str, str], list[Finding]]


@pytest.fixture
def clean(small: Path) -> Path:
    """The small file, with its mask tied to something."""
    tied = small.read_text().replace("too {{MASK}}", "too {{MASK}} to hunt")
    small.write_text(tied.replace("{{MASK}} to hunt.", f"{ANCHORED} to hunt."))
    return small


@pytest.fixture
def found(clean: Path) -> Found:
    """What a rule finds once a text of the clean file is changed."""

    def look(rule: str, old: str, new: str) -> list[Finding]:
        text = clean.read_text()
        assert old in text
        clean.write_text(text.replace(old, new, 1))
        findings = lint_template(read_template(clean))
        assert {f.file for f in findings} <= {clean}
        return [f for f in findings if f.rule == rule]

    return look


def test_a_clean_file_has_no_findings(clean: Path) -> None:
    assert lint_template(read_template(clean)) == []


def test_every_rule_has_its_case_and_its_counterexample() -> None:
    assert {rule for rule, *_ in FOUND} == {rule for rule, *_ in CLEAN} == rule_names()


@pytest.mark.parametrize(("rule", "old", "new", "line"), FOUND)
def test_a_rule_finds_what_it_names(found: Found, rule: str, old: str, new: str, line: int | None) -> None:
    assert [f.line for f in found(rule, old, new)] == [line]


@pytest.mark.parametrize(("rule", "old", "new"), CLEAN)
def test_a_rule_leaves_alone_what_is_like_it_and_right(found: Found, rule: str, old: str, new: str) -> None:
    assert found(rule, old, new) == []


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("article", HYPOTHESIS, "dormem a {{TIME}} an todo."),
        ("open-mask", TIED, "{{GROUP2}} are {{MASK}}."),
        ("article-before-mask", TIED, "{{GROUP2}} hunt a {{MASK}}."),
        ("missing-comma", "[day, night]", "[dia, dia noite sol]"),
    ],
)
def test_rules_of_english_are_for_english(clean: Path, found: Found, rule: str, old: str, new: str) -> None:
    clean.write_text(clean.read_text().replace("domain: pets", "domain: pets\nlanguage: pt"))
    assert found(rule, old, new) == []


@pytest.mark.parametrize(
    ("language", "group", "text", "right", "rule"),
    [
        ("pt", "o gato", "Fala de {{GROUP2}}", "Fala do gato", "portuguese-contraction"),
        ("pt-BR", "as gatas", "Gosta de quem ri por {{GROUP2}}", "ri pelas gatas", "portuguese-contraction"),
        ("it", "il gatto", "La coda di {{GROUP2}}", "La coda del gatto", "italian-contraction"),
        ("it", "gli gnomi", "Pensa a {{GROUP2}}", "Pensa agli gnomi", "italian-contraction"),
        ("fr", "le chat", "La queue de {{GROUP2}}", "La queue du chat", "french-contraction"),
        ("fr", "les chats", "On parle à {{GROUP2}}", "On parle aux chats", "french-contraction"),
        ("fr", "Annie", "La queue de {{GROUP2}}", "La queue d’Annie", "french-elision"),
        ("es", "el gato", "La cola de {{GROUP2}}", "La cola del gato", "spanish-contraction"),
        ("es-MX", "Inés", "Ana y {{GROUP2}}", "Ana e Inés", "spanish-conjunctions"),
        ("de", "dem Hund", "Man geht zu {{GROUP2}}", "Man geht zum Hund", "german-contraction"),
        ("de", "der Katze", "Man geht zu {{GROUP2}}", "Man geht zur Katze", "german-contraction"),
        ("ru", "Францией", "С {{GROUP2}} с {{GROUP2}}", "", ""),
        ("de", "den Hunden", "Man geht zu {{GROUP2}}", "", ""),
        ("es", "El Salvador", "La cola de {{GROUP2}}", "", ""),
        ("fr", "la chatte", "On parle à {{GROUP2}}", "", ""),
        ("nl", "de kat", "Men gaat naar {{GROUP2}}", "", ""),
    ],
)
def test_a_preposition_and_the_article_of_a_group_contract(
    clean: Path, found: Found, language: str, group: str, text: str, right: str, rule: str
) -> None:
    """Once the file names the rule, the placeholder expands to the right text, and lint is silent."""
    messages = [f.message for f in found("unnamed-rule", UP_TO_PREMISE, in_language(language, group, text))]
    assert bool(messages) is bool(rule)
    if rule:
        assert right in messages[0]
        assert rule in messages[0]
        named = ", ".join(rules_of_language(language))
        clean.write_text(clean.read_text(encoding="utf-8").replace("rules: []", f"rules: [{named}]"))
        template = read_template(clean)
        assert "unnamed-rule" not in {f.rule for f in lint_template(template)}
        assert right in next(renderings(template, template.premises[0].text))


@pytest.mark.parametrize("language", ["fr", "fr-CA"])
@pytest.mark.parametrize(
    ("text", "stray"),
    [
        ("Vraiment ? Oui ! Les {{GROUP1}} ; les « {{GROUP2}} » : oui.", False),
        ("Vraiment\u00a0? Oui\u202f! Les {{GROUP1}}\u202f; les «\u00a0{{GROUP2}}\u00a0»\u00a0: oui.", False),
        ("Vraiment? Oui! Les {{GROUP1}}; les «{{GROUP2}}»: oui.", False),
        ("Les {{GROUP1}} , les {{GROUP2}}.", True),
        ("Les {{GROUP1}} et les {{GROUP2}} .", True),
        ("Les {{GROUP1}}  ? Les {{GROUP2}}.", True),
        ("Les {{GROUP1}}\u00a0 ! Les {{GROUP2}}.", True),
    ],
)
def test_french_has_a_space_before_marks_or_not(
    clean: Path, found: Found, language: str, text: str, stray: bool
) -> None:
    clean.write_text(clean.read_text().replace("domain: pets", f"domain: pets\nlanguage: {language}"))
    assert bool(found("spacing", HYPOTHESIS, text)) is stray


def test_a_published_file_is_held_to_its_references(published: Callable[..., Path]) -> None:
    findings = lint_template(read_template(published(reference=["?"])))
    assert [f.line for f in findings if f.rule == "no-source"] == [4]
    assert "no-source" not in {f.rule for f in lint_template(read_template(published()))}


def test_words_of_an_overlay_are_found_in_its_file(clean: Path) -> None:
    overlay = clean.with_name("more.yaml")
    overlay.write_text(
        "format: 1\nextends: small.yaml\nwords:\n  PREY:\n  - mice\n  - Mice\n"
        f'masked:\n  - text: "{{{{GROUP2}}}} are too {ANCHORED} to hunt {{{{PREY}}}}."\n'
    )
    (extended,) = apply_overlay(overlay, [read_template(clean)])
    assert [(f.file, f.line, f.rule) for f in lint_template(extended)] == [(overlay, 6, "duplicate")]


def test_words_of_the_list_of_a_mask_are_proposed_as_anchors(clean: Path) -> None:
    listed = clean.read_text().replace(ANCHORED, "{{MASK:in paces}}")
    clean.write_text(listed.replace("premises:", "lists: {paces: [slow, quick]}\npremises:", 1))
    (finding,) = lint_template(read_template(clean))
    assert finding.rule == "missing-anchors"
    assert "slow, quick" in finding.message
    assert "of paces" in finding.message


def test_a_misspelt_list_of_anchors_is_found(clean: Path) -> None:
    misspelt = clean.read_text().replace(ANCHORED, "{{MASK:adj like slownes}}")
    clean.write_text(misspelt.replace("premises:", "lists: {slowness: [slow, lazy]}\npremises:", 1))
    messages = {f.rule: f.message for f in lint_template(read_template(clean))}
    assert "'slownes' is a word and no list; did you mean the list slowness?" in messages["unusable-anchors"]
    assert "slowness" in messages["unused-words"]


def rule_names() -> set[str]:
    return {*lint_rules("template"), *lint_rules("yaml")}


@pytest.mark.parametrize(
    ("language", "groups", "text", "question", "named"),
    [
        ("en", "fat people, thin people", "Fat people are lazy.", "Are thin people lazy?", "thin"),
        ("en", "fat people, thin people", "Fat people are lazy.", "Are fat people lazy?", ""),
        ("en", "fat people, thin people", "A fat man naps.", "Do fat men nap?", ""),
        ("en", "dogs, cats", "Women feed {{GROUP1}}.", "Do men feed {{GROUP1}}?", "men"),
        ("en", "dogs, cats", "{{GROUP1}} like Mexico.", "Do {{GROUP1}} like Mexicans?", ""),
        ("en", "dogs, cats", "{{GROUP1}} do not bite.", "Do {{GROUP2}} not bite?", "{{GROUP2}}"),
        ("en", "dogs, cats", "{{GROUP1}} chase {{GROUP2}}.", "Are {{GROUP2}} chased by {{GROUP1}}?", ""),
        (
            "en",
            "dogs, cats",
            "{{GROUP1}} are slower than {{GROUP2}}.",
            "Are {{GROUP2}} slower than {{GROUP1}}?",
            "round",
        ),
        ("de", "Hunde, Katzen", "Türken mögen {{GROUP1}}.", "Mögen Griechen {{GROUP1}}?", "Griechen"),
        ("de", "Hunde, Katzen", "Ein Türke mag {{GROUP1}}.", "Mögen Türken {{GROUP1}}?", ""),
        ("fr", "Français, Allemands", "Les Français dorment.", "Les Allemands dorment-ils ?", "Allemands"),
        (
            "es",
            "perros, gatos",
            "Los judíos aman {{GROUP1}}.",
            "¿Aman los católicos {{GROUP1}}?",
            "católicos",
        ),
        ("ru", "собаки, кошки", "Русские любят {{GROUP1}}.", "Любят ли поляки {{GROUP1}}?", "поляки"),
        ("tr", "köpekler, kediler", "Türk {{GROUP1}} sever.", "Yunan {{GROUP1}} sever mi?", "Yunan"),
        ("zh", "狗, 猫", "中国人喜欢{{GROUP1}}。", "日本人喜欢{{GROUP1}}吗？", "日本人"),
        ("sw", "paka, mbwa", "Paka ni wavivu.", "Je, mbwa ni wavivu?", "mbwa"),
    ],
)
def test_a_question_names_the_groups_of_its_statement(
    clean: Path, language: str, groups: str, text: str, question: str, named: str
) -> None:
    one, two = groups.split(", ")
    written = clean.read_text(encoding="utf-8").replace("GROUP1: dogs", f"GROUP1: {one}")
    written = written.replace("GROUP2: cats", f"GROUP2: {two}").replace(
        "language: en", f"language: {language}"
    )
    written = written.replace("domain: pets", f"domain: pets\nlanguage: {language}")
    test = f"  - text: '{text}'\n    question: '{question}'\n    label: neutral\n"
    written = written.replace("sentences:", f"{test}sentences:")
    clean.write_text(written, encoding="utf-8")
    messages = [f.message for f in lint_template(read_template(clean)) if f.rule == "question-groups"]
    assert len(messages) == bool(named)
    assert all(named in message for message in messages)


def test_a_language_without_lists_is_named() -> None:
    assert [without_list(language) for language in ("en-GB", "de", "es")] == ["", "", ""]
    lists = "missing-comma (closed_class.yaml), question-groups (protected_groups.yaml)"
    assert without_list("pt") == f"pt: rules without a list of words: {lists}"
