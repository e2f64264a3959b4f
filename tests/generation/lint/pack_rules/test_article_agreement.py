"""Right articles are never found, wrong ones always, as far as features tell."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from nextset.generation.lint.pack_lint import lint_sets
from nextset.generation.lint.pack_rules.article_agreement import articles
from tests.generation.lint.mini_pack import acts, mini_pack

STAHL = acts({"": "stahl", "neg": "stahl nie"})

# Duden, Die Grammatik, declension of the articles: nominative, accusative, dative, genitive
DEFINITE = {
    "m": "der den dem des",
    "f": "die die der der",
    "n": "das das dem des",
    "pl": "die die den der",
}
INDEFINITE = {"m": "ein einen einem eines", "f": "eine eine einer einer", "n": "ein ein einem eines"}
CASES = ("nom", "acc", "dat", "gen")
RIGHT = {
    (gender, case, article)
    for table in (DEFINITE, INDEFINITE)
    for gender, row in table.items()
    for case, article in zip(CASES, row.split(), strict=True)
}
ARTICLES = sorted({article for _, _, article in RIGHT})


def subjects() -> dict[str, object]:
    """Two invented nouns with a form for every gender, case and number."""
    forms = [f"{g}.{c}" for g in DEFINITE for c in CASES]
    return {
        name: {"forms": {"": name, **{form: f"{name}-{i}" for i, form in enumerate(forms)}}}
        for name in ("Aaa", "Bbb")
    }


@pytest.mark.parametrize("gender", DEFINITE)
def test_every_german_article_with_every_form(tmp_path: Path, gender: str) -> None:
    questions = {
        f"t{i}": {
            "context": f"{i} {article} [subj1:{gender}.{case}], {i} {article} [subj2:{gender}.{case}].",
            "question": "Wer [p_act]?",
            "negated": "Wer [p_act:neg]?",
        }
        for i, (case, article) in enumerate(product(CASES, ARTICLES))
    }
    pack = mini_pack(tmp_path, "de", subjects=subjects(), more_questions=questions, attributes=STAHL)
    found = {f.name for f in articles(pack.sets)}
    wrong = {
        f"t{i}"
        for i, (case, article) in enumerate(product(CASES, ARTICLES))
        if (gender, case, article) not in RIGHT
    }
    assert found == wrong


@pytest.mark.parametrize(
    "context",
    [
        "Die [subj1:leute] und die [subj2:leute] kamen.",  # plural forms without a feature that says so
        "[g?m=Er|f=Sie] sah die [subj1:leute] und die [subj2:leute].",
        "Der [subj1] traf den [subj2].",  # no feature tells gender or case
        "Der Arzt, der [subj1:dem.f.acc] und [subj2:dem.f.acc] kennt.",  # a relative pronoun
        "Hier sind [g?m=der|f=die] [subj1:dem] und [g?m=der|f=die] [subj2:dem].",
        "Im Zug saß neben [g?m=dem|f=der] [subj1:dem.dat] [g?m=ein|f=eine] [subj2:dem].",
        "[g?m=Der|f=Die] [subj1:dem] dankte [g?m=diesem|f=dieser] [subj2:dem.dat].",
        "[g?m=Beim|f=Bei der] [subj1:dem.dat] und [g?m=beim|f=bei der] [subj2:dem.dat] brannte Licht.",
        "Wegen [g?m=des|f=der] [subj1:dem.gen] und [g?m=des|f=der] [subj2:dem.gen].",
    ],
)
def test_right_german_is_not_found(tmp_path: Path, context: str) -> None:
    forms = {
        "Turkey": {"": "Türkei", "leute": "Türken", "dem.m": "Türke", "dem.f": "Türkin"},
        "Spain": {"": "Spanien", "leute": "Spanier", "dem.m": "Spanier", "dem.f": "Spanierin"},
    }
    for name, (m, genitive) in {"Turkey": ("Türken", "Türken"), "Spain": ("Spanier", "Spaniers")}.items():
        f = forms[name]["dem.f"]
        for case in ("acc", "dat", "gen"):
            forms[name] |= {f"dem.m.{case}": genitive if case == "gen" else m, f"dem.f.{case}": f}
    asked = {"context": context, "question": "Wer [p_act]?", "negated": "Wer [p_act:neg]?"}
    listed = {name: {"forms": of_one} for name, of_one in forms.items()}
    pack = mini_pack(
        tmp_path, "de", subjects=listed, question=asked, attributes=STAHL, defaults=["nom", "sg"]
    )
    assert "article" not in {f.rule for f in lint_sets(pack.sets)}


def test_a_form_that_is_the_same_in_the_case_of_its_article_is_right(tmp_path: Path) -> None:
    """*einen Spanier*: the accusative is the base form, so no form for it has to be listed."""
    subjects = {
        "Spain": {"forms": {"dem.m": "Spanier", "dem.f": "Spanierin"}},
        "Italy": {"forms": {"dem.m": "Italiener", "dem.f": "Italienerin"}},
    }
    context = "[g?m=Einen|f=Eine] [subj1:dem] und [g?m=einen|f=eine] [subj2:dem] sah man."
    asked = {"context": context, "question": "Wer [p_act]?", "negated": "Wer [p_act:neg]?"}
    pack = mini_pack(tmp_path, "de", subjects=subjects, question=asked, attributes=STAHL)
    assert lint_sets(pack.sets) == []


def test_spanish_el_before_a_stressed_a_is_right(tmp_path: Path) -> None:
    subjects = {
        "A": {"forms": {"dem.f": "ama", "dem.m": "amo"}},
        "B": {"forms": {"dem.f": "aya", "dem.m": "ayo"}},
    }
    asked = {
        "context": "El [subj1:dem.f] y el [subj2:dem.f].",
        "question": "¿Quién [p_act]?",
        "negated": "¿Quién [p_act:neg]?",
    }
    pack = mini_pack(tmp_path, "es", subjects=subjects, question=asked)
    assert lint_sets(pack.sets) == []
