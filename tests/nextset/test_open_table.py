"""Open tables: entry points of toy packages, their order, and the errors of those that cannot be used."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import nextset
from nextset.open_table import OpenTable
from tests.toy_packages import install_toy

GROUP = "nextset.toys"


def full_text(error: BaseException) -> str:
    assert isinstance(error, nextset.NextsetError)
    return f"{error}\n{error.remedy}"


def install(site: Path, package: str, version: str, parts: dict[str, str], source: str) -> None:
    lines = [f"{name} = {value}" for name, value in parts.items()]
    install_toy(site, package, version, "\n".join([f"[{GROUP}]", *lines, ""]), source)


def test_a_table_has_the_parts_of_installed_packages(site: Path) -> None:
    source = "LEAN = 'lean'\nAXLE = 'axle'\n"
    install(site, "toy_b", "0.2", {"lean": "toy_b:LEAN", "axle": "toy_b:AXLE"}, source)
    install(site, "nextset", "0.1.0", {"zeal": "toy_own:ZEAL"}, "")
    (site / "nextset.py").unlink()
    (site / "toy_own.py").write_text("ZEAL = 'zeal'\n")
    table: OpenTable[str] = OpenTable(GROUP, "toy")
    assert table.names == ("zeal", "axle", "lean")  # nextset's own come first
    assert "lean" in table
    assert "mean" not in table
    assert "toy_b" not in sys.modules  # nothing is imported before it is used
    assert table["lean"] == "lean"
    assert list(table) == ["zeal", "axle", "lean"]
    assert table.package("lean") == "toy_b 0.2"
    assert repr(table) == "OpenTable('nextset.toys': zeal, axle, lean)"


def test_an_unknown_name_is_an_error_with_the_known_ones(site: Path) -> None:
    install(site, "toy_c", "1", {"lean": "toy_c:LEAN"}, "LEAN = 1\n")
    with pytest.raises(nextset.InputError) as e:
        OpenTable[int](GROUP, "toy")["mean"]
    assert "no installed package has a toy 'mean'" in full_text(e.value)
    assert "use one of lean, or install the package" in full_text(e.value)
    assert e.value.remedy.startswith("did you mean 'lean'? if not, ")
    with pytest.raises(nextset.InputError) as e:
        OpenTable[int](GROUP, "toy")["accuracy"]
    assert e.value.remedy.startswith("use one of lean, or install")


def test_two_packages_cannot_register_one_name(site: Path) -> None:
    install(site, "toy_d", "1", {"lean": "toy_d:LEAN"}, "LEAN = 1\n")
    install(site, "toy_e", "1", {"lean": "toy_e:LEAN"}, "LEAN = 2\n")
    with pytest.raises(nextset.InputError) as e:
        OpenTable[int](GROUP, "toy")["lean"]
    assert "toy_d and toy_e both register 'lean' in nextset.toys" in full_text(e.value)
    assert "pip uninstall toy_e" in full_text(e.value)


@pytest.mark.parametrize(
    ("value", "source", "problem"),
    [
        ("toy_f:LEAN", "import toy_missing\n", "ModuleNotFoundError: No module named 'toy_missing'"),
        ("toy_f:LEAN", "x = 1\n", "AttributeError"),
        ("toy_f:LEAN", "1 / 0\n", "ZeroDivisionError: division by zero"),
        ("toy_f:LEAN", "def (\n", "SyntaxError"),
    ],
)
def test_a_part_that_cannot_be_imported_names_its_package(
    site: Path, value: str, source: str, problem: str
) -> None:
    install(site, "toy_f", "1", {"lean": value}, source)
    with pytest.raises(nextset.DependencyMissing) as e:
        OpenTable[int](GROUP, "toy")["lean"]
    assert f"{value}, which toy_f registers as 'lean' in nextset.toys, cannot be imported: {problem}" in str(
        e.value
    )
    assert "pip install --force-reinstall toy_f" in full_text(e.value)


def test_errors_of_nextset_come_through(site: Path) -> None:
    source = (
        "from nextset.errors import InputError\n"
        "raise InputError('the list of a toy is missing', remedy='add it')\n"
    )
    install(site, "toy_g", "1", {"lean": "toy_g:LEAN"}, source)
    with pytest.raises(nextset.InputError, match="the list of a toy is missing"):
        OpenTable[int](GROUP, "toy")["lean"]


@pytest.mark.parametrize("statement", ["import sys; sys.exit(0)", "raise BaseException('no')"])
def test_a_part_whose_import_ends_the_program_is_an_error(site: Path, statement: str) -> None:
    install(site, "toy_exit", "0.1", {"lean": "toy_exit:LEAN"}, statement)
    table: OpenTable[str] = OpenTable(GROUP, "toy")
    with pytest.raises(nextset.DependencyMissing, match=r"toy_exit:LEAN.*cannot be imported"):
        table["lean"]


NAMED = """
class Part:
    def __init__(self, name):
        self.name = name


LEAN, ODD = Part("lean"), Part(3)


class Spoilt:
    @property
    def name(self):
        raise SystemExit(0)


SPOILT = Spoilt()
"""


def test_a_part_is_registered_under_its_own_name(site: Path) -> None:
    parts = {"lean": "toy_h:LEAN", "mean": "toy_h:LEAN", "odd": "toy_h:ODD", "spoilt": "toy_h:SPOILT"}
    install(site, "toy_h", "1", parts, NAMED)
    table: OpenTable[object] = OpenTable(GROUP, "toy")
    table["lean"], table["odd"]
    with pytest.raises(nextset.InputError) as e:
        table["mean"]
    assert e.value.message == "toy_h 1 registers the toy lean as mean in nextset.toys"
    assert e.value.remedy == "register it as lean, or uninstall the package"
    with pytest.raises(nextset.DependencyMissing, match="SystemExit"):
        table["spoilt"]


def test_a_part_of_a_kind_is_registered_under_its_kind_and_name(site: Path) -> None:
    parts = {"small.lean": "toy_i:LEAN", "small.mean": "toy_i:LEAN", "lean": "toy_i:LEAN"}
    install(site, "toy_i", "1", parts, NAMED)
    table: OpenTable[object] = OpenTable(GROUP, "toy", by_kind=True)
    table["small.lean"]
    with pytest.raises(nextset.InputError) as e:
        table["small.mean"]
    assert e.value.remedy == "register it as small.lean, or uninstall the package"
    with pytest.raises(nextset.InputError, match="registers the toy lean as lean"):
        table["lean"]


def test_all_parts_of_nextset_have_the_names_that_they_are_registered_by() -> None:
    groups = {group for group in entry_points().groups if group.startswith("nextset.")}
    assert groups >= {"nextset.rules", "nextset.model_kinds", "nextset.stages", "nextset.lint_rules"}
    for group in groups:
        table: OpenTable[object] = OpenTable(group, "part", by_kind=group == "nextset.lint_rules")
        for name in table.own_names:
            table[name]


def test_the_digest_of_a_module_follows_its_file(site: Path) -> None:
    parts = {"lean": "toy_j:LEAN", "lost": "toy_missing:LEAN", "inner": "sys:path"}
    install(site, "toy_j", "1", parts, "LEAN = 1\n")
    table: OpenTable[int] = OpenTable(GROUP, "toy")
    assert table.module_digest("lean") == hashlib.sha256((site / "toy_j.py").read_bytes()).hexdigest()
    assert table.module_digest("lost") == ""
    assert table.module_digest("inner") == ""  # it has no file
    assert "toy_j" not in sys.modules
