"""Lint rules on the wording of texts: repeated words, articles, spaces, brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from nextset.files.yaml_reader import Location
from nextset.generation.lint.template_texts import is_english, renderings, texts
from nextset.generation.sound_rules.english_articles import begins_with_vowel_sound
from nextset.generation.sound_rules.rule_names import rules_of_language
from nextset.generation.templates.placeholders import GROUPS, MASK, names
from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, LintRule
from nextset.text_tokens import all_pieces

__all__ = [
    "ARTICLE",
    "ARTICLE_BEFORE_MASK",
    "BRACKET",
    "DOUBLED_WORD",
    "SPACING",
    "UNNAMED_RULE",
    "article_before_mask",
    "articles",
    "brackets",
    "doubled_word",
    "doubled_words",
    "spacing",
    "unnamed_rules",
]

_ARTICLE = re.compile(r"\b(an?) [\"“'‘(]*(\w[\w'’-]*)", re.IGNORECASE)
_ASIDE = re.compile(r"\(([^()]+)\)")


def doubled_words(template: Template) -> Iterator[Finding]:
    """Find a word twice in a row, in any rendering, except *that that* and *had had*, which are English."""
    for text in texts(template):
        doubled = next(filter(None, map(doubled_word, renderings(template, text.text))), None)
        if doubled:
            yield Finding(text.file, text.line, "doubled-word", doubled)


def doubled_word(text: str) -> str | None:
    """Return the first word that is repeated after a space, with its text; None if there is none."""
    pieces = all_pieces(text)
    for one, space, other in zip(pieces, pieces[1:], pieces[2:], strict=False):
        word = one.casefold()
        if space == " " and word == other.casefold() and one[0].isalnum() and word not in ("that", "had"):
            return f"{one + space + other!r} in {text[:60]!r}"
    return None


def articles(template: Template) -> Iterator[Finding]:
    """Find *a* before a vowel sound and *an* before a consonant sound, in all renderings of English texts."""
    if not is_english(template):
        return
    for text in texts(template):
        for rendered in renderings(template, text.text):
            for article, word in _ARTICLE.findall(rendered):
                if (article.lower() == "an") != begins_with_vowel_sound(word):
                    yield Finding(text.file, text.line, "article", f"{article} {word}")


def unnamed_rules(template: Template) -> Iterator[Finding]:
    """Find texts that sound rules of the language would change at a placeholder, if ``rules`` lacks them.

    English is left to `articles`.
    """
    names = () if is_english(template) else rules_of_language(template.language)
    right = replace(template, rules=(*names, *(name for name in template.rules if name not in names)))
    if not names or right.rules == template.rules:
        return
    missing = [name for name in names if name not in template.rules]
    remedy = f"name {', '.join(missing)} in rules" if missing else f"rules: [{', '.join(right.rules)}]"
    for text in texts(template):
        pairs = zip(renderings(template, text.text), renderings(right, text.text), strict=True)
        change = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if change:
            message = f"{change[0][:60]!r} should be {change[1][:60]!r}: {remedy}"
            yield Finding(text.file, text.line, "unnamed-rule", message)


def article_before_mask(template: Template) -> Iterator[Finding]:
    """Find *a* and *an* right before the mask of an English text."""
    for s in template.statements if is_english(template) else ():
        match = re.search(r"\b(an?) \{\{MASK\}\}", s.text, re.IGNORECASE)
        if match and MASK in names(s.text):
            message = f"{match[1]!r} before the mask fits only some words: {s.text[:60]!r}"
            yield Finding(s.file, s.line, "article-before-mask", message)


def spacing(template: Template) -> Iterator[Finding]:
    """Find spaces at the start or end of a text, two in a row, or one before a punctuation mark.

    French has a space before ``; ? !``, according to the Lexique of the Imprimerie nationale.
    """
    french = template.language.partition("-")[0] == "fr"
    stray = re.compile(rf"[ \u00a0\u202f](?:[ \u00a0\u202f]|[.,{'' if french else ';?!'}])")
    for text in texts(template):
        if text.text != text.text.strip() or stray.search(text.text):
            yield Finding(text.file, text.line, "spacing", f"{text.text[:60]!r} has stray spaces")


def brackets(template: Template) -> Iterator[Finding]:
    """Find brackets left over from other notations for masks or slots; an aside (like this) is allowed."""
    for text in texts(template):
        if _bracket(text.text):
            yield Finding(text.file, text.line, "bracket", f"{text.text[:60]!r} contains a bracket")
    values: list[tuple[str, Location]] = [
        (group, ("groups", name)) for name, group in zip(GROUPS, template.groups, strict=True)
    ]
    values += [(w, ("words", name, i)) for name, words in template.words.items() for i, w in enumerate(words)]
    for value, at in values:
        if _bracket(value):
            yield Finding(*template.place(*at), "bracket", f"{value!r} contains a bracket")


def _bracket(text: str) -> bool:
    """Return whether ``text`` has [ ] < > or a round bracket outside an aside; (mask) is not an aside."""
    rest = _ASIDE.sub(lambda m: m[0] if m[1].strip().lower() in ("", "mask") else "", text)
    return any(c in rest for c in "[]<>()")


ARTICLE: LintRule[Template] = LintRule(
    "article",
    articles,
    "*a* before a vowel sound (*a hour*) or *an* before another sound (*an union*); English only",
)

ARTICLE_BEFORE_MASK: LintRule[Template] = LintRule(
    "article-before-mask",
    article_before_mask,
    "*a* or *an* directly before the mask, which fits only half of the words; English only",
)

BRACKET: LintRule[Template] = LintRule(
    "bracket",
    brackets,
    "`[`, `]`, `<` or `>` anywhere, a round bracket without its other half, and `()` with "
    "nothing or *mask* in it: usually a mask or a slot of another format",
)

DOUBLED_WORD: LintRule[Template] = LintRule(
    "doubled-word",
    doubled_words,
    "the same word twice in a row (except *that that* and *had had*)",
)

SPACING: LintRule[Template] = LintRule(
    "spacing",
    spacing,
    "a space at an end or before a punctuation mark (in French, before a full stop or a comma), or two "
    "spaces in a row",
)

UNNAMED_RULE: LintRule[Template] = LintRule(
    "unnamed-rule",
    unnamed_rules,
    "a text whose placeholder meets a word that the [sound rules](sound_rules.md) of the language would "
    "change (*de o* before *{{GROUP1}}*, *di il*, *à le*, *a el*, *zu dem*), if `rules` does not name them; "
    "in English, see `article`",
)
