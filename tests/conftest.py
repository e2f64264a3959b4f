"""What every test can ask for."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.chromium import chromium
from tests.forked_commands import forked_python
from tests.toy_packages import toys_on_path
from tests.validation.studio import Studio, running_again

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# On a busy machine an example may take long for no reason of its own.
settings.register_profile("nextset", deadline=None)
settings.load_profile("nextset")

# Nothing in a test may look for a model or a dataset on the Hub.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the scores that the user keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXTSET_CACHE", str(tmp_path_factory.mktemp("nextset-cache")))
        yield


@pytest.fixture(scope="session")
def programs(_own_cache: None) -> Iterator[Path]:
    """A folder with the programs `python` and `nextset` of tests.forked_commands."""
    with forked_python(os.environ) as folder:
        yield folder


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path, in which tests install toy packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    with toys_on_path(folder, monkeypatch):
        yield folder


@pytest.fixture(scope="module")
def chromium_process() -> Iterator[Browser]:
    """A headless Chromium for the tests of a module."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(chromium_process: Browser) -> Iterator[Browser]:
    """The Chromium of the module; pages that a test opens are closed after it, because they go on working."""
    earlier = list(chromium_process.contexts)
    yield chromium_process
    for context in chromium_process.contexts:
        if context not in earlier:
            context.close()


_STUDIO, _BEFORE_STUDIO, _STUDIES = "label studio", "label studio behind a gateway", "studies"
_LONGEST = {_BEFORE_STUDIO: 0, _STUDIO: 1, _STUDIES: 2}


class SharedResources(LoadScopeScheduling):  # type: ignore[misc]
    """Run tests that share something expensive in one process: a Label Studio, studies that ran, a file."""

    def _split_scope(self, nodeid: str) -> str:
        return resource(ROOT / nodeid.split("::")[0])


@cache
def resource(file: Path) -> str:
    """What the tests of ``file`` share."""
    if "studio: Studio" in file.read_text(encoding="utf-8"):
        return _BEFORE_STUDIO if file.parent.name == "gateway" else _STUDIO
    return _STUDIES if file.parent.name == "studies" else str(file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharedResources:
    """Use our grouping; the longest groups come first in the order of collection."""
    config.option.loadscopereorder = False
    return SharedResources(config, log)


def pytest_collection_finish() -> None:
    """Leave what was made before the tests out of garbage collections, which would go through it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Do the same with what the tests of a file leave behind, such as modules that they imported."""
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest groups first, and mark as slow what needs a server, a browser or a study that ran."""
    items.sort(key=lambda item: _LONGEST.get(resource(item.path), len(_LONGEST)))
    for item in items:
        served = "studio" in getattr(item, "fixturenames", ())
        if served or item.get_closest_marker("browser") or resource(item.path) == _STUDIES:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def root() -> Path:
    """The clone."""
    return ROOT


@pytest.fixture(scope="session")
def reference() -> Path:
    """The published data of earlier work."""
    folder = os.environ.get("NEXTSET_REFERENCE")
    if not folder:
        pytest.skip("NEXTSET_REFERENCE is not set: the published data of earlier work is not at hand")
    return Path(folder)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A real Label Studio; its installation and its first start, both once, take a minute each."""
    with running_again(tmp_path_factory.mktemp("label-studio")) as studio:
        yield studio
