"""Each rule for language packs finds a planted fault, and nothing in the repaired twin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from nextset.generation.lint.pack_lint import lint_pack, lint_sets
from nextset.generation.questions.context_spans import render_context
from nextset.generation.sound_rules.text_edits import Edit
from nextset.lint_rules import lint_rules
from tests.generation.lint.mini_pack import acts, mini_pack


@dataclass(frozen=True)
class Fault:
    """A fault of a small pack, and the same pack without it."""

    rule: str
    """The rule that finds it."""
    says: str
    """A part of its message."""
    planted: dict[str, Any]
    """What `mini_pack` takes for the fault."""
    repaired: dict[str, Any]
    """What it takes for the twin."""
    language: str = "en"
    """The pack's language."""
    both: dict[str, Any] | None = None
    """What it takes for both."""


TURKS = {
    "Turkey": {
        "forms": {
            "": "die Türkei",
            "dem.m": "Türke",
            "dem.f": "Türkin",
            "dem.m.acc": "Türken",
            "dem.f.acc": "Türkin",
        }
        | {"dem.m.dat": "Türken", "dem.f.dat": "Türkin", "dem.m.gen": "Türken", "dem.f.gen": "Türkin"}
    },
    "Poland": {
        "forms": {"": "Polen", "dem.m": "Pole", "dem.f": "Polin", "dem.m.acc": "Polen", "dem.f.acc": "Polin"}
        | {"dem.m.dat": "Polen", "dem.f.dat": "Polin", "dem.m.gen": "Polen", "dem.f.gen": "Polin"}
    },
}
STAHL = acts({"": "stahl", "neg": "stahl nie"})
PEOPLES = {"Mali": {"forms": {"dem": "Malian"}}, "Peru": {"forms": {"dem": "Peruvian"}}}


def german(context: str) -> dict[str, Any]:
    return {
        "question": {"context": context, "question": "Wer [p_act]?", "negated": "Wer [p_act:neg]?"},
        "subjects": TURKS,
        "attributes": STAHL,
    }


def romance(word_m: str, word_f: str, context: str) -> dict[str, Any]:
    subjects = {
        "one": {"forms": {"": "x", "dem.m": f"{word_m}o", "dem.f": f"{word_f}a"}},
        "two": {"forms": {"": "y", "dem.m": "turco", "dem.f": "turca"}},
    }
    asked = {"question": "¿[p_act]?", "negated": "¿[p_act:neg]?"}
    return {"question": {"context": context, **asked}, "subjects": subjects}


def asked(question: str, negated: str, **more: str) -> dict[str, Any]:
    return {"question": {"question": question, "negated": negated, **more}}


def french(place: str) -> dict[str, str]:
    return {
        "context": f"[subj1] et [subj2] : {place}.",
        "question": "Qui [p_act]\u00a0?",
        "negated": "Qui [p_act:neg]\u00a0?",
    }


def act(text: str, negated: str, **forms: str) -> dict[str, Any]:
    return {"attributes": acts({"": text, "neg": negated, **forms})}


