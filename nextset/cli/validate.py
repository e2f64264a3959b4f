"""`nextset validate`: sessions with annotators, files without a server, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nextset.cli.options import Debug, Json, StudyFirst, StudyPath, TrustCode
from nextset.cli.output import errors, for_study, print_note, print_result
from nextset.cli.progress_bar import bars
from nextset.cli.validate_serve import serve
from nextset.errors import ServerError, StudyHeld

if TYPE_CHECKING:
    from nextset.study.study_folder import Study
    from nextset.validation.annotator_pages.tasks import TaskFiles
    from nextset.validation.file_exchange.csv_file import CsvFile
    from nextset.validation.file_exchange.potato import PotatoFiles
    from nextset.validation.label_studio.api import LabelStudio
    from nextset.validation.session.pull import Pulled

__all__ = ["validate_app"]

validate_app = typer.Typer(no_args_is_help=True, help="Have annotators judge the items that the filter kept.")

_SESSION = "A session with Label Studio"
_FILES = "Without a server"
_RESULTS = "Results"

Annotators = Annotated[
    list[str] | None,
    typer.Option(
        "--annotator",
        metavar="E-MAIL",
        help="E-mail of an account. Can be repeated. Default: all of `validate serve`.",
    ),
]


@contextmanager
def _studio() -> Iterator[LabelStudio]:
    from nextset.validation.label_studio.address_and_token import find_connection
    from nextset.validation.label_studio.api import LabelStudio

    with LabelStudio(find_connection()) as studio:
        yield studio


def _in_session(folder: Path, trust_code: bool) -> Study:
    """Return the study of an open session; its errors come before those of the server."""
    from nextset.study.study_folder import Study
    from nextset.validation.plan.event_log import EventLog
    from nextset.validation.session.materials import no_open_session

    study = Study.load(folder, trust_code)
    if EventLog(study.judgments).state.current is None:
        raise no_open_session(study.folder)
    return study


def _plain(data: Any) -> Any:
    """Return ``data`` with paths as texts, for JSON."""
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return str(data) if isinstance(data, Path) else data


@dataclass(frozen=True)
class _Expected:
    """The expected number of valid units among the kept ones, as text and as JSON."""

    text: str
    data: dict[str, Any]


def _expected(study: Study) -> _Expected:
    from nextset.cli.expectation_text import expectation_text
    from nextset.validation.verdict_model.stage import expectation

    expected = expectation(study)
    assert expected is not None  # a session and an export need the filter
    return _Expected(expectation_text(expected, study.settings.validate_), asdict(expected))


@validate_app.command(
    "open",
    rich_help_panel=_SESSION,
    epilog="Example: nextset validate open my-study --annotator ana@example.org --annotator ben@example.org",
)
def open_(
    study: StudyPath,
    annotator: Annotators = None,
    pilot: Annotated[
        bool,
        typer.Option("--pilot", help="Open a short session: everyone judges the same few units."),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Plan a session, make the annotators' projects, and print the session's link."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.validate_text import opened_text
        from nextset.study.study_folder import Study
        from nextset.validation.session.open import materials_to_open, open_session

        loaded = Study.load(study, trust_code)
        materials_to_open(loaded, "pilot" if pilot else "main")  # errors come before those of the server
        with _studio() as studio:
            done = open_session(loaded, studio, annotator or (), pilot=pilot, progress=progress)
        expected = _expected(loaded)
        text = f"{opened_text(done)}\n{expected.text}"
        print_result(for_study(text, study), as_json, {**asdict(done), "expected": expected.data})


@validate_app.command(
    rich_help_panel=_SESSION, epilog="Example: nextset validate plan my-study --people 3 --hours"
)
def plan(
    study: StudyPath,
    people: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="The number of annotators. Default: as in the last session, or as many as needed.",
        ),
    ] = None,
    units: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Plan for N unjudged units like the study's. Default: the study's own."
        ),
    ] = None,
    hours: Annotated[
        bool, typer.Option("--hours", help="Estimate the working hours from the times in the log.")
    ] = False,
    pilot: Annotated[bool, typer.Option("--pilot", help="Plan a pilot.")] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the plan of a session: judgments, and items and batches per person. Changes nothing."""
    with errors(debug, study):
        from nextset.cli.validate_plan_text import plan_text
        from nextset.study.study_folder import Study
        from nextset.validation.session.session_plan import plan_session

        planned = plan_session(
            Study.load(study, trust_code), people=people, units=units, pilot=pilot, hours=hours
        )
        print_result(plan_text(planned), as_json, asdict(planned))


