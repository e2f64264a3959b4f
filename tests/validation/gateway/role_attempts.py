"""Everything that an annotator can ask of Label Studio, asked through the gateway; and what came of it.

Each endpoint of Label Studio's own description (and those that it leaves out), with every method, with own,
others' and no ids, by a login and by a token. Afterwards the database is compared with what it was.
"""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from nextset.validation.label_studio.studies_with_sessions import note_study
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from tests.validation.session.sample_annotators import judged, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import Annotator, Studio

__all__ = ["Attempts", "Scene", "attempt_everything", "changes_of_others", "made_scene", "rows_of"]

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

UNLISTED = (
    "/api/tasks/{id}/drafts", "/api/tasks/{id}/annotations/{annotation}/drafts", "/api/drafts/{id}/",
    "/api/projects/{id}/next/", "/api/projects/{id}/label-stream-history/", "/api/projects/{id}/summary/",
    "/api/projects/{id}/summary/reset/", "/api/projects/{id}/sample-task/",
    "/api/projects/{id}/model-versions/",
    "/api/templates/", "/api/current-user/product-tour", "/api/version", "/api/dm/views/reset/", "/metrics/",
    "/feature-flags/", "/heidi-tips/", "/__lsa/", "/version/", "/health/", "/trigger500/", "/admin/",
    "/admin/login/", "/django-rq/", "/api-auth/login/", "/docs/api/schema/json/", "/docs/api/",
    "/swagger.json",
    "/organization/", "/people/", "/projects/", "/projects/{id}/", "/projects/{id}/data/",
    "/projects/{id}/data/import", "/projects/{id}/data/export", "/projects/{id}/settings/",
    "/projects/{id}/settings/danger-zone", "/user/signup/", "/user/account/",
    "/user/account/personal-access-token",
    "/data/avatars/x.png", "/data/upload/{id}/x.txt", "/tasks/{id}/resolve/", "/tasks/{id}/presign/",
    "/projects/{id}/resolve/", "/samples/time-series.csv", "/storage-data/uploaded/", "/dm/{id}", "/models/",
    "/webhooks/", "/home/", "/", "/label-studio-frontend/js/main.js",
)  # fmt: skip
"""Pages and endpoints that Label Studio's description leaves out."""


@dataclass(frozen=True)
class Scene:
    """A session with two people, and a project of the owner's own."""

    studio: Studio
    mallory: Annotator
    """Who tries."""
    ben: Annotator
    """Whose work it is tried on."""
    own: Mapping[str, int]
    """Ids of mallory's: gate, work, task, annotation, user."""
    others: Mapping[str, int]
    """Ids of ben's and the owner's."""
    secrets: tuple[str, ...]
    """Texts that nobody but the owner and ben may read."""


@dataclass
class Attempts:
    """What was tried, and what came of it."""

    tried: int = 0
    """Requests."""
    answers: Counter[int] = field(default_factory=Counter)
    """How many had each status."""
    cut: list[str] = field(default_factory=list)
    """Requests that got no answer."""
    read: list[str] = field(default_factory=list)
    """Requests whose answer holds something of others."""
    changed: list[str] = field(default_factory=list)
    """Rows of the database that are not mallory's and are not as they were."""
    passed: Counter[str] = field(default_factory=Counter)
    """What was answered with 2xx, by method and path."""


