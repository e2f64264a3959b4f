"""What people get while Label Studio answers with errors, or not at all: never something that is not so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from nextset.study.study_folder import Study
from nextset.validation.gateway.gateway_server import listening
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from tests.validation.faulty_proxy import Proxy, proxied
from tests.validation.session.sample_annotators import judged, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import QUICK, Annotator, Studio
from tests.validation.studio_gateway import as_in_a_browser, next_item, wait

SCRIPT = "/static/js/sw.js"


class Scene:
    """Somebody who works at a gateway before a proxy that makes faults."""

    def __init__(self, studio: Studio, folder: Path, email: str, stack: ExitStack) -> None:
        self.proxy: Proxy = stack.enter_context(proxied(studio.url))
        token, noted = studio.connection.token, folder / "server"
        running = stack.enter_context(listening(Connection(self.proxy.address, token, folder=noted), port=0))
        client = stack.enter_context(LabelStudio(Connection(running.url, token, folder=noted), QUICK))
        person = studio.annotator(email)
        self.study: Study = made_study(folder / "study", 3)
        self.link = open_session(self.study, client, [email]).people[0].link
        self.person: Annotator = stack.enter_context(as_in_a_browser(person, running.url))
        right = session_materials(self.study).briefing.comprehension
        pass_gate(studio, self.person, self.part["gate"], right)
        while "/projects/" not in self.person.http.get(self.link).headers.get("location", ""):
            wait(0.2)
        self.work = int(self.part["work"])
        self.noted = noted / "studies.jsonl"

    @property
    def part(self) -> Mapping[str, str]:
        """The person's projects by role."""
        session = EventLog(self.study.judgments).state.current
        assert session is not None
        projects = next(iter(session.people.values())).projects
        return {str(role): number for role, number in projects.items()}


@pytest.fixture(scope="module")
def scene(studio: Studio, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with ExitStack() as stack:
        yield Scene(studio, tmp_path_factory.mktemp("scene"), "flo@example.org", stack)


def test_nobody_has_to_log_in_again_because_the_server_starts(studio: Studio, scene: Scene) -> None:
    page = f"/projects/{scene.work}/data?labeling=1"
    with as_in_a_browser(scene.person, str(scene.person.http.base_url)) as fresh:  # not known yet
        scene.proxy.only("GET", "whoami", "503 before")
        said = fresh.http.get(page, headers={"Accept": "text/html"})
        assert said.status_code == 503
        assert said.headers["refresh"]
        assert fresh.http.get(page).status_code == 200


def test_the_link_does_not_say_done_when_the_server_says_nothing(studio: Studio, scene: Scene) -> None:
    scene.proxy.only("POST", "next_task", "503 before")
    assert scene.person.http.get(scene.link).status_code == 503
    assert scene.person.http.get(scene.link).headers["location"].startswith(f"/projects/{scene.work}/")


def test_half_of_an_acknowledgement_is_none(studio: Studio, scene: Scene) -> None:
    task = next_item(scene.person, scene.work)
    scene.proxy.only("POST", "/annotations", "half")
    path = f"/api/tasks/{task}/annotations?project={scene.work}"
    said = scene.person.http.post(path, json={"result": judged("invalid")})
    assert said.status_code == 503
    found = scene.person.http.get(f"/api/tasks/{task}?project={scene.work}").json()["annotations"]
    assert len(found) == 1  # which the page finds, and changes instead
    number = found[0]["id"]
    said = scene.person.http.patch(f"/api/annotations/{number}", json={"result": judged("valid")})
    assert said.status_code == 200
    assert said.headers["X-Nextset-Progress"]


def test_a_file_that_breaks_off_is_not_whole(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    assert scene.person.http.get(SCRIPT).status_code == 200
    scene.proxy.only("GET", "/static/", "half")
    assert scene.person.http.get(SCRIPT).status_code == 503
    assert "Label Studio broke off" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_list_of_studies_that_is_damaged_is_named_and_mended(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    before = scene.noted.read_bytes()
    scene.noted.write_bytes(before + b'{"study": "/a", "study": "/b"}\n')
    try:
        assert scene.person.http.get(scene.link).status_code == 503
        assert f"{scene.noted}:2" in caplog.text
    finally:
        scene.noted.write_bytes(before)
    assert scene.person.http.get(scene.link).is_redirect
