"""Every module says what is public, and what it says is there and documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.name for path in (ROOT / "nextset").iterdir() if path.is_symlink())
MODULES = sorted(
    name
    for name in ["nextset", *(m.name for m in pkgutil.walk_packages([str(ROOT / "nextset")], "nextset."))]
    if not name.endswith("__main__")
)


def public(name: str) -> list[str]:
    module = importlib.import_module(name)
    if module.__file__ and module.__file__.endswith("__init__.py") and not hasattr(module, "__all__"):
        return []
    return list(module.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_is_there_and_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    for public_name in public(name):
        value = getattr(module, public_name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__, f"{name}.{public_name} has no docstring"
            assert not value.__doc__.startswith(f"{public_name}("), f"{name}.{public_name} has no docstring"


def test_every_package_is_linked_into_nextset() -> None:
    with_code = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"nextset", "makers"}
    assert set(PACKAGES) == with_code
    for package in PACKAGES:
        assert (ROOT / "nextset" / package).readlink() == Path("..") / package


def test_no_package_is_imported_under_its_bare_name() -> None:
    """Two copies of a module would have two copies of each class; ruff refuses such an import, also here."""
    for name in MODULES:
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.split(".")[0] in PACKAGES]
    refused = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert set(refused["flake8-tidy-imports"]["banned-api"]) == set(PACKAGES)
    for statement in ("import scoring.nli", "from scoring.nli import SCORER", "from scoring import nli"):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", "check", "--stdin-filename", "benchmarks/x.py", "-"],
            cwd=ROOT,
            input=f"{statement}\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert "TID251" in done.stdout, done.stdout + done.stderr


def test_import_nextset_offers_what_it_says() -> None:
    import nextset

    for name in nextset.__all__:
        assert callable(getattr(nextset, name))
    assert set(dir(nextset)) == {*nextset.__all__, "__version__"}
    with pytest.raises(AttributeError, match="nothing"):
        nextset.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_know_each_function_of_an_extension_by_the_module_that_registers_it() -> None:
    stub = ast.parse((ROOT / "extensions" / "functions.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: f"{node.module}:{alias.name}" for node in imports for alias in node.names}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert typed == project["entry-points"]["nextset.functions"]


@pytest.mark.slow
def test_each_public_name_has_its_type(tmp_path: Path) -> None:
    """mypy reads __init__.pyi: names of the core and of extensions have types, and others do not exist.

    What other packages export is left out: their types take five times as long and are not asked for.
    """
    file = tmp_path / "use.py"
    file.write_text(
        "import nextset\n"
        "reveal_type(nextset.run('x').study)\n"
        "reveal_type(nextset.audit_interventions('x', trust_code=True))\n"
        "nextset.nothing\n"
    )
    command = [sys.executable, "-m", "mypy", "--config-file", "", "--cache-dir", str(tmp_path), str(file)]
    command += ["--no-site-packages", "--ignore-missing-imports"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'Revealed type is "str"' in done.stdout, done.stdout
    assert 'Revealed type is "nextset.artifacts.artifact.Artifact"' in done.stdout
    assert 'Module has no attribute "nothing"' in done.stdout
