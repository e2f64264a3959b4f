"""The options beside a checkpoint are values, and nothing else."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.training.conversion.unqover_options import options_file, read_pipeline_options

VALUES = st.one_of(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
NAMES = st.from_regex(r"[a-z_]{1,10}[0-9]", fullmatch=True)


@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_the_options_are_those_of_the_command_line(
    tmp_path_factory: pytest.TempPathFactory, options: dict[str, str | int | float | bool]
) -> None:
    file = tmp_path_factory.mktemp("options") / "m.opt"
    file.write_text(f"{argparse.Namespace(**options)}", encoding="utf-8")  # as the published code writes it
    assert read_pipeline_options(file) == options


def test_they_are_beside_the_checkpoint(tmp_path: Path) -> None:
    assert options_file(tmp_path / "squad.v1.hdf5") == tmp_path / "squad.v1.opt"
    assert read_pipeline_options(tmp_path / "squad.v1.opt") == {}


@pytest.mark.parametrize(
    "text",
    [
        "", "Namespace", "Namespace(1)", "Namespace(**{})", "Other(a=1)", "os.system(a='x')",
        "Namespace(a=[1])",
        "Namespace(a=__import__('os'))", "Namespace(a=1, a=2)", "Namespace(a=" + "(" * 5000, "x" * 30_000,
        "Namespace(a=1)\x00",
    ],
)  # fmt: skip
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.opt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="options cannot be read"):
        read_pipeline_options(tmp_path / "m.opt")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.opt").write_bytes(b"Namespace(a='\xff')")
    with pytest.raises(InputError, match="options cannot be read"):
        read_pipeline_options(tmp_path / "m.opt")
    (tmp_path / "n.opt").mkdir()
    with pytest.raises(InputError, match="folder"):
        read_pipeline_options(tmp_path / "n.opt")
