"""What every test of validation can ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.validation.studio import Studio, running


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A real Label Studio; its first start takes about a minute, and its installation, once, another."""
    with running(tmp_path_factory.mktemp("label-studio")) as studio:
        yield studio