@validate_app.command(rich_help_panel=_SESSION, epilog="Example: nextset validate status my-study")
def status(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Show the progress of the session, of each annotator, and of judgments from files."""
    with errors(debug, study):
        from nextset.cli.validate_text import session_text
        from nextset.study.study_folder import Study
        from nextset.validation.session.session_status import session_status

        loaded = Study.load(study, trust_code)
        overview = session_status(loaded)
        if overview and overview.session:
            try:
                with _studio() as studio:
                    overview = session_status(loaded, studio)
            except ServerError as e:
                print_note(f"using only the logs: {e}")
        print_result(
            for_study(session_text(overview), study), as_json, asdict(overview) if overview else None
        )


@validate_app.command(rich_help_panel=_SESSION, epilog="Example: nextset validate pull my-study --every 5")
def pull(
    study: StudyPath,
    every: Annotated[
        float | None,
        typer.Option(min=0.1, metavar="MINUTES", help="Pull again at this interval, until you stop it."),
    ] = None,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add new judgments to the log, then assign the next batches."""
    with errors(debug, study):
        _pull(study, trust_code, as_json)
        while every is not None:
            _wait(every)
            try:
                _pull(study, trust_code, as_json)
            except (ServerError, StudyHeld) as e:
                # The server is restarting, or another command is running: the next pull resumes.
                print_note(f"this pull failed: {e}\n  try: {e.remedy}")


def _pull(study: Path, trust_code: bool, as_json: bool) -> Pulled:
    loaded = _in_session(study, trust_code)
    with bars(quiet=as_json) as progress, _studio() as studio:
        from nextset.cli.validate_text import pulled_text
        from nextset.validation.session.pull import pull_session

        done = pull_session(loaded, studio, progress)
        print_result(for_study(pulled_text(done), study), as_json, asdict(done))
        return done


def _wait(minutes: float) -> None:
    import time

    time.sleep(60 * minutes)


@validate_app.command(
    cls=StudyFirst,
    rich_help_panel=_SESSION,
    epilog="Example: nextset validate join my-study cleo@example.org",
)
def join(
    study: StudyPath,
    email: Annotated[str, typer.Argument(metavar="E-MAIL", help="E-mail of the annotator's account.")],
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add an annotator to the open session."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.validate_text import opened_text
        from nextset.validation.session.join_and_leave import join_session

        loaded = _in_session(study, trust_code)
        with _studio() as studio:
            done = join_session(loaded, studio, email, progress)
        print_result(for_study(opened_text(done), study), as_json, asdict(done))


@validate_app.command(
    cls=StudyFirst,
    rich_help_panel=_SESSION,
    epilog="Example: nextset validate leave my-study ana@example.org --withdraw",
)
def leave(
    study: StudyPath,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="The annotator's e-mail or pseudonym.")],
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw consent: none of the annotator's judgments count.")
    ] = False,
    erase: Annotated[
        bool,
        typer.Option(
            "--erase",
            help="Also remove the annotator's judgments and comments from the log and its backups, and the "
            "projects and the account from the server.",
        ),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Remove an annotator from the session; the next pull assigns the open items to others."""
    with errors(debug, study):
        from nextset.cli.validate_text import left_text
        from nextset.study.study_folder import Study
        from nextset.validation.session.join_and_leave import leave_session

        loaded = Study.load(study, trust_code)
        with ExitStack() as stack:
            studio = None
            if withdraw or erase:
                with suppress(ServerError):  # the result says what is left there
                    studio = stack.enter_context(_studio())
            done = leave_session(loaded, person, withdraw=withdraw, erase=erase, studio=studio)
        print_result(for_study(left_text(done), study), as_json, asdict(done))
    if done.unfinished and erase:
        raise typer.Exit(ServerError.exit_code)


@validate_app.command(rich_help_panel=_SESSION, epilog="Example: nextset validate close my-study")
def close(
    study: StudyPath,
    server_lost: Annotated[
        bool,
        typer.Option(
            "--server-lost", help="Close with the judgments in the log, because the server is lost for good."
        ),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare the log with the server, back up both logs, and end the session."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.validate_text import closed_text
        from nextset.validation.session.close import close_session

        loaded = _in_session(study, trust_code)
        with nullcontext() if server_lost else _studio() as studio:
            done = close_session(loaded, studio, progress)
        print_result(for_study(closed_text(done), study), as_json, _plain(asdict(done)))


@validate_app.command(
    rich_help_panel=_SESSION,
    epilog="Example: nextset validate adjudicate my-study --annotator dora@example.org",
)
def adjudicate(
    study: StudyPath,
    annotator: Annotators = None,
    votes: Annotated[
        Literal["hidden", "shown"], typer.Option(help="Whether the page shows the earlier votes.")
    ] = "hidden",
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Open a session with only the units that annotators disagree on."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.validate_text import opened_text
        from nextset.study.study_folder import Study
        from nextset.validation.session import adjudicate as adjudication

        loaded = Study.load(study, trust_code)
        adjudication.units_to_adjudicate(loaded)  # errors of the log come before those of the server
        with _studio() as studio:
            done = adjudication.adjudicate(
                loaded, studio, annotator or (), votes=votes == "shown", progress=progress
            )
        print_result(for_study(opened_text(done), study), as_json, asdict(done))


@validate_app.command(
    "export", rich_help_panel=_FILES, epilog="Example: nextset validate export my-study --for csv"
)
def export_(
    study: StudyPath,
    to: Annotated[
        Literal["label-studio", "csv", "potato"],
        typer.Option("--for", help="The tool that will show the tasks."),
    ] = "label-studio",
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Export N units drawn at random. Default: all units."),
    ] = None,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn",
            help="Export only the units that get one more annotator because of a fractional overlap.",
        ),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the tasks, the page and the guidelines as files."""
    with errors(debug, study):
        from nextset.cli.validate_text import exported_text
        from nextset.study.study_folder import Study
        from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks

        write: dict[str, Callable[..., TaskFiles | CsvFile | PotatoFiles]] = {
            "label-studio": export_tasks,
            "csv": export_csv,
            "potato": export_potato,
        }
        loaded = Study.load(study, trust_code)
        done = write[to](loaded, sample, drawn=drawn)
        if loaded.settings.validate_.judge == "rule":
            print_note("a rule judges this study: before an import, set validate: {judge: people}")
        expected = _expected(loaded)
        text = f"{exported_text(done)}\n{expected.text}"
        print_result(for_study(text, study), as_json, {**_plain(asdict(done)), "expected": expected.data})


@validate_app.command(
    "import",
    cls=StudyFirst,
    rich_help_panel=_FILES,
    epilog="Example: nextset validate import my-study judgments.csv",
)
def import_(
    study: StudyPath,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Label Studio JSON export, or a CSV file.")],
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add the judgments in a file to the study's log. Exits with 3 if any of them is wrong."""
    with errors(debug, study):
        from nextset.cli.validate_text import imported_text
        from nextset.study.study_folder import Study
        from nextset.validation.file_exchange.judgment_import import import_judgments

        done = import_judgments(Study.load(study, trust_code), file)
        print_result(imported_text(done), as_json, asdict(done))
    if done.wrong:
        raise typer.Exit(3)


@validate_app.command(
    cls=StudyFirst,
    rich_help_panel=_RESULTS,
    epilog="Example: nextset validate merge my-study ../copy-of-my-study",
)
def merge(
    study: StudyPath,
    other: Annotated[
        Path, typer.Argument(metavar="OTHER", help="The other copy of the study, or its judgments folder.")
    ],
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add the sessions and judgments from another copy of this study's folder, and list conflicts."""
    with errors(debug, study):
        from nextset.cli.validate_merge_text import merged_text
        from nextset.study.study_folder import Study
        from nextset.validation.merge.merge_copies import merge_judgments

        done = merge_judgments(Study.load(study, trust_code), other)
        print_result(for_study(merged_text(done), study), as_json, _plain(asdict(done)))


validate_app.command(
    rich_help_panel=_SESSION, epilog="Example: nextset validate serve --annotator ana@example.org"
)(serve)


@validate_app.command(rich_help_panel=_RESULTS, epilog="Example: nextset validate report my-study")
def report(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Write the report on progress, agreement, disagreements and exposure, and a file of payable time."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.study.study_folder import Study
        from nextset.validation.report.stage import write_validation_report

        made = write_validation_report(Study.load(study, trust_code), progress)
        page, times = made.folder / "index.html", made.folder / "payable_time.csv"
        text = f"report    {page}\npayable   {times} (only for you)"
        print_result(text, as_json, {"report": str(page), "payable_time": str(times)})


@validate_app.command(rich_help_panel=_RESULTS, epilog="Example: nextset validate predict my-study")
def predict(
    study: StudyPath,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="An NLI classifier for the features. Default: the first filter model; questions need it.",
        ),
    ] = None,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Estimate from the judgments so far which other units are valid, to order them; it judges nothing."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.validate_predict import predict_validity
        from nextset.cli.validate_text import predicted_text
        from nextset.study.study_folder import Study

        done = predict_validity(Study.load(study, trust_code), model, progress)
        print_result(predicted_text(done), as_json, asdict(done))
