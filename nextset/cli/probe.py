"""`nextset probe`: ask models about texts that a person types, in the terminal or on a local page."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nextset.cli.options import Debug, Json, Labels, model_settings, options_of_models
from nextset.cli.output import errors, print_note, print_result
from nextset.cli.probe_dialogue import Entry, entries, is_question, subjects_of
from nextset.cli.progress_bar import bars
from nextset.errors import InputError, NextsetError

if TYPE_CHECKING:
    from nextset.artifacts.progress_callback import Progress
    from nextset.auditing.probe.probe_records import AnswerProbe, PairProbe, QuadProbe, WordProbe
    from nextset.forms import FormName
    from nextset.study.model_key import ModelNames

    Found = AnswerProbe | PairProbe | QuadProbe | WordProbe

__all__ = ["probe"]


def probe(
    model: Annotated[
        list[str],
        typer.Option(
            metavar="NAME", help="builtin:NAME, a folder, a Hub id, or openai:MODEL. Can be repeated."
        ),
    ],
    premise: Annotated[
        str, typer.Option(metavar="TEXT", help="A premise, with --hypothesis or --question.")
    ] = "",
    hypothesis: Annotated[str, typer.Option(metavar="TEXT", help="The hypothesis.")] = "",
    context: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="With --subjects, a context with {subject1} and {subject2}; with --question, any text.",
        ),
    ] = "",
    question: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="A yes/no question about the premise, or a question about the context."
        ),
    ] = "",
    negated: Annotated[
        str, typer.Option(metavar="TEXT", help="The question about the context, negated.")
    ] = "",
    statement: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="For masked language models: a statement about the context, with {{MASK}}. Without a "
            "context: any text with {{MASK}}, whose most probable words are shown.",
        ),
    ] = "",
    negated_statement: Annotated[str, typer.Option(metavar="TEXT", help="The statement, negated.")] = "",
    subjects: Annotated[
        str, typer.Option(metavar="A,B", help="The two subjects, with a comma between them.")
    ] = "",
    top: Annotated[
        int,
        typer.Option(
            min=1, max=1000, metavar="N", help="The number of words to show for a text with {{MASK}}."
        ),
    ] = 8,
    labels: Labels = "",
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve a page for a browser on this machine.")
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            show_default=False,
            help="The page's port. Default: any free port.",
        ),
    ] = 0,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what models answer to texts that you type: a pair, two subjects, a question, or a mask.

    If neither texts nor --serve are given, texts are read from the terminal or a pipe.
    """
    texts = (premise, hypothesis, context, question, negated, statement, negated_statement, subjects)
    if serve and any(texts):
        raise typer.BadParameter("texts are typed on the page: remove them", param_hint="--serve")
    masked = bool(statement) and not any(text for text in texts if text is not statement)
    if bool(premise) == bool(context) and any(texts) and not masked:
        raise typer.BadParameter("give either --premise or --context", param_hint="--premise")
    if premise and (negated or statement or negated_statement):
        raise typer.BadParameter("goes with --context, not with --premise", param_hint="--negated")
    if context and hypothesis:
        raise typer.BadParameter("goes with --premise, not with --context", param_hint="--hypothesis")
    if labels and len(model) != 1:
        raise typer.BadParameter("name one model with --model, whose labels they are", param_hint="--labels")
    models = dict.fromkeys(model, model_settings(labels))
    with errors(debug), options_of_models():
        if serve:
            _serve(models, port)
        elif not any(texts):
            _dialogue(models, top, as_json)
        else:
            probed: Found
            with bars(quiet=as_json) as progress:
                if masked:
                    probed = _words(statement, top, models, progress)
                elif context and question and not (negated or statement or negated_statement or subjects):
                    probed = _answer(context, question, models, progress)
                elif premise:
                    probed = _pair(
                        premise, subjects, models, progress, hypothesis=hypothesis, question=question
                    )
                else:
                    asked = (question, negated), (statement, negated_statement)
                    probed = _quad(context, subjects, *asked, models, progress)
            _print(probed, as_json)


def _serve(models: ModelNames, port: int) -> None:
    from nextset.auditing.probe.page_server import serve_page

    serve_page(models, port, print_note)


