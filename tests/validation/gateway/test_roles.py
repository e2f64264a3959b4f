"""Roles: with an annotator's login and token nothing of others is read or changed, whatever is asked."""

from __future__ import annotations

import json
from pathlib import Path

from tests.validation.gateway.role_attempts import (
    attempt_everything,
    changes_of_others,
    made_scene,
    rows_of,
)
from tests.validation.session.sample_annotators import judged
from tests.validation.studio import Studio
from tests.validation.studio_gateway import as_in_a_browser, gateway, next_item

_PATHS = (
    "/api/annotations/{id}/", "/api/current-user/token", "/api/dm/actions/", "/api/dm/views/{id}/",
    "/api/invite", "/api/projects/{id}/", "/api/projects/{id}/export", "/api/tasks/{id}/",
    "/api/tasks/{id}/annotations/", "/api/users/", "/api/drafts/{id}/", "/projects/{id}/data/",
    "/user/signup/",
)  # fmt: skip
"""Some of what Label Studio's open edition leaves open; the benchmark tries all that it describes."""


def test_nothing_of_others_is_read_or_changed(studio: Studio, tmp_path: Path) -> None:
    scene = made_scene(studio, tmp_path / "study", "tried")
    with gateway(studio) as running:
        found = attempt_everything(scene, running.url, _PATHS)
    assert found.tried > 1000
    assert found.read == []
    assert found.changed == []
    assert found.cut == []
    # the attempts were not all refused for a reason of their own: the person's own work was reached
    assert found.passed["POST /api/tasks/N/annotations/"]
    assert found.passed["GET /api/projects/N/"]
    assert found.passed["GET /projects/N/data/"] == 0, "without labeling=1 it is the list of tasks"


def test_what_is_looked_for_can_be_found(studio: Studio, tmp_path: Path) -> None:
    scene = made_scene(studio, tmp_path / "study", "direct")
    before = rows_of(scene)
    assert scene.ben.email in scene.mallory.http.get("/api/users/").text
    scene.mallory.change(f"/api/tasks/{scene.others['task']}/", data={"hypothesis": "taken over"})
    scene.mallory.answer(scene.own["task"], *judged("invalid"))
    changed = list(changes_of_others(before, rows_of(scene), scene))
    assert any(line.startswith(f"task {scene.others['task']}: data") for line in changed)
    assert not any(line.startswith("task_completion") for line in changed), "an own answer is no change"


def test_answers_in_disguise_stay_ones_own_and_can_be_pulled(studio: Studio, tmp_path: Path) -> None:
    scene = made_scene(studio, tmp_path / "study", "disguised")
    own, others, client = scene.own, scene.others, studio.client()
    path, comment = f"/api/annotations/{own['annotation']}/", f"&completed_by={scene.ben.number}&result=[]"
    moved = f"{comment}&task={others['task']}&project={others['project']}&x="
    task = client.get(path)["task"]
    region = {"from_name": "comment", "to_name": "hypothesis", "type": "textarea"}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    client.post(f"/api/tasks/{own['task']}/drafts", {"result": [], "lead_time": 1})  # the owner's
    with gateway(studio) as running, as_in_a_browser(scene.mallory, running.url) as mallory:
        for said in (moved, "\ud800", "\0"):
            body = json.dumps({"result": [*judged("invalid"), {**region, "value": {"text": [said]}}]})
            assert mallory.http.patch(path, content=body, headers=form).status_code == 200
            found = client.get(path)
            assert (found["completed_by"], found["task"]) == (scene.mallory.number, task)
        assert next_item(mallory, own["project"]) is not None
        for page in (
            f"/api/tasks/{own['task']}/drafts", f"/api/tasks/{own['task']}", "/api/current-user/whoami",
            f"/api/dm/project?project={own['project']}", f"/api/users?project={own['project']}",
            f"/api/tasks?project={own['project']}&page=1&page_size=30", f"/api/projects/{own['project']}",
        ):  # fmt: skip
            answer = mallory.http.get(page)
            assert answer.status_code == 200
            assert not [secret for secret in scene.secrets if secret in answer.text], page
    assert len(list(client.tasks(own["project"]))) > 1, "the server can show them all"
