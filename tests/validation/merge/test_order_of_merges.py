"""Copies of a study say the same in whichever order they are merged, whatever their organisers did."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.validation.merge.organisers import Organiser, merge_logs, what_counts

seeds = st.integers(0, 2**32)


def copies(folder: Path, seed: int, n: int) -> list[Path]:
    """The judgments of ``n`` organisers, who began with copies of one study and closed their sessions."""
    random = Random(seed)
    first = Organiser(folder / "0", "first", random)
    first.work(random.randrange(12))
    others = [
        first.copied(
            folder / str(i),
            "abcd"[i] * i,
            key=random.choice(["k1", "k1", "k2"]),
            ahead=random.randrange(-20, 20),
        )
        for i in range(1, n)
    ]
    for organiser in (first, *others):
        organiser.work(random.randrange(5, 40))
        organiser.close()
    return [organiser.folder for organiser in (first, *others)]


def merged(folders: list[Path], to: Path) -> Path:
    """The first of ``folders``, into a copy of which the others are merged in their order."""
    shutil.copytree(folders[0], to)
    for other in folders[1:]:
        merge_logs(to, other)
    return to


@settings(max_examples=6)
@given(seeds)
def test_two_copies_say_the_same_in_either_order(seed: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        a, b = copies(folder, seed, 2)
        ab, ba = merged([a, b], folder / "ab"), merged([b, a], folder / "ba")
        assert what_counts(ab) == what_counts(ba)
        lines = (ab / "log.jsonl").read_bytes() if (ab / "log.jsonl").exists() else b""
        again = merge_logs(ab, b)
        assert (again.entries, again.events) == ((), ())
        assert not lines or (ab / "log.jsonl").read_bytes() == lines
        back = merge_logs(a, ba)  # and the merged copy comes back
        assert not back.omitted
        assert what_counts(a) == what_counts(ab)
        assert merge_logs(ba, a).entries == ()


@pytest.mark.slow
@settings(max_examples=3)
@given(seeds)
def test_three_copies_say_the_same_in_every_order(seed: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        a, b, c = copies(folder, seed, 3)
        bc = merged([b, c], folder / "bc")
        expected = what_counts(merged([a, b, c], folder / "abc"))
        assert what_counts(merged([a, bc], folder / "a-bc")) == expected
        assert what_counts(merged([c, b, a], folder / "cba")) == expected
        ca = merged([c, a], folder / "ca")
        assert what_counts(merged([bc, ca], folder / "bc-ca")) == expected


@pytest.mark.slow
@settings(max_examples=5)
@given(seeds)
def test_organisers_who_go_on_after_a_merge_agree_after_the_next(seed: int) -> None:
    with TemporaryDirectory() as name:
        random, folder = Random(seed), Path(name)
        one = Organiser(folder / "1", "one", random)
        one.work(5)
        other = one.copied(folder / "2", "other", ahead=random.randrange(-20, 20))
        for _ in range(3):
            for organiser in (one, other):
                organiser.work(random.randrange(12))
                organiser.close()
            if random.random() < 0.5:
                merge_logs(one.folder, other.folder)
            if random.random() < 0.5:
                merge_logs(other.folder, one.folder)
        merge_logs(one.folder, other.folder)
        merge_logs(other.folder, one.folder)
        assert what_counts(one.folder) == what_counts(other.folder)


@settings(max_examples=8)
@given(seeds)
def test_without_a_merge_the_order_is_that_of_the_log(seed: int) -> None:
    """A copy into which nothing new came says what it said; one of an old study says what the study said."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (a,) = copies(folder, seed, 1)
        before = what_counts(a)
        shutil.copytree(a, folder / "old")
        empty = folder / "empty"
        empty.mkdir()
        merge_logs(empty, a)  # every line comes from another copy
        assert what_counts(empty) == before
        merge_logs(a, folder / "old")
        assert what_counts(a) == before
