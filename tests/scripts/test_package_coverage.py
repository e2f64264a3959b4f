"""The lines of coverage by package, with the arithmetic."""

from __future__ import annotations

from scripts.package_coverage import coverage_lines


def test_lines_are_counted_by_package() -> None:
    counts = {
        "generation/slots.py": (3, 4),
        "generation/lint/rules.py": (5, 6),
        "nextset/cli/app.py": (1, 3),
        "nextset/errors.py": (2, 2),
        "release/__init__.py": (0, 0),
    }
    files = {
        name: {"summary": {"covered_lines": run, "num_statements": lines}}
        for name, (run, lines) in counts.items()
    }
    assert list(coverage_lines({"files": files})) == [
        "nextset 100.0 %",
        "nextset.cli 33.3 %",
        "nextset.generation 80.0 %",  # 8 of 10
        "nextset.release no code",
        "total 73.3 %",  # 11 of 15
    ]
    assert list(coverage_lines({"files": {}})) == []
