"""The output of the validate commands as text for the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nextset.counted import counted

if TYPE_CHECKING:  # a pull in the background should start at once
    from nextset.validation.annotator_pages.tasks import TaskFiles
    from nextset.validation.file_exchange.csv_file import CsvFile
    from nextset.validation.file_exchange.judgment_import import ImportedJudgments
    from nextset.validation.file_exchange.potato import PotatoFiles
    from nextset.validation.gateway.gateway_server import Listening
    from nextset.validation.label_studio.accounts import NewAccount
    from nextset.validation.label_studio.local_server import Serving
    from nextset.validation.session.close import Closed
    from nextset.validation.session.join_and_leave import Left
    from nextset.validation.session.next_batches import Advanced
    from nextset.validation.session.open import Invited, Opened
    from nextset.validation.session.pull import Pulled, Taken
    from nextset.validation.session.session_status import PersonStatus, SessionStatus
    from nextset.validation.verdict_model.verdict_prediction import Prediction

__all__ = [
    "account_text",
    "closed_text",
    "exported_text",
    "imported_text",
    "left_text",
    "opened_text",
    "predicted_text",
    "pulled_text",
    "serving_text",
    "session_text",
]

_PLACES = 10
"""The most places that are named for one reason; the others are counted."""
_MANY, _FAST = 10, 1.0
"""The number of answers, and the median seconds of one, from which and below which a speed is remarked on."""


def serving_text(gateway: Listening, running: Serving | None) -> str:
    """Return the gateway's address and, if Label Studio was started, how its owner logs in."""
    if running is None:
        return f"The gateway runs at {gateway.url} until you stop it with Ctrl+C. Give out only this address."
    return (
        f"Label Studio runs at {gateway.url} until you stop it with Ctrl+C.\n"
        f"Its data is in {running.data}: back up that folder.\n"
        f"Log in as {running.owner.email}; the password is in {running.data / 'owner.json'}."
    )


def account_text(email: str, made: NewAccount | None, *, ours: bool) -> str:
    """Return how an annotator logs in. ``ours``: `validate serve` made the existing account."""
    if made is None and not ours:
        return (
            f"{email}: has an account that `validate serve` did not make; take it over with "
            f"--new-password {email} before you invite the person"
        )
    if made is None:
        return f"{email}: has an account and a password (for a new password: --new-password {email})"
    return f"{made.email}: {made.link}\n  password {made.password}, shown this once"


def opened_text(done: Opened) -> str:
    """Return an open session as text, with each annotator and the link."""
    state = "opened" if done.new else "was already open and continues"
    lines = [
        f"session {done.session} ({done.kind}) {state}: {counted(done.units, 'units')}, "
        f"{counted(len(done.people), 'people')}"
    ]
    return "\n".join([*lines, *map(_invited, done.people), *_warnings(done.warnings)])


def _invited(person: Invited) -> str:
    named = f"  {person.email} ({person.person})"
    if person.failed:
        return f"{named} failed both tries of the gate and gets no units"
    places = {"gate": "gate", "retry": "second try of the gate", "work": "work"}
    return f"{named} begins at the {places[person.at]}:\n    {person.link}"


def pulled_text(done: Pulled) -> str:
    """Return the new judgments and the assigned batches as text."""
    return "\n".join(
        [
            f"session {done.session}: {_taken(done.taken)}",
            *(f"  {line}" for line in done.gates),
            *_not_counted(done.not_counted),
            *_advanced(done.advanced),
            *([f"  the annotators' link: {done.link}"] if done.link else []),
            *_warnings(done.warnings),
        ]
    )


def closed_text(done: Closed) -> str:
    """Return a closed session as text."""
    compared = _taken(done.taken) if done.taken else "from the log only, without asking the server"
    return "\n".join(
        [
            f"session {done.session} is closed: {compared}",
            f"both logs were copied to {done.backup}",
            *_warnings(done.taken.warnings if done.taken else ()),
            *_units_left(done),
            "next: nextset validate report STUDY, nextset validate adjudicate STUDY, or nextset run STUDY",
        ]
    )


def _units_left(done: Closed) -> list[str]:
    """Return how many units are left, and what becomes of them, as text."""
    if done.left is None:
        return [f"all {counted(done.units, 'units have', 'unit has')} enough judgments"]
    left = done.unjudged + done.begun
    lines = [
        f"left without enough judgments: {left:,} of {counted(done.units, 'units')}, listed in {done.left}"
    ]
    if done.unjudged:
        what = counted(done.unjudged, "units are unjudged: they are", "unit is unjudged: it is")
        lines.append(f"  {what} not released")
    if done.begun:
        what = counted(done.begun, "units have", "unit has")
        lines.append(f"  {what} fewer judgments than asked for: these decide, and nextset run warns of them")
    return [*lines, "  to have them judged, open another session: nextset validate open STUDY"]