def made_scene(studio: Studio, folder: Path, name: str) -> Scene:
    """Make the scene; ``name`` tells it from others on the same server."""
    mallory = studio.annotator(f"mallory-{name}@example.org")
    ben = studio.annotator(f"ben-{name}@example.org")
    client = studio.client()
    study = made_study(folder)
    open_session(study, client, [mallory.email, ben.email])
    note_study(studio.data, study.folder)  # that client's address is not the gateway's
    session = EventLog(study.judgments).state.current
    assert session is not None
    right = session_materials(study).briefing.comprehension
    parts = list(session.people.values())
    for annotator, part in zip((mallory, ben), parts, strict=True):
        pass_gate(studio, annotator, part.projects["gate"], right)
    pull_session(study, client)
    session = EventLog(study.judgments).state.current
    assert session is not None
    parts = list(session.people.values())
    foreign = studio.project(f"foreign-{name}", 3)
    comment = {
        "from_name": "comment", "to_name": "hypothesis", "type": "textarea",
        "value": {"text": [f"canary-comment-{name}"]},
    }  # fmt: skip
    ids = []
    for annotator, part in zip((mallory, ben), parts, strict=True):
        tasks = list(studio.task_numbers(int(part.projects["work"])).values())
        extra = [comment] if annotator is ben else []
        annotation = annotator.answer(tasks[0], *judged("invalid"), *extra)
        ids.append(
            {
                "gate": int(part.projects["gate"]), "project": int(part.projects["work"]), "id": tasks[1],
                "task": tasks[1], "annotation": annotation, "user": annotator.number,
            }
        )  # fmt: skip
    own, others = ids
    invite = client.get("/api/invite")["invite_url"].rpartition("token=")[2]
    owner = studio.serving.owner
    tokens = (owner.token, ben.connection.token, invite)
    texts = (ben.email, owner.email, f"canary-comment-{name}", f"Project foreign-{name}", "Sentence 0.")
    return Scene(studio, mallory, ben, own, {**others, "foreign": foreign, "owner": 1}, (*tokens, *texts))


def attempt_everything(
    scene: Scene,
    url: str,
    paths: Iterable[str] | None = None,
    tick: Callable[[int, str], None] = lambda n, path: None,
) -> Attempts:
    """Try everything at the gateway at ``url``; or only ``paths``, and other names for them only to read.

    ``tick`` is told each path.
    """
    found = Attempts()
    odd_methods = METHODS if paths is None else ("GET",)
    before = rows_of(scene)
    if paths is None:
        described = scene.studio.client().get("/docs/api/schema/json/")["paths"]
        paths = dict.fromkeys([*described, *UNLISTED])
    with closing(_login(scene, url)) as login, closing(_token(scene, url)) as token:
        for i, path in enumerate(paths):
            tick(i, path)
            for target in _targets(path, scene):
                for http, method in itertools.product((login, token), METHODS):
                    _attempt(http, method, target, _body(method, scene, found.tried), scene, found)
        for target in _odd_targets(scene):
            for http, method in itertools.product((login, token), odd_methods):
                _attempt(http, method, target, _body(method, scene, found.tried), scene, found)
    found.changed = sorted(changes_of_others(before, rows_of(scene), scene))
    return found


def _attempt(
    http: httpx2.Client, method: str, target: str, body: object, scene: Scene, found: Attempts
) -> None:
    try:
        url = http.base_url.copy_with(raw_path=target.encode())
    except httpx2.InvalidURL:
        return  # no client sends that
    accept = "application/json" if target.startswith("/api") else "text/html"
    headers = {**http.headers, "Accept": accept, "Content-Type": "application/json"}
    content = json.dumps(body).encode() if body is not None else None
    request = httpx2.Request(method, url, headers=headers, content=content)
    try:
        answer = http.send(request)
    except httpx2.RequestError:
        found.cut.append(f"{method} {target}")
        return
    found.tried += 1
    found.answers[answer.status_code] += 1
    if answer.is_success:
        found.passed[f"{method} {re.sub(r'[0-9]+', 'N', target.partition('?')[0])}"] += 1
    text = answer.text + json.dumps(dict(answer.headers))
    found.read += [f"{method} {target}: {secret}" for secret in scene.secrets if secret in text]