def _pair(
    premise: str,
    subjects: str,
    models: ModelNames,
    progress: Progress,
    *,
    hypothesis: str = "",
    question: str = "",
) -> PairProbe:
    from nextset.auditing.probe.pair_probe import probe_pair

    named = subjects_of(subjects) if subjects else None
    return probe_pair(
        premise, hypothesis, question=question, subjects=named, models=models, progress=progress
    )


def _quad(
    context: str,
    subjects: str,
    questions: tuple[str, str],
    statements: tuple[str, str],
    models: ModelNames,
    progress: Progress,
) -> QuadProbe:
    from nextset.auditing.probe.quad_probe import probe_quad

    return probe_quad(
        context,
        subjects_of(subjects),
        question=questions[0],
        negated=questions[1],
        statement=statements[0],
        negated_statement=statements[1],
        models=models,
        progress=progress,
    )


def _words(text: str, top: int, models: ModelNames, progress: Progress) -> WordProbe:
    from nextset.auditing.probe.word_probe import probe_words

    return probe_words(text, models=models, top=top, progress=progress)


def _answer(context: str, question: str, models: ModelNames, progress: Progress) -> AnswerProbe:
    from nextset.auditing.probe.answer_probe import probe_answer

    return probe_answer(context, question, models=models, progress=progress)


def _text(found: Found) -> str:
    from nextset.auditing.probe.probe_records import AnswerProbe, PairProbe, WordProbe
    from nextset.cli.probe_text import answer_text, pair_text, quad_text, word_text

    if isinstance(found, WordProbe):
        return word_text(found)
    if isinstance(found, AnswerProbe):
        return answer_text(found)
    return pair_text(found) if isinstance(found, PairProbe) else quad_text(found)


def _print(found: Found, as_json: bool) -> None:
    print_result(_text(found), as_json, asdict(found))


def _dialogue(models: ModelNames, top: int, as_json: bool) -> None:
    """Answer every entry that is typed; an entry that cannot be asked does not end the dialogue.

    If the entries come from a pipe, the exit code is that of the first error. JSON is one list at the end.
    """
    from nextset.auditing.probe.probed_models import located_models

    located_models(models)  # a wrong name is an error before anything is typed
    answers: list[dict[str, Any]] = []
    failed: NextsetError | None = None
    if sys.stdin.isatty():
        print_note("Ctrl-D ends the dialogue.")
    for entry in entries():
        try:
            with bars(quiet=as_json) as progress:
                answered = _answered(entry, models, top, progress)
        except NextsetError as e:
            failed = failed or e
            print_note(f"error: {e}\n  try: {e.remedy}")
            continue
        answers.append(asdict(answered))
        if not as_json:
            print_result(f"{_text(answered)}\n", False, None)
    if as_json:
        print_result("", True, answers)
    if not answers and failed is None:
        raise InputError(
            "nothing was typed", remedy="type a premise and a hypothesis; docs/how_to/probe.md has more"
        )
    if failed is not None and not sys.stdin.isatty():
        raise SystemExit(failed.exit_code)


def _answered(entry: Entry, models: ModelNames, top: int, progress: Progress) -> Found:
    """Ask the models that can be asked about ``entry``, and print a note on each of the others."""
    from nextset.auditing.probe.pair_forms import PAIR_FORMS
    from nextset.auditing.probe.probed_models import models_for
    from nextset.forms import NLI, QA, QUESTION, STATEMENT

    asked, negated = entry.asked, entry.negated
    masked = "{{MASK}}" in asked
    pair = PAIR_FORMS[QA.name if is_question(asked) else NLI.name]
    form: FormName
    if asked and negated is None:
        form = pair.form
    else:
        form = STATEMENT.name if masked or not asked else QUESTION.name
    fit = models_for(models, [form])
    for reason in fit.unfit.values():
        print_note(f"not asked: {reason}")
    if not asked:
        return _words(entry.text, top, fit.models, progress)
    if negated is None:
        return _pair(entry.text, entry.subjects, fit.models, progress, **{pair.text: asked})
    pairs = (("", ""), (asked, negated)) if masked else ((asked, negated), ("", ""))
    return _quad(entry.text, entry.subjects, *pairs, fit.models, progress)