def left_text(done: Left) -> str:
    """Return the departure of an annotator as text."""
    lines = [f"  on the server: not done, since {done.unfinished}"] if done.unfinished else []
    again = "run the same command again while the server runs"
    if done.changed is not None:
        erased = counted(done.erased, "lines of the log are", "line of the log is")
        verdicts = counted(done.recomputed, "verdicts were", "verdict was")
        lines = [
            f"{done.person} is erased: {erased} removed, in the backups too",
            *([f"  {done.account}"] if done.account else []),
            *(f"{line}; the erasure is not complete: {again}" for line in lines),
            f"  {verdicts} computed again from the other judgments, and {len(done.changed):,} changed",
            *(f"    {unit}: {verdict}" for unit, verdict in list(done.changed.items())[:_PLACES]),
        ]
        if len(done.changed) > _PLACES:
            lines.append(f"    and {len(done.changed) - _PLACES:,} more (--json lists all)")
        return "\n".join(
            [*lines, "next: nextset run STUDY and nextset validate report STUDY: out/ has the old results"]
        )
    if done.withdrew:
        marked = counted(
            done.marked, "judgments are marked and no longer count", "judgment is marked and no longer counts"
        )
        if done.comments:
            lines.insert(0, f"  {counted(done.comments, 'comments were', 'comment was')} removed")
        lines = [f"{line}: {again}" if "not done" in line else line for line in lines]
        return "\n".join([f"{done.person} withdrew consent: {marked}", *lines])
    counts = counted(done.judgments, "judgments count", "judgment counts")
    return f"{done.person} stopped: {counts}; the next pull assigns the open items to others"


def session_text(found: SessionStatus | None) -> str:
    """Return the progress of a session and its annotators as text."""
    if found is None:
        return "no session yet, and no judgments from files; open one with `nextset validate open STUDY`"
    state = f"session {found.session} ({found.kind}), {'open' if found.open else 'closed'}"
    lines = [
        f"{state if found.session else 'no session yet'}: {counted(found.units, 'units')}, {found.enough:,} "
        f"with enough judgments, {found.begun:,} begun",
    ]
    if found.in_files:
        lines.append(
            f"  judgments from files: {found.from_files:,} of {found.in_files:,} in the log count, "
            f"by {counted(found.by_file, 'people')}"
        )
    if found.nobody_left:
        lines.append(f"  {_more_annotators(found.nobody_left)}")
    lines += _waiting(found)
    if found.people:
        lines.append(
            f"  {'person':<14} {'state':<15} {'batches':>7} {'assigned':>8} {'on server':>9} {'in log':>6} "
            f"{'declined/skipped':>16} {'s/answer':>8} {'wrong gold':>10}"
        )
    for p in found.people:
        on_server = "–" if p.on_server is None else f"{p.on_server:,}"
        lines.append(
            f"  {p.person:<14} {p.state:<15} {p.batch:>7} {p.dealt:>8,} {on_server:>9} {p.in_log:>6,} "
            f"{p.left_to_others:>16,} {_seconds(p):>8} {_wrong_gold(p):>10}  {p.link}".rstrip()
        )
    lines += [
        f"  {p.person} answers within {p.quality.seconds:.1f} s at the median: hardly anyone reads so fast"
        for p in found.people
        if p.quality.timed >= _MANY and p.quality.seconds is not None and p.quality.seconds < _FAST
    ]
    if twice := [p.person for p in found.people if p.tries > 1]:
        lines.append(f"  answered the comprehension items twice: {', '.join(twice)}")
    if found.to_pull:
        waiting = counted(found.to_pull, "answers on the server are", "answer on the server is")
        lines.append(f"  {waiting} not in the log yet: run nextset validate pull STUDY")
    lines += _warnings(found.log)
    if found.chained_from != 1 and (found.in_files or found.session):
        part = f"from line {found.chained_from} on" if found.chained_from else "from its next line on"
        lines.append(f"  the log is chained {part}: an earlier version of nextset wrote the lines before")
    if found.changed:
        lines.append(
            f"  {counted(found.changed, 'answers that count were', 'answer that counts was')} changed by "
            "someone other than the author before nextset read it: check it"
        )
    warnings = _warnings(warning for warning in found.warnings if warning not in found.log)
    return "\n".join([*lines, *_not_counted(found.not_counted), *warnings])