def _targets(path: str, scene: Scene) -> Iterator[str]:
    """The path with own, others' and no ids, and with queries that name a project."""
    named = re.findall(r"\{(\w+)\}", path)
    own, others = scene.own, scene.others
    kinds = [own, {**others, "id": others["foreign"]}, {**others, "project": others["foreign"], "user": 1}]
    numbers: list[Mapping[str, int]] = [*kinds, dict.fromkeys((*own, "id"), 999_999_999)]
    if not named:
        numbers = [own]
    for ids in numbers:
        for last in _ids_for(path, ids):
            filled = path
            for name in named:
                filled = (
                    filled.replace(f"{{{name}}}", str(ids.get(name, last)), 1) if name != "id" else filled
                )
            filled = filled.replace("{id}", str(last))
            yield filled
    base = filled
    yield f"{base}?project={own['project']}&project={others['project']}"
    yield f"{base}?project={own['project']}&id=delete_tasks&labeling=1"
    yield f"{base}?project={others['project']}&id=next_task&labeling=1"
    yield f"{base}?project={own['project']}&view=1&fields=all&expand=completed_by&include=annotations"
    yield f"{base}?view={others['foreign']}"


def _ids_for(path: str, ids: Mapping[str, int]) -> Collection[int]:
    """The ids that ``{id}`` may stand for in the path."""
    for part, names in (
        ("/api/annotations/", ("annotation",)), ("/api/tasks/", ("task",)), ("/tasks/", ("task",)),
        ("/api/projects/", ("project",)), ("/projects/", ("project",)),
        ("/api/users/", ("user",)), ("/api/organizations/", ()),
    ):  # fmt: skip
        if path.startswith(part) and names:
            return [ids.get(name, 1) for name in names]
    return [ids.get("id", 1)]


def _body(method: str, scene: Scene, n: int) -> object:
    """What a request of that method may carry to do harm; it names an own and another's project in turn."""
    if method in ("GET", "HEAD", "OPTIONS", "DELETE"):
        return None
    others = scene.others
    project = (scene.own if n % 2 else others)["project"]
    return {
        "project": project, "task": others["task"], "completed_by": scene.ben.number, "user": scene.ben.email,
        "title": "taken over", "description": "taken over", "data": {"hypothesis": "taken over"},
        "label_config": "<View/>", "expert_instruction": "taken over", "was_cancelled": False,
        "result": judged("valid"), "ground_truth": True, "email": "new@example.org", "password": "x" * 12,
        "url": "http://127.0.0.1:9/", "ids": [others["project"]], "draft_id": 0, "lead_time": 1.0,
        "selectedItems": {"all": True, "excluded": []}, "view": 1, "token": "x", "refresh": "x",
    }  # fmt: skip


def _odd_targets(scene: Scene) -> Iterator[str]:
    """The same things by other names."""
    theirs = scene.others
    for path in (
        f"/api/tasks/{theirs['task']}", f"/api/annotations/{theirs['annotation']}",
        f"/api/projects/{theirs['project']}", f"/projects/{theirs['project']}/data", "/api/users",
        "/api/invite",
        "/api/current-user/token", "/user/account", "/admin",
    ):  # fmt: skip
        start, _, end = path.rpartition("/")
        for odd in (
            f"/{path}", f"{start}//{end}", f"{start}/./{end}", f"{start}/x/../{end}", f"{start}/%2e/{end}",
            f"{start}%2F{end}", path.upper(), f"{path};x=1", f"{path}%20", f"{path}%00", f"{path}/.json",
            f"{path}?format=json", f"{path}?_method=GET", f"/static/..{path}", f"/static/%2e%2e{path}",
            f"/nextset/..{path}", f"/nextset/session/..{path}", f"/static/x?next={path}",
            f"{path}\u00a0".encode().decode("latin-1"), f"/user/login/?next={path}", f"http://localhost{path}",
        ):  # fmt: skip
            yield odd.encode("ascii", "backslashreplace").decode()


