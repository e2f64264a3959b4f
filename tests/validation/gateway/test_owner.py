"""The owner through the gateway, on a real Label Studio."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2

from tests.validation.studio import Studio
from tests.validation.studio_gateway import gateway


def test_what_the_owner_sends_arrives_whole_with_and_without_a_length(studio: Studio) -> None:
    def parts() -> Iterator[bytes]:
        yield b'{"title": "In par'
        yield b'ts"}'

    with gateway(studio) as running, httpx2.Client(base_url=running.url, trust_env=False, timeout=60) as http:
        http.headers["Authorization"] = f"Token {studio.connection.token}"
        whole = http.post("/api/projects/", json={"title": "At once"}).raise_for_status().json()
        json_type = {"Content-Type": "application/json"}
        chunked = http.post("/api/projects/", content=parts(), headers=json_type).raise_for_status().json()
    assert (whole["title"], chunked["title"]) == ("At once", "In parts")
