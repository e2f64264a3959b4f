"""HDF5 files as others hand them over: damaged, hostile, or not of this kind."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from nextset.errors import DependencyMissing, InputError
from nextset.training.conversion.hdf5_parameters import hdf5_parameters

NUMBERS = np.arange(6, dtype=np.float32).reshape(2, 3)


def _made(file: Path, fill: Callable[[h5py.File], object]) -> Path:
    with h5py.File(file, "w") as out:
        out["a"] = NUMBERS
        fill(out)
    return file


def _opened(file: Path) -> dict[str, Any]:
    with hdf5_parameters(file) as found:
        return {name: found.read(name) for name in found.shapes}


def test_datasets_are_read_as_float32(tmp_path: Path) -> None:
    def fill(out: h5py.File) -> None:
        out["b.c"] = NUMBERS[0].astype(np.float16)
        out["d"] = np.float64(0.5)
        out.create_dataset("e", data=NUMBERS.astype(">f4"), compression="gzip", shuffle=True)

    file = _made(tmp_path / "m.hdf5", fill)
    with hdf5_parameters(file) as found:
        assert found.shapes == {"a": (2, 3), "b.c": (3,), "d": (), "e": (2, 3)}
        assert found.types == ("float16", "float32", "float64")
    read = _opened(file)
    assert {str(numbers.dtype) for numbers in read.values()} == {"float32"}
    np.testing.assert_array_equal(read["e"], NUMBERS)
    assert read["d"] == 0.5


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, number: float) -> None:
    def fill(out: h5py.File) -> None:
        out["b"] = np.array([1.0, number])

    with pytest.raises(InputError, match="parameter b has numbers that are not finite"):
        _opened(_made(tmp_path / "m.hdf5", fill))


def _external_link(out: h5py.File) -> None:
    out["b"] = h5py.ExternalLink("/etc/passwd", "/x")


def _soft_link(out: h5py.File) -> None:
    out["b"] = h5py.SoftLink("/a")


def _group(out: h5py.File) -> None:
    out.create_group("b")


def _external_data(out: h5py.File) -> None:
    out.create_dataset("b", (4,), "f4", external=[("/etc/passwd", 0, 16)])


def _virtual(out: h5py.File) -> None:
    layout = h5py.VirtualLayout((2, 3), "f4")
    layout[...] = h5py.VirtualSource("other.hdf5", "a", (2, 3))
    out.create_virtual_dataset("b", layout)


def _objects(out: h5py.File) -> None:
    out["b"] = np.array([b"__import__('os')"], dtype=h5py.string_dtype())


def _references(out: h5py.File) -> None:
    out.create_dataset("b", data=[out["a"].ref], dtype=h5py.ref_dtype)


def _integers(out: h5py.File) -> None:
    out["b"] = np.arange(3)


def _nothing(out: h5py.File) -> None:
    out["b"] = h5py.Empty("f4")


def _plugin(out: h5py.File) -> None:
    out.create_dataset("b", data=NUMBERS, compression="lzf")


@pytest.mark.parametrize(
    ("fill", "problem"),
    [
        (_external_link, "a link to something else"),
        (_soft_link, "a link to something else"),
        (_group, "a group"),
        (_external_data, "data in another file"),
        (_virtual, "data in another file"),
        (_objects, "of type object"),
        (_references, "of type object"),
        (_integers, "of type int64"),
        (_nothing, "empty"),
        (_plugin, "compressed with a plug-in"),
    ],
)
def test_what_is_not_a_parameter_is_refused(
    tmp_path: Path, fill: Callable[[h5py.File], object], problem: str
) -> None:
    with pytest.raises(InputError, match=f"'b' is {problem}"):
        _opened(_made(tmp_path / "m.hdf5", fill))


def test_a_file_that_is_none(tmp_path: Path) -> None:
    file = _made(tmp_path / "m.hdf5", lambda out: None)
    raw = file.read_bytes()
    for name, content, problem in (
        ("empty", b"", "not an HDF5 file"),
        ("text", b"encoder", "not an HDF5 file"),
        ("cut", raw[: len(raw) // 2], "damaged or cut off"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=problem):
            _opened(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read") as e:
        _opened(tmp_path / "m")
    assert e.value.remedy == f"did you mean {file}?"
    with pytest.raises(InputError, match="folder"):
        _opened(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        _opened(tmp_path / "pipe")


def test_without_h5py_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:
        if name == "h5py":
            raise ImportError(name)
        return whole(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="No such file"):  # first of all the path has to be right
        _opened(tmp_path / "m.hdf5")
    (tmp_path / "m.hdf5").write_bytes(b"")
    with pytest.raises(DependencyMissing) as e:
        _opened(tmp_path / "m.hdf5")
    assert e.value.remedy == "pip install 'nextset[convert]'"