def _seconds(p: PersonStatus) -> str:
    return "–" if p.quality.seconds is None else f"{p.quality.seconds:.1f}"


def _wrong_gold(p: PersonStatus) -> str:
    return f"{p.quality.wrong_gold:,} of {p.quality.gold:,}" if p.quality.gold else "–"


def _waiting(found: SessionStatus) -> list[str]:
    """Return the templates whose units wait at the end of the queue as text, the first of them by name."""
    if not found.waiting:
        return []
    units = sum(share.waiting for share in found.waiting)
    lines = [
        f"  at the end of the queue: {counted(units, 'units')} of "
        f"{counted(len(found.waiting), 'templates')}, because the interval of the valid share "
        f"is below {found.postpone_below:g} (validate.session.postpone_below)"
    ]
    for share in found.waiting[:_PLACES]:
        lines.append(
            f"    {share.template}: {share.valid:,} of {share.judged:,} valid "
            f"({100 * share.low:.0f} to {100 * share.high:.0f} %), {share.waiting:,} waiting"
        )
    more = len(found.waiting) - _PLACES
    if more > 0:
        others = counted(more, "more templates", "more template")
        lines.append(f"    and {others}: nextset validate report STUDY")
    return lines


def exported_text(files: TaskFiles | CsvFile | PotatoFiles) -> str:
    """Return the written files as text, and what to do with them."""
    from nextset.validation.file_exchange.csv_file import CsvFile
    from nextset.validation.file_exchange.potato import PotatoFiles

    if isinstance(files, CsvFile):
        return "\n".join(
            [
                f"{counted(files.n_tasks, 'tasks')} in {files.path}",
                f"guidelines for annotators in {files.guidelines}",
                "Each annotator reads the guidelines and fills in a copy: a name or e-mail as judge, and",
                *(f"  {column:<14} {', '.join(words)}" for column, words in files.answers.items()),
                "declined leaves a row to other annotators; reason and comment may stay empty.",
                "Then: nextset validate import STUDY FILE.csv",
            ]
        )
    if isinstance(files, PotatoFiles):
        return (
            f"{counted(files.n_tasks, 'tasks')} in {files.data}\nguidelines in {files.guidelines}\n"
            f"Start Potato with: potato start {shlex.quote(str(files.config))}"
        )
    return (
        f"{counted(files.n_tasks, 'tasks')} in {files.tasks}\n"
        f"labelling configuration in {files.config}\n"
        f"guidelines for annotators in {files.guidelines}\n"
        "Import the tasks into a Label Studio project with that configuration, have them annotated, "
        "export them as JSON, then: nextset validate import STUDY EXPORT.json"
    )


def imported_text(done: ImportedJudgments) -> str:
    """Return the result of an import as text, with rejected answers and each annotator's pseudonym."""
    places: dict[str, list[str]] = {}
    for place, why in done.problems:
        places.setdefault(why, []).append(place)
    empty, changed = [f"line {line}" for line in done.unanswered], _some(done.changed)
    warning = "whether one column was sorted by itself cannot be checked, since some answers lack the text of"
    new, known = f"{done.new:,} new", f"{done.already:,} already in the log"
    added = (
        f"{new}, {known} and {done.repeated:,} repeated in the file"
        if done.repeated
        else f"{new} and {known}"
    )
    wrong = counted(done.wrong, "answers are wrong: correct them", "answer is wrong: correct it")
    return "\n".join(
        [
            f"{done.file}: {counted(done.answers, 'answers')}, {added}; counted: {done.counting:,}, "
            f"not counted: {len(done.problems):,}",
            *(f"  not counted: {why}: {_some(where)}" for why, where in places.items()),
            *([f"  {wrong} and import again"] if done.wrong else []),
            *([f"  rows without an answer: {_some(empty)}"] if empty else []),
            *([f"  not added, since the person was erased: {done.erased:,}"] if done.erased else []),
            *([f"  changed last by someone other than the author, to check: {changed}"] if changed else []),
            *([f"  warning: {warning}: {', '.join(done.unchecked)}"] if done.unchecked else []),
            *([f"  ignored columns: {', '.join(done.ignored)}"] if done.ignored else []),
            *([f"  replaced answers of earlier imports: {done.replaced:,}"] if done.replaced else []),
            counted(done.waiting, "units wait for their first judgment", "unit waits for its first judgment"),
            f"people: {len(done.people)}",
            *(f"  {p.name} ({p.person})" for p in done.people),
        ]
    )


