"""The figures of the structure: circles and upward arrows against brute force, names and forms."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scripts.house_figures import circles, file_circles, form_namers, upward, vague_names

NODES = "abcde"
GRAPHS = st.fixed_dictionaries({node: st.frozensets(st.sampled_from(NODES)) for node in NODES}).map(
    lambda graph: {node: set(others) - {node} for node, others in graph.items()}
)


def _reaches(graph: dict[str, set[str]], start: str, end: str) -> bool:
    return any(
        all(b in graph[a] for a, b in itertools.pairwise((start, *middle, end)))
        for n in range(len(NODES))
        for middle in itertools.permutations(set(NODES) - {start, end}, n)
        if n <= len(set(NODES) - {start, end})
    )


@given(GRAPHS)
def test_circles_are_nodes_that_reach_each_other(graph: dict[str, set[str]]) -> None:
    in_circle = set().union(*circles(graph))
    for one, other in itertools.combinations(NODES, 2):
        both = _reaches(graph, one, other) and _reaches(graph, other, one)
        assert both == any({one, other} <= circle for circle in circles(graph))
        assert not both or {one, other} <= in_circle


@given(GRAPHS)
def test_upward_arrows_are_the_fewest_in_any_order(graph: dict[str, set[str]]) -> None:
    orders = itertools.permutations(NODES)
    fewest = min(sum(o.index(b) < o.index(a) for a in NODES for b in graph[a]) for o in orders)
    assert upward(graph) == fewest


def test_a_form_counts_if_it_is_a_value_and_not_in_a_folder_of_forms(tmp_path: Path) -> None:
    texts = {
        "a.py": 'if form == "nli":\n    pass\n',
        "b.py": '"""qa"""\n\ndef f() -> None:\n    """nli"""\n',
        "forms/c.py": 'NAME = "nli"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert form_namers(sorted(tmp_path.rglob("*.py"))) == [tmp_path / "a.py"]


def test_assignments_to_a_vague_name_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "found = 1\nfor found in []:\n    print(found)\nx = [found for found in []]\n", encoding="utf-8"
    )
    assert vague_names([file]) == 3


def test_lazy_imports_and_imports_for_types_are_in_file_circles(tmp_path: Path) -> None:
    import sys

    import grimp

    package = tmp_path / "toy_of_circles"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "a.py").write_text(
        "def f():\n    from toy_of_circles import b\n    return b\n", encoding="utf-8"
    )
    (package / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from toy_of_circles import a\n",
        encoding="utf-8",
    )
    (package / "c.py").write_text("from toy_of_circles import a\n", encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        graph = grimp.build_graph("toy_of_circles", cache_dir=None)
    finally:
        sys.path.remove(str(tmp_path))
    assert file_circles(graph) == [{"toy_of_circles.a", "toy_of_circles.b"}]