def _login(scene: Scene, url: str) -> httpx2.Client:
    http = httpx2.Client(base_url=url, timeout=60.0, trust_env=False)
    page = http.get("/user/login/")
    form = {
        "email": scene.mallory.email, "password": scene.mallory.password, "persist_session": "on",
        "csrfmiddlewaretoken": http.cookies["csrftoken"],
    }  # fmt: skip
    assert page.status_code == 200
    assert http.post("/user/login/", data=form).status_code == 302
    http.headers["X-CSRFToken"] = http.cookies["csrftoken"]
    http.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    return http


def _token(scene: Scene, url: str) -> httpx2.Client:
    headers = {"Authorization": f"Token {scene.mallory.connection.token}"}
    return httpx2.Client(base_url=url, timeout=60.0, trust_env=False, headers=headers)


_OWN_ROWS: Mapping[str, tuple[str, ...]] = {
    "task_completion": ("project_id", "completed_by_id"),
    "tasks_annotationdraft": ("user_id",),
    "tasks_tasklock": ("user_id",),
    "projects_labelstreamhistory": ("user_id",),
    "data_manager_view": ("project_id",),
    "task": ("project_id",),
    "project": ("id",),
    "projects_projectsummary": ("project_id",),
    "htx_user": ("id",),
    "fsm_annotationstate": ("project_id",),
    "fsm_taskstate": ("project_id",),
    "fsm_projectstate": ("project_id",),
    "data_manager_filtergroup": (),
    "django_session": (),
}
"""Rows that may change: in these tables, if the columns name mallory, or one of mallory's projects."""

_COUNTED = (
    "updated_at", "total_annotations", "cancelled_annotations", "is_labeled", "updated_by_id",
    "last_activity",
    "last_login", "comment_count", "unresolved_comment_count", "inner_id", "activity_at",
)  # fmt: skip
"""Columns that Label Studio itself keeps up when somebody answers or looks."""


def rows_of(scene: Scene) -> dict[str, dict[object, dict[str, Any]]]:
    """Every row of every table, by table and primary key."""
    path = scene.studio.data / "label_studio.sqlite3"
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as database:
        database.row_factory = sqlite3.Row
        names = [r["name"] for r in database.execute("select name from sqlite_master where type = 'table'")]
        return {
            name: {row[0]: dict(row) for row in database.execute(f'select * from "{name}"')}
            for name in names
            if not name.startswith("sqlite_")
        }


def changes_of_others(before: Any, after: Any, scene: Scene) -> Iterator[str]:
    """Rows that are not mallory's and are not as they were; and own ones that only the owner may change."""
    mine = {scene.own["gate"], scene.own["project"]}
    for table in sorted({*before, *after}):
        one, other = before.get(table, {}), after.get(table, {})
        for key in {*one, *other}:
            old, new = one.get(key), other.get(key)
            if old == new or (_is_own(table, new or old, mine, scene) and _only_counts(table, old, new)):
                continue
            if old and new and all(old[c] == new[c] for c in old if c not in _COUNTED):
                continue
            yield f"{table} {key}: {_difference(old, new)}"


def _is_own(table: str, row: Any, mine: set[int], scene: Scene) -> bool:
    columns = _OWN_ROWS.get(table)
    if columns is None:
        return False
    number = scene.mallory.number
    return all(
        row.get(c) in mine if c == "project_id" or table == "project" else row.get(c) == number
        for c in columns
    )


def _only_counts(table: str, old: Any, new: Any) -> bool:
    """Whether an own row may change like this: answers freely, the others by counts alone."""
    if table in ("task", "project", "htx_user"):
        return bool(old and new) and all(old[c] == new[c] for c in old if c not in _COUNTED)
    return not (table == "task_completion" and new is None)


def _difference(old: Any, new: Any) -> str:
    if not (old and new):
        return "added" if new else "deleted"
    return ", ".join(f"{c}: {old[c]!r:.60} -> {new[c]!r:.60}" for c in old if old[c] != new[c])
