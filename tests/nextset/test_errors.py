"""Errors reach another process as they are."""

from __future__ import annotations

import pickle

import pytest

import nextset.errors
from nextset.errors import InputError, NextsetError

KINDS = [getattr(nextset.errors, name) for name in nextset.errors.__all__]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_rebuilt_with_all_that_it_says(kind: type[NextsetError]) -> None:
    where = {"file": "study.yaml", "line": 3} if issubclass(kind, InputError) else {}
    error = kind("it is wrong", remedy="mend it", **where)
    error.add_note("far away")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is kind
    assert (str(again), again.remedy, again.args) == (str(error), "mend it", error.args)
    assert vars(again) == vars(error)
