"""What every test can ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.validation.studio import Studio, running

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What shares something dear runs in one process: a server, studies that ran, a file's own fixtures."""
    for item in items:
        names = getattr(item, "fixturenames", ())
        path = item.path.relative_to(ROOT)
        group = "server" if "studio" in names else "studies" if "studies" in path.parts else str(path)
        item.add_marker(pytest.mark.xdist_group(group))


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
    """A real Label Studio; its first start takes about a minute, and its installation, once, another."""
    with running(tmp_path_factory.mktemp("label-studio")) as studio:
        yield studio