FAULTS = {
    # named-subject
    "a subject in an attribute": Fault(
        "named-subject",
        "names 'mali', a subject of groups",
        act("hated mali", "never hated mali"),
        act("hated malice", "never hated malice"),
    ),
    "a subject in a context": Fault(
        "named-subject",
        "the context names 'Mali'",
        {"question": {"context": "[subj1] met [subj2] in Mali."}},
        {"question": {"context": "[subj1] met [subj2] in Malibu."}},
    ),
    "a subject in a question": Fault(
        "named-subject",
        "the question names 'Peru'",
        asked("Who of Peru [p_act]?", "Who of Peru [p_act:neg]?"),
        asked("Who of both [p_act]?", "Who of both [p_act:neg]?"),
    ),
    "a subject in a statement": Fault(
        "named-subject",
        "the statement names 'Peru'",
        {"statement": {"statement": "In Peru, [mask] [p_act].", "negated": "In Peru, [mask] [p_act:neg]."}},
        {"statement": {"statement": "In town, [mask] [p_act].", "negated": "In town, [mask] [p_act:neg]."}},
    ),
    "a subject in a prefix": Fault(
        "named-subject",
        "the prefix news names 'Peru'",
        {"prefixes": {"news": "(Lima, Peru) --"}},
        {"prefixes": {"news": "(Reuters) --"}},
    ),
    "a subject in capitals": Fault(
        "named-subject",
        "the prefix news names 'Peru'",
        {"prefixes": {"news": "(PERU) –"}},
        {"prefixes": {"news": "(PERUGIA) –"}},
    ),
    "a subject with the capital of a sentence": Fault(
        "named-subject",
        "the context names 'русский'",
        {"question": {"context": "Говорят много. Русский поэт, [subj1] и [subj2]."}},
        {"question": {"context": "Говорят много. Великий поэт, [subj1] и [subj2]."}},
        "ru",
        {"subjects": {"Russian": {"forms": {"": "русский"}}, "Turk": {"forms": {"": "турок"}}}},
    ),
    "a subject where no blanks are written": Fault(
        "named-subject",
        "names '日本', a subject",
        act("偷了日本货", "没偷日本货"),
        act("偷了货", "没偷货"),
        "zh",
        {
            "subjects": {"Japan": {"forms": {"": "日本"}}, "Peru": {"forms": {"": "秘鲁"}}},
            **asked("谁[p_act]？", "谁[p_act:neg]？"),
        },
    ),
    "a name is a word in other case": Fault(
        "named-subject",
        "the context names 'Will'",
        {"question": {"context": "[subj1] met [subj2] and Will."}},
        {"question": {"context": "[subj1] will meet [subj2]."}},
        both={"subjects": {"Will": {}, "Tom": {}}},
    ),
    # overlapping
    "a text inside of another": Fault(
        "overlapping",
        "contains 'african', the text of African",
        {"subjects": {"African": {}, "African American": {}}},
        {"subjects": {"African": {}, "Africanist": {}}},
    ),
    "a text inside of another without blanks": Fault(
        "overlapping",
        "contains '印度'",
        {"subjects": {"India": {"forms": {"": "印度"}}, "Indonesia": {"forms": {"": "印度尼西亚"}}}},
        {"subjects": {"India": {"forms": {"": "印度"}}, "Indonesia": {"forms": {"": "印尼"}}}},
        "zh",
        {**asked("谁[p_act]？", "谁[p_act:neg]？"), **act("偷东西", "没有偷东西")},
    ),
    "a group in another": Fault(
        "overlapping",
        "Catholic: is part of Christian",
        {"subjects": {"Catholic": {}, "Christian": {}, "Hindu": {}}},
        {"subjects": {"Catholic": {"within": ["Christian"]}, "Christian": {}, "Hindu": {}}},
    ),
    "a group in another by two steps": Fault(
        "overlapping",
        "Russian Orthodox: is part of Christian",
        {"subjects": {"Russian Orthodox": {}, "Christian": {}}},
        {"subjects": {"Russian Orthodox": {}, "Hindu": {}}},
    ),
    "two words for one group": Fault(
        "overlapping",
        "White: overlaps with Caucasian",
        {"subjects": {"Caucasian": {}, "White": {}, "Arab": {}}},
        {"subjects": {"Asian": {}, "White": {}, "Arab": {}}},
    ),
    # group-twice, asymmetric
    "one text for two subjects": Fault(
        "group-twice",
        "'malian' is also a text of Mali",
        {"subjects": {"Mali": {"forms": {"dem": "Malian"}}, "Peru": {"forms": {"dem": "MALIAN"}}}},
        {"subjects": PEOPLES},
    ),
    "forms that differ": Fault(
        "asymmetric",
        "differ in form",
        {"question": {"context": "[subj1] met [subj2:dem]."}},
        {"question": {"context": "[subj1:dem] met [subj2:dem]."}},
        both={"subjects": PEOPLES},
    ),
    "forms that differ in more than case": Fault(
        "asymmetric",
        "differ in form",
        german("[g?m=Ein|f=Eine] [subj1:dem] traf Leute aus [subj2]."),
        german("[g?m=Ein|f=Eine] [subj1:dem] traf [g?m=einen|f=eine] [subj2:dem.acc]."),
        "de",
    ),
    "articles that differ": Fault(
        "asymmetric",
        "the article or the noun",
        {"question": {"context": "A [subj1:dem] man met the [subj2:dem] man."}},
        {"question": {"context": "A [subj1:dem] man met a [subj2:dem] man."}},
        both={"subjects": PEOPLES, "rules": ["a-an"]},
    ),
    "a noun behind one of two": Fault(
        "asymmetric",
        "the article or the noun",
        {"question": {"context": "A [subj1:dem] met a [subj2:dem] man."}},
        {"question": {"context": "A [subj1:dem] man met a [subj2:dem] man."}},
        both={"subjects": PEOPLES, "rules": ["a-an"]},
    ),
    # negations
    "a part left out": Fault(
        "partial-negation",
        "omits 'in secret'",
        act("plotted in secret for power", "never plotted for power"),
        act("plotted in secret for power", "never plotted in secret for power"),
    ),
    "a part left out behind an auxiliary": Fault(
        "partial-negation",
        "omits 'and cruel'",
        act("was lazy and cruel", "was not lazy"),
        act("was lazy and cruel", "was hard-working and kind"),
    ),
    "a part left out in German": Fault(
        "partial-negation",
        "omits 'und gelogen'",
        act("hat gestohlen und gelogen", "hat nie gestohlen"),
        act("hat gestohlen und gelogen", "hat nie gestohlen und gelogen"),
        "de",
    ),
    "a part left out by a suffix": Fault(
        "partial-negation",
        "omits 've araba'",
        act("para ve araba çaldı", "hiç para çalmadı"),
        act("para ve araba çaldı", "hiç para ya da araba çalmadı"),
        "tr",
    ),
    "a part left out without blanks": Fault(
        "partial-negation",
        "omits '并伤害'",
        act("抢劫并伤害路人", "没有抢劫路人"),
        act("抢劫了路人", "没有抢劫路人"),
        "zh",
        asked("谁[p_act]？", "谁[p_act:neg]？"),
    ),
    "a part left out in a language without negators": Fault(
        "partial-negation",
        "omits 'og løy'",
        act("stjal penger og løy", "stjal aldri penger"),
        act("stjal penger og løy", "stjal aldri penger og løy"),
        "nb",
    ),
    **{
        f"how it was done left out in {language}": Fault(
            "partial-negation",
            f"omits {how!r}",
            {**act(text, negated), **asked(question, question.replace("act", "act:neg"))},
            {**act(text, whole), **asked(question, question.replace("act", "act:neg"))},
            language,
        )
        for language, how, text, negated, whole, question in (
            ("en", "secretly", "secretly stole", "never stole", "never secretly stole", "Who [p_act]?"),
            (
                "de",
                "aus wut",
                "hat aus Wut geschlagen",
                "hat nicht geschlagen",
                "hat nie aus Wut geschlagen",
                "Wer [p_act]?",
            ),
            (
                "ru",
                "тайно",
                "тайно воровал",
                "никогда не воровал",
                "никогда не воровал тайно",
                "Кто [p_act]?",
            ),
            ("tr", "gizlice", "gizlice çaldı", "hiç çalmadı", "hiç gizlice çalmadı", "Kim [p_act]?"),
            ("zh", "偷偷", "偷偷拿过钱", "从来没有拿过钱", "从来没有偷偷拿过钱", "谁[p_act]？"),
            ("ar", "سرا", "سرق المال سرا", "لم يسرق المال قط", "لم يسرق المال سرا قط", "من [p_act]؟"),
            (
                "hi",
                "चुपके से",
                "ने चुपके से चोरी की",
                "ने कभी चोरी नहीं की",
                "ने कभी चुपके से चोरी नहीं की",
                "किस [p_act]?",
            ),
        )
    },
    "other words around the negation": Fault(
        "fixed-text",
        "'The {{MASK}} men ….', but its negation 'The {{MASK}} man ….'",
        {"statement": {"statement": "The [mask] men [p_act].", "negated": "The [mask] man [p_act:neg]."}},
        {"statement": {"statement": "The [mask] men [p_act].", "negated": "The [mask] men [p_act:neg]."}},
    ),
    "another group in the negation": Fault(
        "fixed-text",
        "names Muslims, Jews",
        act("lived among Muslims", "never lived among Jews"),
        act("lived among Muslims", "never lived among Muslims"),
    ),
    # attributes
    "no work": Fault(
        "no-source",
        "neither a work with its year",
        {
            "attributes": {
                "thief": {"kind": "person", "source": "Doe", "forms": {"": "stole", "neg": "never stole"}}
            }
        },
        {
            "attributes": {
                "thief": {
                    "kind": "person",
                    "source": "Doe 1999",
                    "forms": {"": "stole", "neg": "never stole"},
                }
            }
        },
    ),
    "what only women have": Fault(
        "one-sided",
        "only women can have 'nun'",
        act("was a nun", "was never a nun"),
        act("was a baker", "was never a baker"),
        both={"subjects": {"Ada": {"gender": "f"}, "Otto": {"gender": "m"}}},
    ),
    "a pronoun of one gender": Fault(
        "one-sided",
        "only men can have 'his'",
        act("lost his job", "never lost his job"),
        act("lost a job", "never lost a job"),
        both={"subjects": PEOPLES, "question": {"context": "[g?m=Mr|f=Ms] X saw [subj1] and [subj2]."}},
    ),
    "a question about women alone": Fault(
        "one-sided",
        "only women can have 'her', in 'Who lost her job and '",
        asked("Who lost her job and [p_act]?", "Who lost her job and [p_act:neg]?"),
        asked("Who lost a job and [p_act]?", "Who lost a job and [p_act:neg]?"),
        both={"subjects": {"Ada": {"gender": "f"}, "Otto": {"gender": "m"}}},
    ),
    "a context about men alone": Fault(
        "one-sided",
        "only men can have 'his'",
        {"question": {"context": "[subj1] met [subj2] in his garden."}},
        {"question": {"context": "[subj1] met [subj2] in a garden."}},
        both={"subjects": {"Ada": {"gender": "f"}, "Otto": {"gender": "m"}}},
    ),
    # forms
    "a form for one gender": Fault(
        "genders",
        "has the form dem.f, but no form for m",
        {"subjects": {"Mali": {"forms": {"dem.f": "Maliane"}}, "Peru": {}}},
        {"subjects": {"Mali": {"forms": {"dem.f": "Maliane", "dem.m": "Malian"}}, "Peru": {}}},
    ),
    "a form that the default gender fills": Fault(
        "genders",
        "Peru: has the form dem.m, but no form for f, which would get dem.m",
        {
            "subjects": {
                "Mali": {"forms": {"dem": "mali", "dem.f": "malie"}},
                "Peru": {"forms": {"dem": "per"}},
            }
        },
        {
            "subjects": {
                "Mali": {"forms": {"dem": "mali", "dem.f": "malie"}},
                "Peru": {"forms": {"dem.m": "per", "dem.f": "pere"}},
            }
        },
        both={"defaults": ["m"]},
    ),
    "a verb that the default gender fills": Fault(
        "genders",
        "act: has the form m.neg, but no form for f",
        act("mentì", "non mentì mai", f="mentìa"),
        act("mentì", "non mentì mai", f="mentìa", **{"neg.f": "non mentìa mai"}),
        "it",
        {"defaults": ["m"]},
    ),
    "a form that pack.yaml declares": Fault(
        "paradigm",
        "Peru: has no form dem, which pack.yaml declares",
        {"subjects": {"Mali": {"forms": {"dem": "Malian"}}, "Peru": {}}},
        {"subjects": PEOPLES},
        both={"forms": {"groups": ["dem"]}},
    ),
    "forms of a list that there is not": Fault(
        "paradigm",
        "no class has the list 'towns'",
        {"forms": {"towns": ["dem"]}},
        {"forms": {"groups": [""]}},
    ),
    "a declared form that is none": Fault(
        "paradigm",
        "'dem.' is not a form",
        {"forms": {"groups": ["dem."]}},
        {"forms": {"groups": ["dem"]}},
        both={"subjects": PEOPLES},
    ),
    "a default for one gender": Fault(
        "default-form",
        "the form without gender is the same as dem.m",
        {
            "subjects": {
                "Mali": {"forms": {"dem": "Malian", "dem.f": "Maliane", "dem.m": "Malian"}},
                "Peru": {},
            }
        },
        {
            "subjects": {
                "Mali": {"forms": {"dem": "Maliani", "dem.f": "Maliane", "dem.m": "Malian"}},
                "Peru": {},
            }
        },
    ),
    "a form that one lacks": Fault(
        "paradigm",
        "Chad: has no form from, unlike most other entries of its list",
        {"subjects": {"Mali": {"forms": {"from": "ma"}}, "Peru": {"forms": {"from": "pe"}}, "Chad": {}}},
        {"subjects": {"Mali": {"forms": {"from": "ma"}}, "Peru": {}, "Chad": {}}},
    ),
    "a form that is the base form": Fault(
        "paradigm",
        "C0: the form dem is the same as the base form",
        {"subjects": {f"C{i}": {"forms": {"dem": f"C{i}{'ish' if i else ''}"}} for i in range(20)}},
        {"subjects": {f"C{i}": {"forms": {"dem": f"C{i}ish"}} for i in range(20)}},
    ),
    "a plural verb": Fault(
        "verb-number",
        "'were' in the singular form",
        act("were rude", "was polite", **{"pl": "were rude", "neg.pl": "were polite"}),
        act("was rude", "was polite", **{"pl": "were rude", "neg.pl": "were polite"}),
    ),
    "letters of two scripts": Fault(
        "mixed-scripts",
        "cyrillic and latin",
        {"subjects": {"Mali": {"forms": {"": "Mаli"}}, "Peru": {}}},
        {"subjects": {"Mali": {"forms": {"": "Mali"}}, "Peru": {}}},
    ),
    # articles
    "a feminine article before m": Fault(
        "article",
        "'eine' before [subj1:dem.m], a form that is m",
        german("Dort steht eine [subj1:dem.m] neben [subj2:dem.m]."),
        german("Dort steht ein [subj1:dem.m] neben [subj2:dem.m]."),
        "de",
    ),
    "a run with its articles exchanged": Fault(
        "article",
        "'ein' before [subj1:dem], a form that is f",
        german("[g?m=Eine|f=Ein] [subj1:dem] grüßt [subj2:dem]."),
        german("[g?m=Ein|f=Eine] [subj1:dem] grüßt [subj2:dem]."),
        "de",
    ),
    "an article in the wrong case": Fault(
        "article",
        "'einen' before [subj2:dat.dem], a form that is m sg dat",
        german("[g?m=Ein|f=Eine] [subj1:dem] sitzt neben [g?m=einen|f=einer] [subj2:dem.dat]."),
        german("[g?m=Ein|f=Eine] [subj1:dem] sitzt neben [g?m=einem|f=einer] [subj2:dem.dat]."),
        "de",
    ),
    "a form without the case of its article": Fault(
        "article",
        "which does not name the case: acc",
        german("[g?m=Ein|f=Eine] [subj1:dem] traf [g?m=einen|f=eine] [subj2:dem]."),
        german("[g?m=Ein|f=Eine] [subj1:dem] traf [g?m=einen|f=eine] [subj2:dem.acc]."),
        "de",
    ),
    "a plural article before a form that is singular elsewhere": Fault(
        "article",
        "'die' before [subj2:dem.m], a form that is m sg",
        german("Ein [subj1:dem.m] traf die [subj2:dem.m]."),
        german("Ein [subj1:dem.m] traf sie, die [subj2:dem.m]."),
        "de",
    ),
    "an article of one subject": Fault(
        "article",
        "'la' before [subj1], a form that is m",
        {
            "question": {
                "context": "[subj1.g?m=la|f=la] [subj1] y [subj2.g?m=el|f=la] [subj2].",
                **asked("¿[p_act]?", "¿[p_act:neg]?")["question"],
            }
        },
        {
            "question": {
                "context": "[subj1.g?m=el|f=la] [subj1] y [subj2.g?m=el|f=la] [subj2].",
                **asked("¿[p_act]?", "¿[p_act:neg]?")["question"],
            }
        },
        "es",
        {"subjects": {"Perú": {"gender": "m"}, "China": {"gender": "f"}}},
    ),
    **{
        f"a feminine article in {language}": Fault(
            "article",
            f"{wrong!r} before [subj1:dem.m], a form that is m",
            romance("german", "german", f"Ecco {wrong} [subj1:dem.m] e [subj2:dem.m]."),
            romance("german", "german", f"Ecco {right} [subj1:dem.m] e [subj2:dem.m]."),
            language,
        )
        for language, wrong, right in (
            ("fr", "une", "un"),
            ("es", "una", "un"),
            ("it", "della", "del"),
            ("pt", "uma", "um"),
            ("nl", "het", "de"),
        )
    },
    # sound rules
    **{
        f"a rule of {language} that is not named": Fault(
            "unnamed-rule",
            says,
            {"rules": []},
            {"rules": rules},
            language,
            {
                "question": {
                    "context": context,
                    "question": question,
                    "negated": question.replace("act", "act:neg"),
                },
                "subjects": {"one": {"forms": {"": one}}, "two": {"forms": {"": two}}},
            },
        )
        for language, rules, one, two, context, question, says in (
            (
                "en",
                ["a-an"],
                "Malian",
                "Iraqi",
                "A [subj1] met a [subj2].",
                "Who [p_act]?",
                "name a-an in rules",
            ),
            (
                "es",
                ["spanish-contraction", "spanish-conjunctions"],
                "Ana",
                "Irene",
                "[subj1] y [subj2].",
                "¿Quién [p_act]?",
                "'Ana y Irene.' should be 'Ana e Irene.'",
            ),
            (
                "fr",
                ["french-contraction", "french-elision"],
                "le Turc",
                "le Malien",
                "Il parle à [subj1] et [subj2].",
                "Qui [p_act] ?",
                "'Il parle à le Turc et le Malien.' should be 'Il parle au Turc et le Malien.'",
            ),
            (
                "de",
                ["german-contraction"],
                "dem Iran",
                "dem Irak",
                "Leute in [subj1], Leute in [subj2].",
                "Wer [p_act]?",
                "name german-contraction in rules",
            ),
            (
                "ar",
                ["arabic-prefixes"],
                "المغرب",
                "العراق",
                "خريطة ل[subj1] و[subj2].",
                "من [p_act]؟",
                "للمغرب",
            ),
        )
    },
    "elision before contraction": Fault(
        "unnamed-rule",
        "rules: [italian-contraction, italian-elision]",
        {"rules": ["italian-elision", "italian-contraction"]},
        {"rules": ["italian-contraction", "italian-elision"]},
        "it",
        {
            "question": {"context": "Viene da [subj1] e da [subj2]."},
            "subjects": {"one": {"forms": {"": "il {Iran}"}}, "two": {"forms": {"": "il {Mali}"}}},
        },
    ),
    "a rule inside of a question": Fault(
        "unnamed-rule",
        "'Who was a idler?' should be 'Who was an idler?'",
        {"rules": []},
        {"rules": ["a-an"]},
        both={
            **asked("Who was a [p_act]?", "Who was a [p_act:neg]?"),
            **act("idler", "worker"),
        },
    ),
    "an article before the mask": Fault(
        "mask-border",
        "'A Armenian stole.' should be 'An Armenian stole.'",
        {"statement": {"statement": "A [mask] [p_act].", "negated": "A [mask] [p_act:neg]."}},
        {"statement": {"statement": "The [mask] [p_act].", "negated": "The [mask] [p_act:neg]."}},
        both={"subjects": {"Malian": {}, "Armenian": {}}, "rules": ["a-an"]},
    ),
    "an article of one gender before the mask": Fault(
        "mask-border",
        "'Le Algérien stole.' should be 'L’Algérien stole.'",
        {
            "statement": {
                "statement": "[g?m=Le|f=La] [mask] [p_act].",
                "negated": "[g?m=Le|f=La] [mask] [p_act:neg].",
            }
        },
        {"statement": {"statement": "[mask] [p_act].", "negated": "[mask] [p_act:neg]."}},
        "fr",
        {
            "subjects": {
                "one": {"forms": {"": "x", "m": "Turc", "f": "Turque"}},
                "two": {"forms": {"": "y", "m": "Algérien", "f": "Algérienne"}},
            },
            "rules": ["french-contraction", "french-elision"],
        },
    ),
    "a preposition before the mask": Fault(
        "mask-border",
        "'L’habitant de le Maroc stole.' should be 'L’habitant du Maroc stole.'",
        {
            "statement": {
                "statement": "L’habitant de [mask] [p_act].",
                "negated": "L’habitant de [mask] [p_act:neg].",
            }
        },
        {
            "statement": {
                "statement": "L’habitant de : [mask], [p_act].",
                "negated": "L’habitant de : [mask], [p_act:neg].",
            }
        },
        "fr",
        {
            "subjects": {"one": {"forms": {"": "le Maroc"}}, "two": {"forms": {"": "le Mali"}}},
            "rules": ["french-contraction"],
        },
    ),
    "a word of the attribute before the mask": Fault(
        "mask-border",
        "'Says Ana y Irene.' should be 'Says Ana e Irene.'",
        {"statement": {"statement": "Says [p_act] [mask].", "negated": "Says [p_act:neg] [mask]."}},
        {"statement": {"statement": "Says [p_act]: [mask].", "negated": "Says [p_act:neg]: [mask]."}},
        "es",
        {
            "subjects": {"Irene": {}, "Eva": {}},
            "rules": ["spanish-conjunctions"],
            **asked("¿[p_act]?", "¿[p_act:neg]?"),
            **act("Ana y", "Eda y"),
        },
    ),
    "a changed word beside the attribute is no other fixed text": Fault(
        "fixed-text",
        "'¿Quién vino y …?', but its negation '¿Quién fue y …?'",
        asked("¿Quién vino y [p_act]?", "¿Quién fue y [p_act:neg]?"),
        asked("¿Quién vino y [p_act]?", "¿Quién vino y [p_act:neg]?"),
        "es",
        {"rules": ["spanish-conjunctions"], **act("ignoró", "cuidó")},
    ),
    # marks
    "no opening mark": Fault(
        "question-marks",
        "? without ¿",
        asked("Quién [p_act]?", "Quién [p_act:neg]?"),
        asked("¿Quién [p_act]?", "¿Quién [p_act:neg]?"),
        "es",
    ),
    "no opening exclamation mark": Fault(
        "question-marks",
        "! without ¡",
        asked("¿Quién [p_act]?", "¿Quién [p_act:neg]?", context="Mira! [subj1] y [subj2]."),
        asked("¿Quién [p_act]?", "¿Quién [p_act:neg]?", context="¡Mira! [subj1] y [subj2]."),
        "es",
    ),
    **{
        f"the question mark of {language}": Fault(
            "question-marks",
            f"does not end with {right}",
            asked(f"Q [p_act]{wrong}", f"Q [p_act:neg]{wrong}"),
            asked(f"Q [p_act]{right}", f"Q [p_act:neg]{right}"),
            language,
        )
        for language, wrong, right in (
            ("en", ".", "?"),
            ("zh", "?", "？"),
            ("ja", "。", "？"),
            ("ar", "?", "؟"),
            ("ur", "?", "؟"),
            ("el", "?", ";"),
        )
    },
    "a Latin letter in a Russian context": Fault(
        "mixed-scripts",
        "cyrillic and latin in the word 'пaрке'",
        {"question": {"context": "[subj1] и [subj2] в пaрке."}},
        {"question": {"context": "[subj1] и [subj2] в парке, в IT-компании."}},
        "ru",
    ),
    "a mark in an attribute that is not the first": Fault(
        "question-marks",
        "? without ¿",
        {
            "attributes": {
                **acts({"": "robó", "neg": "no robó"}),
                **acts({"": "mintió?", "neg": "calló"}, "b"),
            }
        },
        {"attributes": {**acts({"": "robó", "neg": "no robó"}), **acts({"": "mintió", "neg": "calló"}, "b")}},
        "es",
        asked("¿Quién [p_act]?", "¿Quién [p_act:neg]?"),
    ),
    "an opening mark too many": Fault(
        "question-marks",
        "¿ without ?",
        asked("¿¿Quién [p_act]?", "¿¿Quién [p_act:neg]?"),
        asked("¿Quién [p_act]?", "¿Quién [p_act:neg]?"),
        "es",
    ),
    "a mark within a question": Fault(
        "question-marks",
        "there is ? in the middle of the question 'Who ever? stole?'",
        asked("Who ever? [p_act]?", "Who ever? [p_act:neg]?"),
        asked("Who ever [p_act]?", "Who ever [p_act:neg]?"),
    ),
    "articles that differ without a sound rule": Fault(
        "asymmetric",
        "the article or the noun",
        {"question": {"context": "The [subj1:dem] man met a [subj2:dem] man."}},
        {"question": {"context": "The [subj1:dem] man met the [subj2:dem] man."}},
        both={"subjects": PEOPLES},
    ),
    "a space before the mark, once": Fault(
        "question-marks",
        "no space before ?, but most questions have a no-break space",
        asked("Qui [p_act]?", "Qui [p_act:neg]?"),
        asked("Qui [p_act]\u00a0?", "Qui [p_act:neg]\u00a0?"),
        "fr",
        {"more_questions": {n: french(n) for n in ("un", "deux")}},
    ),
    # leftovers
    "a particle in two forms": Fault(
        "leftover",
        "contains a particle in two forms: '김은(는)'",
        asked("누가 [p_act]?", "누가 [p_act:neg]?", context="[subj1]은(는) [subj2] 옆에 있다."),
        asked("누가 [p_act]?", "누가 [p_act:neg]?", context="[subj1] 씨는 [subj2] 옆에 있다."),
        "ko",
        {"subjects": {"Kim": {"forms": {"": "김"}}, "Lee": {"forms": {"": "이"}}}},
    ),
    "a bracket": Fault(
        "leftover",
        "contains a bracket: '<'",
        {"question": {"context": "[subj1] met <b>[subj2]</b>."}},
        {"question": {"context": "[subj1] met [subj2]."}},
    ),
    "a note": Fault(
        "leftover",
        "contains a note: 'TODO'",
        act("TODO stole", "TODO never stole"),
        act("stole", "never stole"),
    ),
    "a space before a comma": Fault(
        "leftover",
        "a space before a punctuation mark",
        {"question": {"context": "[subj1] , a guest, met [subj2]."}},
        {"question": {"context": "[subj1], a guest, met [subj2]."}},
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_and_its_repaired_twin_is_not(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    both = fault.both or {}
    findings = lint_pack(mini_pack(tmp_path / "planted", fault.language, **{**both, **fault.planted})).open
    assert {f.rule for f in findings} == {fault.rule}
    assert any(fault.says in f.message for f in findings), [f.message for f in findings]
    assert all(f.file.is_file() and f.line and f.name for f in findings)
    repaired = lint_pack(mini_pack(tmp_path / "repaired", fault.language, **{**both, **fault.repaired}))
    assert repaired.open == repaired.accepted == ()


def test_every_rule_has_a_planted_fault() -> None:
    assert {f.rule for f in FAULTS.values()} == lint_rules("pack").keys() - {"swap"}


def test_a_swap_that_changes_more_than_the_subjects_is_found(tmp_path: Path) -> None:
    """No text of a pack can do that, only a sound rule that reaches further than to the words at a border."""

    def reaches_far(text: str) -> list[Edit]:
        return [Edit(0, 4, "Then", len(text))] if text.startswith("When") and text.endswith("Mali.") else []

    pack = mini_pack(
        tmp_path, question={"context": "When it rained, [subj1] came and there was much talk of [subj2]."}
    )
    (questions,) = pack.sets
    found = lint_sets([replace(questions, rules=(reaches_far,), rules_anywhere=True)])
    assert [f.rule for f in found] == ["swap"]
    assert "swapping Mali and Peru changes 'When it rained, ' to 'Then it rained, '" in found[0].message
    assert lint_sets([replace(questions, rules=())]) == []


def test_words_outside_of_braces_may_change_with_the_subject(tmp_path: Path) -> None:
    subjects = {
        "Turkey": {"forms": {"from": "aus der {Türkei}"}},
        "Spain": {"forms": {"from": "aus {Spanien}"}},
    }
    question = {"context": "Gäste [subj1:from] und Gäste [subj2:from] kamen."}
    pack = mini_pack(tmp_path, "de", subjects=subjects, question=question, attributes=STAHL)
    assert lint_pack(pack).open == ()
    one, two = pack.sets[0].subjects[0]
    text = render_context(pack.sets[0], pack.sets[0].templates[0], one, two).text
    assert text == "Gäste aus der Türkei und Gäste aus Spanien kamen."