def predicted_text(done: Prediction) -> str:
    """Return the verdict model's quality and its machine-made estimates as text."""
    r = done.report
    lines = [
        f"from {counted(r.judged, 'units')} with a verdict ({r.valid:,} valid, {r.invalid:,} invalid, "
        f"{r.incoherent:,} incoherent), features from {r.model}; cross-validated in {r.folds} folds:",
        f"  Brier score {r.brier:.3f} (shares only {r.brier_base:.3f}), "
        f"log loss {r.log_loss:.3f} ({r.log_loss_base:.3f}), calibration error {r.calibration_error:.3f}",
        *_features(done),
    ]
    if not r.orders:
        return "\n".join(
            [
                *lines,
                "the model is not better than the shares of the verdicts, so it predicts and orders nothing",
            ]
        )
    if r.remaining is None:
        lines.append(
            "the model's probabilities are not better than the shares of the verdicts, so nothing is "
            "estimated from them; but it ranks valid units above the others more often than chance, so it "
            "can order the queue"
        )
    else:
        lines.append(
            f"about {r.remaining:.0f} of {counted(r.unjudged, 'units')} without a verdict are valid "
            f"({r.remaining_low:.0f} to {r.remaining_high:.0f}); this is a machine's estimate, not a judgment"
        )
    pace = f"{r.seconds:.0f} s per unit" + ("" if r.seconds_known else " (assumed)")
    lines.append(
        f"valid units per hour in the first half of the judged ones, at {pace}: {r.hourly:.0f} "
        f"({r.hourly_low:.0f} to {r.hourly_high:.0f}) in its order, {r.hourly_shuffled:.0f} shuffled; "
        f"gain {r.hourly_gain_low:+.0f} to {r.hourly_gain_high:+.0f}"
    )
    return "\n".join([*lines, "to order the queue by it, set validate.session.order: likely_valid_first"])


def _features(done: Prediction) -> list[str]:
    """Return the features that the model reads, each with its number of known units; then the others."""
    read = [f"{f.feature} ({f.known:,} of {f.units:,})" for f in done.features if f.columns]
    unread = [f.feature for f in done.features if not f.columns]
    lines = [f"  it also reads, if known for a unit: {', '.join(read)}"] if read else []
    return lines + ([f"  unknown, or the same for all units: {', '.join(unread)}"] if unread else [])


def _some(places: Sequence[str]) -> str:
    """Return the first places, and the number of the others."""
    more = [f"{len(places) - _PLACES:,} more"] if len(places) > _PLACES else []
    return ", ".join([*places[:_PLACES], *more])


def _taken(taken: Taken) -> str:
    return (
        f"{taken.new:,} new, {taken.already:,} known; "
        f"answers on the server {taken.on_server:,}, in the log {taken.in_log:,}"
    )


def _advanced(advanced: Advanced) -> list[str]:
    lines = []
    for batch in advanced.pushed:
        pushed = f"{counted(batch.new, 'items')} pushed" + (
            f", {batch.already:,} already on the server" if batch.already else ""
        )
        counts = f"tasks on the server {batch.on_server:,} of {batch.planned:,} planned"
        lines.append(f"  {batch.person} batch {batch.batch}: {pushed}; {counts}")
        if batch.doubled or batch.on_server != batch.planned:
            doubled = f"{counted(batch.doubled, 'items are', 'item is')} on the server twice; "
            why = "someone else has added tasks, or the plan's log has lost lines"
            lines.append(f"    warning: {doubled if batch.doubled else ''}{why}")
    lines += [
        f"  {person} has a break; the next batch opens at {opens[:16].replace('T', ' ')} UTC"
        for person, opens in advanced.waiting.items()
    ]
    lines += [
        f"  the seat of {person} is paused: {why}; to let the person continue: nextset validate join STUDY "
        "E-MAIL"
        for person, why in advanced.paused.items()
    ]
    if advanced.nobody_left:
        lines.append(f"  {_more_annotators(advanced.nobody_left)}")
    return lines


def _more_annotators(units: int) -> str:
    need = counted(units, "units need", "unit needs")
    return f"{need} more annotators than the session has: add some with nextset validate join STUDY E-MAIL"


def _not_counted(reasons: Mapping[str, int]) -> list[str]:
    return [f"  not counted: {n:,} ({reason})" for reason, n in reasons.items()]


def _warnings(warnings: Iterable[str]) -> list[str]:
    return [f"  warning: {warning}" for warning in warnings]
