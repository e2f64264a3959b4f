"""The score cache: what is put comes out bit by bit, or not at all."""

from __future__ import annotations

import math
import struct
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.scoring.cache.folder import cache_folder
from nextset.scoring.cache.keys import Scope, input_key, input_keys
from nextset.scoring.cache.score_cache import ScoreCache

SCOPE = Scope("some/model", "f" * 32, "spans", "float32", ("subject1", "subject2"), '{"spans":"exact"}')
BITS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])
NUMBER = st.sampled_from([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324]) | BITS
ROW = st.tuples(NUMBER, NUMBER)
KEY = st.binary(min_size=16, max_size=16)


def keys(*names: str) -> list[bytes]:
    return [input_key([name]) for name in names]


def put(cache: ScoreCache, named: dict[str, float], scope: Scope = SCOPE) -> None:
    numbers = np.array([[n] * len(scope.columns) for n in named.values()])
    cache.put(scope, keys(*named), numbers)


def values(cache: ScoreCache, *names: str, scope: Scope = SCOPE) -> list[float | None]:
    found = cache.get(scope, keys(*names))
    return [n if there else None for n, there in zip(found.numbers[:, 0].tolist(), found.there, strict=True)]


@settings(max_examples=60, deadline=None)
@given(rows=st.dictionaries(KEY, ROW, max_size=40), others=st.lists(KEY, max_size=5))
def test_what_is_put_comes_out_bit_by_bit(
    tmp_path_factory: pytest.TempPathFactory,
    rows: dict[bytes, tuple[float, float]],
    others: list[bytes],
) -> None:
    cache = ScoreCache(tmp_path_factory.mktemp("cache"))
    numbers = np.array(list(rows.values()), dtype=np.float64).reshape(len(rows), 2)
    cache.put(SCOPE, list(rows), numbers)
    absent = [key for key in others if key not in rows]
    asked = [*absent, *reversed(list(rows)), *list(rows)[:3]]
    found = cache.get(SCOPE, asked)
    assert found.there.tolist() == [key in rows for key in asked]
    at = [list(rows).index(key) for key in asked if key in rows]
    assert found.numbers[found.there].tobytes() == numbers[at].tobytes()
    assert np.isnan(found.numbers[~found.there]).all()


def test_more_keys_than_are_looked_up_at_once(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    put(cache, {str(n): float(n) for n in range(1201)})
    assert values(cache, *map(str, range(1300))) == [*map(float, range(1201)), *[None] * 99]


def test_a_row_that_is_there_stays(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    put(cache, {"a": 1.0})
    put(cache, {"a": 2.0, "b": 3.0})
    assert values(cache, "a", "b") == [1.0, 3.0]


@pytest.mark.parametrize(
    "other",
    [
        replace(SCOPE, identity="0" * 32),
        replace(SCOPE, kind="nli"),
        replace(SCOPE, precision="bfloat16"),
        replace(SCOPE, columns=("subject1", "subject1")),
        replace(SCOPE, columns=("subject1",)),
        replace(SCOPE, options='{"spans":"widened"}'),
        replace(SCOPE, options='{"prompt":"e\u0301"}'),
        replace(SCOPE, options='{"prompt":"\u00e9"}'),
    ],
)
def test_another_scope_has_other_rows(tmp_path: Path, other: Scope) -> None:
    cache = ScoreCache(tmp_path)
    put(cache, {"a": 1.0})
    assert values(cache, "a", scope=other) == [None]
    put(cache, {"a": 2.0}, scope=other)
    assert values(cache, "a") == [1.0]


def test_scopes_differ_by_more_than_normal_forms_of_letters() -> None:
    assert replace(SCOPE, options="e\u0301").key != replace(SCOPE, options="\u00e9").key


def test_another_name_of_the_same_model_has_the_same_rows(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    put(cache, {"a": 1.0})
    assert values(cache, "a", scope=replace(SCOPE, model="a copy of it")) == [1.0]


def test_keys_go_by_exact_bytes_and_by_the_bounds_of_texts() -> None:
    texts = [("é",), ("e\u0301",), ("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("",), ()]
    made = input_keys(texts)
    assert len(set(made)) == len(texts)
    assert {len(key) for key in made} == {16}
    assert made == [input_key(each) for each in texts]


def test_looking_up_makes_nothing(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path / "not there")
    assert values(cache, "a") == [None]
    assert not cache.folder.exists()
    cache.put(SCOPE, [], np.zeros((0, 2)))
    assert not cache.folder.exists()


def test_what_does_not_fit_its_scope_is_refused(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    with pytest.raises(ValueError, match="numbers has shape"):
        cache.put(SCOPE, keys("a"), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="numbers has shape"):
        cache.put(SCOPE, keys("a", "b"), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="16 bytes"):
        cache.put(SCOPE, [b"short"], np.zeros((1, 2)))


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache, wrong = ScoreCache(tmp_path), []

    def work(own: int) -> None:
        for n in range(20):
            put(cache, {f"{own} {n}": float(n), f"all {n}": float(n)})
            if values(cache, f"{own} {n}", f"all {n}") != [n, n]:
                wrong.append((own, n))

    threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert (
        values(cache, *(f"{own} {n}" for own in range(4) for n in range(20))) == [*map(float, range(20))] * 4
    )


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == ScoreCache().folder == tmp_path / "mine" / "scores"
    monkeypatch.delenv("NEXTSET_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "nextset" / "scores"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "nextset" / "scores"
    monkeypatch.setenv("HOME", "nowhere")
    with pytest.raises(OSError, match="NEXTSET_CACHE"):
        cache_folder()
