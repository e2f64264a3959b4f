"""Prompts about choice items: letters and texts, the orders of the options, and the published layouts."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.array_types import Floats
from nextset.errors import StudyError
from nextset.scoring.asking import Asking
from nextset.scoring.forms.choices import CHOICE_SCORING
from nextset.scoring.prompt_numbers import prompt_numbers
from nextset.scoring.prompt_wordings import prompts_file, read_prompts, render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion
from nextset.study.scoring_settings import ScoringSettings

ASKED = ChoiceQuestion("Ann met Bob.", "Who was late?", ("Bob", "Ann", "Not known"), 2)
LISTED = '  - prompt: "{context} {question} {options}"\n    '
FLIPS, MARGIN = CHOICE_COLUMNS.index("flips"), CHOICE_COLUMNS.index("order_margin")


def wordings(folder: Path, text: str) -> Asking:
    file = folder / "prompts.yaml"
    file.write_text(f"format: 1\nchoice:\n{text}", encoding="utf-8")
    return Asking("choice", ScoringSettings(), prompts=read_prompts(file))


def published(name: str, rotations: str = "one") -> Asking:
    prompts = read_prompts(prompts_file(f"builtin:{name}", Path))
    return Asking("choice", ScoringSettings(rotations=rotations), prompts=prompts)


def rendered(asking: Asking, asked: ChoiceQuestion = ASKED) -> tuple[Rendered, ...]:
    (prompts,) = render_prompts(asking, [asked])
    return prompts


def test_each_option_is_once_in_each_place_of_each_wording() -> None:
    prompts = rendered(Asking("choice", ScoringSettings()))
    assert [p.wording for p in prompts] == [1, 1, 1, 2, 2, 2]
    assert [p.order for p in prompts] == [0, 1, 2, 0, 1, 2]
    for number in (1, 2):
        of_wording = [p.places for p in prompts if p.wording == number]
        for place in range(3):
            assert sorted(places[place] for places in of_wording) == [0, 1, 2]
    assert "A: Ann\nB: Bob\nC: Not known" in prompts[0].prompt
    assert prompts[0].choices == prompts[0].letters == ("A", "B", "C")
    assert prompts[0].options == prompts[3].choices == ("Ann", "Bob", "Not known")
    assert prompts[0].places == (1, 0, 2)
    assert [p.abstention for p in prompts[:3]] == [2, 1, 0]
    assert prompts[1].shown(1) == "Not known"


def test_one_order_is_the_item_s_own() -> None:
    prompts = rendered(Asking("choice", ScoringSettings(rotations="one")))
    assert [p.options for p in prompts] == [ASKED.options] * 2
    assert [p.order for p in prompts] == [None, None]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_prompts_do_not_depend_on_the_order_of_the_item(order: tuple[int, ...]) -> None:
    other = replace(ASKED, options=tuple(ASKED.options[i] for i in order), unknown=order.index(2))
    for one, two in zip(rendered(Asking("choice", ScoringSettings())),
                        rendered(Asking("choice", ScoringSettings()), other), strict=True):  # fmt: skip
        assert one == two
        assert [ASKED.options[i] for i in one.places] == [other.options[i] for i in two.places]


def test_an_item_may_have_two_to_six_options() -> None:
    for count in range(2, 7):
        asked = ChoiceQuestion("A b.", "Who?", tuple(f"P{i}" for i in range(count)), -1)
        prompts = rendered(Asking("choice", ScoringSettings()), asked)
        assert len(prompts) == 2 * count
        assert {len(p.choices) for p in prompts} == {count}
        assert {p.abstention for p in prompts} == {None}


def first_place(prompts: tuple[Rendered, ...]) -> list[Floats]:
    """A model that takes the first place with 0.8, whatever stands there."""
    return [np.array([0.8, *[0.2 / (len(p.choices) - 1)] * (len(p.choices) - 1)]) for p in prompts]


@given(st.integers(2, 6))
def test_a_model_that_prefers_a_place_gets_equal_shares_and_flips(count: int) -> None:
    asked = ChoiceQuestion("A b.", "Who?", tuple(f"P{i}" for i in range(count)), -1)
    prompts = rendered(Asking("choice", ScoringSettings()), asked)
    numbers = prompt_numbers("choice", prompts, first_place(prompts), truncated=False)
    np.testing.assert_allclose(numbers[:count], 1 / count, atol=1e-12)
    assert np.isnan(numbers[count:6]).all()
    assert numbers[FLIPS] == pytest.approx((count - 1) / count)


def test_flips_are_counted_over_the_means_of_the_wordings() -> None:
    """Two wordings, three orders. The means by order are (.6, .3, .1), (.3, .5, .2), (.6, .2, .2), so the
    choice over all is the first option with .5, and the second order alone is a flip: its lead is .2, which
    is the least margin of the three (.3, .2, .4)."""
    prompts = [Rendered("", ("x", "y", "z"), wording=w, order=o) for w in (1, 2) for o in range(3)]
    shares = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.6, 0.2, 0.2],
              [0.5, 0.4, 0.1], [0.4, 0.4, 0.2], [0.6, 0.2, 0.2]]  # fmt: skip
    numbers = prompt_numbers("choice", prompts, [np.array(s) for s in shares], truncated=True)
    np.testing.assert_allclose(numbers[:3], [0.5, 1 / 3, 1 / 6])
    assert numbers[FLIPS] == pytest.approx(1 / 3)
    assert numbers[MARGIN] == pytest.approx(0.2)
    assert numbers[-1] == 1


def test_an_order_without_an_answer_is_no_flip() -> None:
    prompts = [Rendered("", ("x", "y"), order=o) for o in range(2)]
    shares = [np.array([0.0, 1.0]), np.array([0.0, 0.0])]
    assert prompt_numbers("choice", prompts, shares, truncated=False)[FLIPS] == 0
    nothing = prompt_numbers("choice", prompts, [np.zeros(2)] * 2, truncated=False)
    assert math.isnan(nothing[FLIPS])


def test_a_prompt_without_a_list_is_asked_once(tmp_path: Path) -> None:
    asking = wordings(tmp_path, '  - prompt: "{context} {question}"\n    choice: "{option}"\n')
    (prompt,) = rendered(asking)
    assert (prompt.choices, prompt.order, prompt.letters) == (ASKED.options, None, ())
    numbers = prompt_numbers("choice", [prompt], [np.array([0.5, 0.3, 0.2])], truncated=False)
    assert numbers[:3].tolist() == [0.5, 0.3, 0.2]
    assert np.isnan(numbers[[FLIPS, MARGIN]]).all()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('  - prompt: "{context} {question}"\n', "does not list the letters"),
        (LISTED + 'option: "{letter}"\n', "does not contain {option}"),
        (LISTED + 'choice: "x"\n', "the same for every option"),
        (LISTED + 'choice: "{word}"\n', "unknown placeholder {word}"),
        (LISTED + 'option: "{option}"\n', "does not list the letters"),
        (LISTED + 'letters: [a, b]\n', "fewer than 6 different letters"),
        ('  - prompt: "{context} {options}"\n', "{question} is missing"),
        ('  - prompt: "{context} {question} {options} {x}"\n', "unknown placeholder {x}"),
        (LISTED + 'option: "{letter} { {option}"\n', "brace"),
    ],
)  # fmt: skip
def test_a_wording_that_cannot_be_asked_is_refused_with_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(StudyError) as refused:
        wordings(tmp_path, text)
    assert problem in str(refused.value)
    assert "prompts.yaml:" in str(refused.value)


def test_the_layouts_of_unifiedqa() -> None:
    (race,) = rendered(published("bbq-race"))
    assert race.prompt == "who was late? \\n (a) bob (b) ann (c) not known \\n ann met bob."
    assert race.choices == ("bob", "ann", "not known")
    (arc,) = rendered(published("bbq-arc"))
    assert arc.prompt == "ann met bob. who was late? \\n (a) bob (b) ann (c) not known"
    assert arc.letters == ("a", "b", "c")


def test_the_layouts_of_the_harness() -> None:
    (bbq,) = rendered(published("bbq-harness"))
    assert bbq.prompt == "Ann met Bob.\n\nQ: Who was late?\nA:"
    assert bbq.choices == ASKED.options
    for name, answer in (("esbbq", "Respuesta:"), ("cabbq", "Resposta:")):
        (prompt,) = rendered(published(name))
        assert prompt.prompt.splitlines()[-1] == answer


def test_the_layouts_of_kobbq() -> None:
    prompts = rendered(published("kobbq"))
    assert [p.choices for p in prompts] == [("A", "B", "C")] * 2 + [("a", "b", "c")] * 2 + [("A", "B", "C")]
    assert "A: Bob\nB: Ann\nC: Not known" in prompts[0].prompt
    assert "보기:(A) Bob\n(B) Ann\n(C) Not known\n답:" in prompts[4].prompt
    assert len(rendered(published("kobbq", "all"))) == 15


def test_an_unknown_name_lists_the_others(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text("scoring:\n  prompts: builtin:bbq\n", encoding="utf-8")
    with pytest.raises(StudyError, match="builtin:bbq-race") as refused:
        prompts_file("builtin:bbq", Path, study)
    assert refused.value.line == 2


def test_rotations_are_part_of_the_settings_that_decide_the_prompts() -> None:
    assert CHOICE_SCORING.prompt_options(ScoringSettings()) == {"rotations": "all"}
    assert CHOICE_SCORING.prompt_options(ScoringSettings(rotations="one")) == {"rotations": "one"}
