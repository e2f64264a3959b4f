"""Errors reach another process as they are."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable

import pytest

import nextset
import nextset.errors
from nextset.errors import InputError, NextsetError, WordListError, examples

KINDS = [kind for name in nextset.errors.__all__ if isinstance(kind := getattr(nextset.errors, name), type)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_rebuilt_with_all_that_it_says(kind: type[NextsetError]) -> None:
    where = {"file": "study.yaml", "line": 3} if issubclass(kind, InputError) else {}
    error = kind("it is wrong", remedy="mend it", **where)
    error.add_note("far away")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is kind
    assert (str(again), again.remedy, again.args) == (str(error), "mend it", error.args)
    assert vars(again) == vars(error)


def raised_while_handling(error: NextsetError) -> None:
    """Raise ``error`` without `from None`, as a function does that a handler calls."""
    try:
        raise KeyError("key")
    except KeyError:
        raise error  # noqa: B904


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "from another process"])
def test_an_error_is_one_traceback_that_ends_with_the_remedy(
    kind: type[NextsetError], elsewhere: bool
) -> None:
    error = kind("it is wrong", remedy="mend it")
    with pytest.raises(kind) as caught:
        raised_while_handling(pickle.loads(pickle.dumps(error)) if elsewhere else error)  # noqa: S301
    lines = traceback.format_exception(caught.value)
    assert "".join(lines).count("Traceback (most recent call last)") == 1
    assert lines[-1] == "try: mend it\n"


@pytest.mark.parametrize(
    "call",
    [
        lambda: nextset.Study.load("nowhere"),
        lambda: nextset.run("nowhere"),
        lambda: nextset.load_version("nowhere"),
        lambda: nextset.load_templates("nowhere"),
        lambda: nextset.measure({"a": [1]}, {"b": [2]}),
        lambda: nextset.filter({"a": [1]}, {"b": [2]}),
        lambda: nextset.plot({"model": ["m"]}),
        lambda: nextset.audit_dataset("nowhere", ["nowhere"]),
    ],
)
def test_an_expected_error_of_a_public_function_is_one_traceback(call: Callable[[], object]) -> None:
    with pytest.raises(NextsetError) as caught:
        call()
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("Traceback (most recent call last)") == 1
    assert shown.endswith(f"\ntry: {caught.value.remedy}\n")


def test_no_error_is_longer_than_a_screen() -> None:
    error = WordListError("a" * 700 + "b" * 80_000 + "end", remedy="c" * 9_000, file="x.yaml", line=1)
    assert len(f"{error}{error.remedy}") < 24 * 100
    # 3/4 and 1/5 of 1,200 characters stay: 80,703 - 1,140 are left out
    assert error.message.startswith("a" * 700 + "b" * 200 + " … (79,563 characters omitted) … b")
    assert error.message.endswith("end")
    assert str(error).startswith("x.yaml:1: aaa")
    short = WordListError("a" * 1200, remedy="b" * 1200)
    assert (short.message, short.remedy) == ("a" * 1200, "b" * 1200)


def test_a_path_or_value_cannot_write_to_the_terminal() -> None:
    error = InputError("a \x9b \u202e value", remedy="change it", file="a\x1b[2J\n/b.yaml", line=2)
    assert str(error) == r"a\x1b[2J\n/b.yaml:2: a \x9b \u202e value"
    assert str(NextsetError("\x1b]0;x", remedy="change it")) == r"\x1b]0;x"


def test_of_many_values_five_and_the_number_of_the_others_are_named() -> None:
    assert examples([]) == ""
    assert examples("abcde") == "a, b, c, d, e"
    assert examples(range(1_005)) == "0, 1, 2, 3, 4 and 1,000 more"
