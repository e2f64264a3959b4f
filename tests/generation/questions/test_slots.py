"""The grammar of question templates."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.slots import (
    Run,
    Slot,
    SlotError,
    features,
    form_key,
    genders,
    in_gender,
    parse,
)

PLAIN = st.text(st.characters(exclude_characters="[]{}", exclude_categories=["Cs"]), min_size=1, max_size=12)
FEATURE = st.from_regex(r"[a-z]{1,4}", fullmatch=True)
SLOTS = st.builds(
    Slot,
    st.sampled_from(["subj1", "subj2", "p_act", "l_act"]),
    st.frozensets(FEATURE, max_size=3),
)
RUNS = st.builds(
    lambda subject, a, b: Run(subject, (("f", a), ("m", b))),
    st.sampled_from(["", "subj1", "subj2"]),
    PLAIN.filter(lambda t: "|" not in t),
    PLAIN.filter(lambda t: "|" not in t),
)


def written(piece: str | Slot | Run) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Slot):
        return f"[{piece.name}{':' if piece.features else ''}{'.'.join(sorted(piece.features or ()))}]"
    owner = f"{piece.subject}." if piece.subject else ""
    return f"[{owner}g?{'|'.join(f'{g}={words}' for g, words in piece.values)}]"


@given(st.lists(PLAIN | SLOTS | RUNS, max_size=6))
def test_what_is_written_is_read_again(pieces: list[str | Slot | Run]) -> None:
    joined: list[str | Slot | Run] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    assert parse("".join(map(written, pieces))) == tuple(joined)


@given(st.text(st.sampled_from("[]{}:.?|=gmfsubj12_act "), max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        pieces = parse(text)
    except SlotError:
        return
    assert "".join(p for p in pieces if isinstance(p, str)).count("[") == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[subj3] is", "[subj3] is not a slot"),
        ("[subj1", "a stray '['"),
        ("subj1]", "a stray ']'"),
        ("{subj1}", "a stray '{'"),
        ("[]", "[] is not a slot"),
        ("[subj1:dem..f]", "is not a form"),
        ("[subj1:dem.dem]", "is not a form"),
        ("[g?m=he]", "two genders or more"),
        ("[g?m=he|m=him]", "two genders or more"),
        ("[g?he|she]", "without a gender"),
        ("[[subj1]]", "stray"),
        ("[p_act-single]", "is not a slot"),
    ],
)
def test_what_is_no_slot_is_refused(text: str, says: str) -> None:
    with pytest.raises(SlotError, match=re.escape(says)):
        parse(text)


def test_features_have_no_order() -> None:
    assert features("dem.f.acc") == features("acc.dem.f") == frozenset({"dem", "f", "acc"})
    assert features("") == frozenset()


def test_a_listed_form_of_the_gender_wins() -> None:
    forms = {frozenset[str](): "x", frozenset({"dem"}): "y", frozenset({"dem", "f"}): "z"}
    assert form_key(forms, frozenset({"dem"}), "f") == frozenset({"dem", "f"})
    assert form_key(forms, frozenset({"dem"}), "m") == frozenset({"dem"})
    assert form_key(forms, frozenset({"pl"}), "m") is None


def test_a_template_is_written_for_each_gender_of_its_runs() -> None:
    text = parse("A [g?m=man|f=woman] and [subj1.g?m=his|f=her] dog")
    assert genders([text]) == ("m", "f")
    assert in_gender(text, "f")[:2] == ("A ", "woman")
    assert isinstance(in_gender(text, "f")[3], Run)
    assert genders([parse("no run")]) == ("",)
    with pytest.raises(SlotError, match="different genders"):
        genders([parse("[g?m=a|f=b]"), parse("[g?m=a|n=b]")])
