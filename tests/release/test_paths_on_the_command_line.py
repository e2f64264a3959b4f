"""Paths on the command line that are not what the command needs: one line that says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.errors import InputError
from tests.release.dataset_folders import make_version


def refused(*words: Path | str) -> str:
    """Return the error of `nextset release` with ``words``."""
    done = CliRunner().invoke(app, ["release", *map(str, words)])
    assert done.exit_code == InputError.exit_code, done.output
    return done.output


@pytest.mark.parametrize("place", ["manifest.json", "README.md"])
def test_a_version_is_verified_by_its_folder(place: str, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "v")
    assert refused("verify", folder / place) == (
        f"error: {folder / place} is not a folder\n"
        "  try: name the version's folder, which contains manifest.json\n"
    )


def test_the_page_of_a_comparison_is_a_file(tmp_path: Path) -> None:
    folder = make_version(tmp_path / "v")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for page, why in (
        (tmp_path, "this is a folder, not a file"),
        (tmp_path / "pipe", "this is a pipe, not a file"),
        (tmp_path / "link", "this link leads nowhere"),
    ):
        found = refused("diff", folder, folder, "--html", page)
        assert found == f"error: {page}: {why}\n  try: name a file after --html\n"
