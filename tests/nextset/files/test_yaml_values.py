"""A wrong value in study.yaml is refused in our words."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import StudyError


@pytest.mark.parametrize(
    ("old", "new", "says", "remedy"),
    [
        ("rule: majority_wrong", "rule: any_worng", "filter.rule: unknown value 'any_worng'", "'any_wrong'?"),
        ("license: cc-by-4.0", "verdicts: majoryti", "release.verdicts: unknown value", "'majority'?"),
        (
            "rule: majority_wrong",
            "rule: {any_worng: true}",
            "unknown key 'filter.rule.any_worng'",
            "'any_wrong'?",
        ),
        ("top_k: 10", "top_k: ten", "fill.top_k: not a whole number (here: 'ten')", "write a whole number"),
        ("top_k: 10", "top_k: 0", "fill.top_k: too small (here: 0)", "write 1 or more"),
        ("templates: [templates]", "templates: a", "templates: not a list (here: 'a')", "write a list"),
        ("draft: true", "draft: maybe", "release.draft: neither true nor false", "write true or false"),
        ("license: cc-by-4.0", "license: 4.0", "release.license: not a text", "write text in quotes"),
        ("judge: rule", "judge: nobody", "validate.judge: not a known value", "write 'people' or 'rule'"),
        (
            "top_k: 10",
            "allow: all",
            "fill.allow: not a list (here: 'all')",
            "write a list, and in it write 'groups', 'other_groups'",
        ),
        ("top_k: 10", "allow: names", "fill.allow: not a list", "write a list, such as allow: [names]"),
        (
            "top_k: 10",
            "allow: {names: true}",
            "fill.allow: not a list",
            "write a list, and in it write 'groups'",
        ),
        (
            "templates: [templates]",
            "templates: 3",
            "templates: not a list (here: 3)",
            'and in it write text in quotes, such as "3"',
        ),
        (
            "templates: [templates]",
            "templates: [a, no]",
            "templates.1: not a text (here: no)",
            'text in quotes, such as "no"',
        ),
        (
            "license: cc-by-4.0",
            "license: no",
            "release.license: not a text (here: no)",
            'such as license: "no"',
        ),
        ("license: cc-by-4.0", "license:", "release.license: not a text (here: nothing)", 'license: "TEXT"'),
        (
            "top_k: 10",
            "fluency: builtin:masked-lm",
            "fill.fluency: neither true nor false, and not keys with values (here: 'builtin:masked-lm')",
            "write true or false, or write its keys below fluency, indented: at_least, model",
        ),
        (
            "license: cc-by-4.0",
            "verdicts: [majority]",
            "release.verdicts: it is not a rule",
            "write one of aggregated, majority",
        ),
        ("judge: rule", "session: 5", "validate.session: not keys with values", "write its keys"),
    ],
)
def test_a_wrong_value_is_refused_in_our_words(
    tmp_path: Path, old: str, new: str, says: str, remedy: str
) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert old in text
    (folder / "study.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        nextset.Study.load(folder)
    assert caught.value.message.startswith(says)
    assert remedy in caught.value.remedy
