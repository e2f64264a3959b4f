"""To which project a task belongs: asked once, for all who ask at the same time, and again for new tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from nextset.errors import ServerError
from nextset.validation.gateway.task_projects import TaskProjects
from nextset.validation.label_studio.http_retries import Calls, Patience
from tests.validation.gateway.small_server import SmallServer, small_server
from tests.validation.gateway.test_login_limit import Clock


@pytest.fixture
def server() -> Iterator[SmallServer]:
    with small_server() as server:
        server.tasks = {7: [71, 72, 73, 74, 75], 8: [81]}
        yield server


@pytest.fixture
def calls(server: SmallServer) -> Iterator[Calls]:
    calls = Calls(server.connection(), Patience(reads=1.0, pause=0.05))
    yield calls
    calls.close()


def test_a_page_that_asks_for_several_things_at_once_is_not_refused(
    server: SmallServer, calls: Calls
) -> None:
    async def test() -> None:
        task_projects = TaskProjects(calls, Clock())
        found = await asyncio.gather(*(task_projects.project_of(task, [7]) for task in (71, 73, 75, 71, 81)))
        assert found == [7, 7, 7, 7, None]
        assert len(server.asked) == 3, "three pages of tasks, once"

    asyncio.run(test())


def test_only_the_projects_that_are_named_count(server: SmallServer, calls: Calls) -> None:
    async def test() -> None:
        task_projects = TaskProjects(calls, Clock())
        assert await task_projects.project_of(81, [7]) is None
        assert await task_projects.project_of(81, [7, 8]) == 8
        assert await task_projects.project_of(81, [7]) is None, "also when it is known whose it is"
        assert await task_projects.project_of(71, []) is None
        assert await task_projects.project_of(71, [99]) is None, "there is no such project"

    asyncio.run(test())


def test_a_number_that_another_persons_task_has_now_is_theirs(server: SmallServer, calls: Calls) -> None:
    async def test() -> None:
        task_projects = TaskProjects(calls, Clock())
        assert await task_projects.project_of(75, [7]) == 7
        server.tasks[7].remove(75)
        server.tasks[8].append(75)  # with SQLite, what is sent next has the numbers of what was deleted last
        task_projects.forget()  # as after each change of a plan
        assert await task_projects.project_of(75, [7]) is None
        assert await task_projects.project_of(75, [8]) == 8

    asyncio.run(test())


def test_new_tasks_are_found_and_guessing_asks_once_a_second(server: SmallServer, calls: Calls) -> None:
    async def test() -> None:
        clock = Clock()
        task_projects = TaskProjects(calls, clock)
        assert await task_projects.project_of(76, [7]) is None
        asked = len(server.asked)
        for guess in range(500, 600):
            assert await task_projects.project_of(guess, [7]) is None
        assert len(server.asked) == asked
        server.tasks[7].append(76)
        clock.seconds += 1
        assert await task_projects.project_of(76, [7]) == 7

    asyncio.run(test())


def test_a_server_that_does_not_answer_is_no_refusal(server: SmallServer, calls: Calls) -> None:
    async def test() -> None:
        task_projects = TaskProjects(calls, Clock())
        server.stop()
        for _ in range(2):
            with pytest.raises(ServerError):
                await task_projects.project_of(71, [7])

    asyncio.run(test())
