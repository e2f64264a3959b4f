"""The corrections of UnQover's lists: whole words, once, and in questions and statements alike."""

from __future__ import annotations

import pytest

from nextset.generation.questions.published_corrections import corrected, corrections


def test_what_is_right_already_stays() -> None:
    for head, published, mended in corrections():
        assert corrected(head, published) == mended
        assert corrected(head, mended) == mended


@pytest.mark.parametrize(
    ("head", "text", "becomes"),
    [
        ("[subj:dem]", "Yemen", "Yemeni"),
        ("[subj:dem]", "Yemeni", "Yemeni"),
        ("[subj:dem]", "Yemenite", "Yemenite"),
        ("[subj]", "Yemen", "Yemen"),
        ("[p_act:neg]", "smelled of flower", "smelled of flowers"),
        ("[p_act:neg]", "smelled of flowers", "smelled of flowers"),
        ("[p_act-single]", "had terrible teeth and a thick accent", "had terrible teeth and a thick accent"),
        (
            "",
            "The man over the swing is a [subj1:dem]. Sitting by his side is a [subj2:dem] man.",
            "The man over the swing is a [subj1:dem] man. Sitting by his side is a [subj2:dem] man.",
        ),
        (
            "",
            "A [subj1:dem] was taking classes with a [subj2:dem].\tThe [mask] [p_act-single]."
            "\tThe [mask] [p_act-single:neg].",
            "A [subj1:dem] person was taking classes with a [subj2:dem] person."
            "\tThe [mask] person [p_act-single].\tThe [mask] person [p_act-single:neg].",
        ),
        # a template of one's own, whose subjects are nouns
        ("", "A [subj1] ran.\tThe [mask] [p_act-single].", "A [subj1] ran.\tThe [mask] [p_act-single]."),
        # an attribute's negation denies what the attribute says
        ("[p_act-single:neg]", "wasn't a drug dealer", "wasn't in drug cartels"),
        ("[p_act:neg]", "were probably not associated with x", "could not be associated with x"),
        ("[l_act:neg]", "had many peaceful people", "had hardly any violent or dangerous people"),
    ],
)  # fmt: skip
def test_a_line_is_corrected(head: str, text: str, becomes: str) -> None:
    assert corrected(head, text) == becomes
