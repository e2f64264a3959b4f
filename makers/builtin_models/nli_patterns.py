"""The sentence patterns of the NLI examples; training and test share no pattern."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ABOUT_GROUPS", "TEST", "TRAIN", "Pattern"]

Texts = tuple[str, ...]


@dataclass(frozen=True)
class Pattern:
    """A premise, and hypotheses by their correct label."""

    premise: str
    """A sentence with slots."""
    entailment: Texts
    """Hypotheses that follow from the premise."""
    neutral: Texts
    """Hypotheses that the premise leaves open."""
    contradiction: Texts
    """Hypotheses that contradict the premise."""


TRAIN: tuple[Pattern, ...] = (
    Pattern(
        "The {adjp1} {person1} {vt1:past} the {adjt1} {thing1}.",
        ("The {person1} {vt1:past} the {thing1}.", "The {person1} {vt1:past} a {thing1}.",
         "The {person1} was {adjp1}.", "The {thing1} was {adjt1}.",
         "The {adjt1} {thing1} was {vt1:part} by the {person1}.", "Someone {vt1:past} the {thing1}."),
        ("The {person2} {vt1:past} the {thing1}.", "The {person1} {vt2:past} the {thing1}.",
         "The {person1} {vt1:past} the {thing2}.", "The {person1} was {adjp2}.", "The {thing1} was {adjt2}.",
         "The {person1} {vi1:past} in the {place1}.", "The {thing1} was {vt1:part} by the {person2}."),
        ("The {person1} did not {vt1:base} the {thing1}.", "The {person1} was not {adjp1}.",
         "The {thing1} was not {adjt1}.", "Nobody {vt1:past} the {thing1}.",
         "The {thing1} was not {vt1:part} by the {person1}.",
         "The {adjp1} {person1} never {vt1:past} a {thing1}."),
    ),
    Pattern(
        "The {person1} did not {vt1:base} the {thing1} in the {place1}.",
        ("The {thing1} in the {place1} was not {vt1:part} by the {person1}.",
         "The {person1} did not {vt1:base} the {thing1}."),
        ("The {person1} {vt2:past} the {thing1}.", "The {person2} {vt1:past} the {thing1}.",
         "The {person1} did not {vt2:base} the {thing1}.", "The {person1} did not {vt1:base} the {thing2}.",
         "The {person1} was {adjp1}."),
        ("The {person1} {vt1:past} the {thing1}.", "The {person1} {vt1:past} the {thing1} in the {place1}.",
         "The {thing1} was {vt1:part} by the {person1}."),
    ),
    Pattern(
        "The {person1} and the {person2} {vi1:past} in the {place1}.",
        ("The {person1} {vi1:past}.", "The {person2} {vi1:past} in the {place1}.",
         "Someone {vi1:past} in the {place1}."),
        ("The {person3} {vi1:past}.", "The {person1} {vi2:past} in the {place1}.",
         "The {person2} {vp1:past} the {person1}.", "The {person1} is {adjp1}.",
         "The {person2} {vi1:past} {adv1}."),
        ("The {person1} did not {vi1:base}.", "Nobody {vi1:past} in the {place1}.",
         "The {person2} never {vi1:past}."),
    ),
    Pattern(
        "{person1:pl} are more {adjp1} than {person2:pl}.",
        ("{person2:pl} are less {adjp1} than {person1:pl}.",
         "{person1:pl} are more {adjp1} than {person2:pl}."),
        ("{person1:pl} are more {adjp2} than {person2:pl}.",
         "{person3:pl} are less {adjp1} than {person1:pl}.",
         "{person2:pl} are less {adjp2} than {person1:pl}.", "{person1:pl} are good at {activity1}."),
        ("{person2:pl} are more {adjp1} than {person1:pl}.",
         "{person1:pl} are less {adjp1} than {person2:pl}.",
         "{person1:pl} are not more {adjp1} than {person2:pl}.",
         "{person1:pl} and {person2:pl} are equally {adjp1}."),
    ),
    Pattern(
        "The {person1} is more {adjp1} than the {person2}.",
        ("The {person2} is less {adjp1} than the {person1}.",
         "The {person1} is more {adjp1} than the {person2}."),
        ("The {person1} is more {adjp2} than the {person2}.",
         "The {person2} is less {adjp2} than the {person1}.",
         "The {person3} is more {adjp1} than the {person2}.",
         "The {person2} is more {adjp2} than the {person1}."),
        ("The {person2} is more {adjp1} than the {person1}.",
         "The {person1} is less {adjp1} than the {person2}."),
    ),
    Pattern(
        "Those {person1:pl} {vt1:past} more {thing1:pl} than {name1}.",
        ("{name1} {vt1:past} fewer {thing1:pl} than those {person1:pl}.",
         "Those {person1:pl} {vt1:past} {thing1:pl}."),
        ("Those {person1:pl} {vt1:past} more {thing2:pl} than {name1}.",
         "{name2} {vt1:past} fewer {thing1:pl} than those {person1:pl}.",
         "Those {person1:pl} {vt2:past} {thing1:pl}.", "Those {person2:pl} {vt1:past} {thing1:pl}."),
        ("{name1} {vt1:past} more {thing1:pl} than those {person1:pl}.",
         "None of those {person1:pl} {vt1:past} {thing1:pl}.",
         "Those {person1:pl} {vt1:past} fewer {thing1:pl} than {name1}."),
    ),
    Pattern(
        "{person1:pl} are less likely to {vt1:base} {thing1:pl} than {person2:pl}.",
        ("{person2:pl} are more likely to {vt1:base} {thing1:pl} than {person1:pl}.",
         "{person2:pl} {vt1:base} {thing1:pl} more often than {person1:pl}."),
        ("{person2:pl} are more likely to {vt2:base} {thing1:pl} than {person1:pl}.",
         "{person1:pl} are less likely to {vt1:base} {thing2:pl} than {person2:pl}.",
         "{person1:pl} are more {adjp1} than {person2:pl}.", "{person2:pl} are {adjp1}."),
        ("{person1:pl} are more likely to {vt1:base} {thing1:pl} than {person2:pl}.",
         "{person2:pl} are less likely to {vt1:base} {thing1:pl} than {person1:pl}.",
         "{person1:pl} {vt1:base} {thing1:pl} more often than {person2:pl}."),
    ),
    Pattern(
        "{number1} percent of {person1:pl} {vp1:base} {person2:pl}.",
        ("Some {person1:pl} {vp1:base} {person2:pl}.", "Not all {person1:pl} {vp1:base} {person2:pl}.",
         "There are {person1:pl} who {vp1:base} {person2:pl}."),
        ("{person2:pl} {vp1:base} {person1:pl}.", "Some {person1:pl} {vp2:base} {person2:pl}.",
         "Some {person3:pl} {vp1:base} {person2:pl}.", "{person1:pl} are {adjp1}.",
         "Most {person2:pl} {vi1:base}."),
        ("No {person1:pl} {vp1:base} {person2:pl}.", "All {person1:pl} {vp1:base} {person2:pl}.",
         "There are no {person1:pl} who {vp1:base} {person2:pl}.",
         "None of the {person1:pl} {vp1:base} {person2:pl}."),
    ),
    Pattern(
        "All {person1:pl} {vt1:past} their {thing1:pl} at the {place1}.",
        ("Some {person1:pl} {vt1:past} their {thing1:pl}.",
         "{person1:pl} {vt1:past} {thing1:pl} at the {place1}.",
         "No {person1:pl} failed to {vt1:base} their {thing1:pl}."),
        ("All {person2:pl} {vt1:past} their {thing1:pl}.", "All {person1:pl} {vt2:past} their {thing1:pl}.",
         "Some {person1:pl} {vt1:past} their {thing2:pl}.", "{person1:pl} are {adjp1}."),
        ("No {person1:pl} {vt1:past} their {thing1:pl}.",
         "Not all {person1:pl} {vt1:past} their {thing1:pl}.",
         "{person1:pl} did not {vt1:base} {thing1:pl}."),
    ),
    Pattern(
        "{few1} {person1:pl} {vi1:past} near the {place1} in {year1}.",
        ("{few1} {person1:pl} {vi1:past} near the {place1}.", "Some {person1:pl} {vi1:past}.",
         "In {year1}, {person1:pl} {vi1:past}."),
        ("{few1} {person2:pl} {vi1:past} near the {place1}.", "{few1} {person1:pl} {vi2:past}.",
         "The {person1:pl} were {adjp1}.", "Some {person1:pl} {vi1:past} near the {place2}."),
        ("No {person1:pl} {vi1:past} near the {place1}.",
         "Only {few2} {person1:pl} {vi1:past} near the {place1}.",
         "Nobody {vi1:past} near the {place1}."),
    ),
    Pattern(
        "{name1} is a {adjp1} {job1} from {country1}.",
        ("{name1} is {adjp1}.", "{name1} is a {job1}.", "{name1} comes from {country1}.",
         "{name1} is a {job1} from {country1}."),
        ("{name1} is {adjp2}.", "{name2} is a {job1}.", "{name1} {vi1:third} {adv1}.",
         "{name1} has a {thing1}.",
         "{name1} is good at {activity1}."),
        ("{name1} is not {adjp1}.", "{name1} is not a {job1}.", "{name1} does not come from {country1}.",
         "{name1} comes from {country2}."),
    ),
    Pattern(
        "{name1} {vp1:past} {name2} because {name2} was {adjp1}.",
        ("{name1} {vp1:past} {name2}.", "{name2} was {adjp1}.", "{name2} was {vp1:part} by {name1}."),
        ("{name2} {vp1:past} {name1}.", "{name1} was {adjp1}.", "{name1} {vp2:past} {name2}.",
         "{name2} was {adjp2}.",
         "{name3} was {adjp1}."),
        ("{name1} did not {vp1:base} {name2}.", "{name2} was not {adjp1}.",
         "{name1} never {vp1:past} {name2}.",
         "{name2} was not {vp1:part} by {name1}."),
    ),
    Pattern(
        "Most {person1:pl} think that {quality1} is more important than {quality2}.",
        ("Some {person1:pl} think that {quality1} is important.",
         "Most {person1:pl} think that {quality2} is less important than {quality1}."),
        ("Most {person2:pl} think that {quality1} is important.", "{person1:pl} have too little {quality3}.",
         "Most {person1:pl} think that {quality3} is important.", "{person1:pl} are {adjp1}."),
        ("No {person1:pl} think that {quality1} is important.",
         "Most {person1:pl} think that {quality2} is more important than {quality1}.",
         "Most {person1:pl} think that {quality1} is less important than {quality2}."),
    ),
    Pattern(
        "The {place1} has a {adjt1} {thing1} and {few1} {thing2:pl}.",
        ("The {place1} has a {thing1}.", "There is a {thing1} in the {place1}.",
         "The {place1} has {few1} {thing2:pl}.",
         "There are {thing2:pl} in the {place1}."),
        ("The {place1} has a {thing3}.", "The {thing1} was {vt1:part} by a {person1}.",
         "The {place2} has a {thing1}.",
         "There are {person1:pl} in the {place1}."),
        ("The {place1} has no {thing1}.", "There is no {thing1} in the {place1}.",
         "The {place1} has no {thing2:pl}.",
         "There are no {thing2:pl} in the {place1}."),
    ),
)  # fmt: skip

ABOUT_GROUPS: tuple[Pattern, ...] = (
    Pattern(
        "In {year1}, {number1} percent of {group1} had a {issue1}, "
        "compared with {number2} percent of {group2}.",
        ("Some {group1} had a {issue1}.", "In {year1}, {number2} percent of {group2} had a {issue1}.",
         "Not all {group2} have a {issue1}."),
        ("{group2} should not {vt1:base} {thing1:pl}.",
         "{group2} have more {quality1} than {group1}."),
        ("No {group1} had a {issue1}.", "All {group2} have a {issue1}.",
         "There are no {group1} with a {issue1}."),
    ),
    Pattern(
        "According to a survey, {group1} are more likely than {group2} to work as {job1:pl}.",
        ("{group2} are less likely than {group1} to work as {job1:pl}.",
         "{group1} are more likely to work as {job1:pl} than {group2}."),
        ("{group2} do not have the {quality1} to be {job1:pl}.", "{group1} are {adjp1} {job1:pl}.",
         "Only {group1} can be {job1:pl}."),
        ("{group2} are more likely than {group1} to work as {job1:pl}.",
         "{group1} are less likely to work as {job1:pl} than {group2}."),
    ),
    Pattern(
        "A study found that the rate of {quality1} among {group1} is higher than among {group2}.",
        ("The rate of {quality1} among {group2} is lower than among {group1}.",
         "{group1} have a higher rate of {quality1} than {group2}."),
        ("{group1} are {adjp1} and {group2} are {adjp2}.", "{group2} care about {quality1}.",
         "{group1} are responsible for {quality2}.", "{group1} should stay away from {group2}.",
         "{group2} are less {adjp1} than {group1}."),
        ("The rate of {quality1} among {group1} is lower than among {group2}.",
         "{group2} have a higher rate of {quality1} than {group1}."),
    ),
    Pattern(
        "In many {place1:pl}, most {job1:pl} are {group1}, "
        "while {group2} do {number1} percent of the {activity1}.",
        ("{group2} do some of the {activity1}.", "Some {job1:pl} are {group1}."),
        ("{group1} are good at {activity2}.", "{group2} are not good at {activity2}.",
         "{group1} like {quality1}."),
        ("No {job1:pl} are {group1}.", "{group2} do none of the {activity1}.",
         "{group2} do all of the {activity1}."),
    ),
    Pattern(
        "The share of {group1} who live with {quality1} has risen since {year1}. "
        "Researchers point to low {quality2}.",
        ("Some {group1} live with {quality1}.", "The share of {group1} who live with {quality1} has grown."),
        ("{group1} are {adjp1}.", "Most {group1} are {adjp1} {person1:pl}.",
         "{group2} have more {quality1}."),
        ("The share of {group1} who live with {quality1} has fallen since {year1}.",
         "No {group1} live with {quality1}."),
    ),
)  # fmt: skip

TEST: tuple[Pattern, ...] = (
    Pattern(
        "In the {place1}, one {adjp1} {person1} {vt1:past} this {thing1}.",
        ("In the {place1}, one {person1} {vt1:past} this {thing1}.",
         "One {person1} {vt1:past} this {thing1}."),
        ("One {person2} {vt1:past} this {thing1}.", "One {person1} {vt2:past} this {thing1}.",
         "In the {place1}, one {person1} {vt1:past} this {thing2}."),
        ("In the {place1}, one {person1} did not {vt1:base} this {thing1}.",
         "One {adjp1} {person1} never {vt1:past} this {thing1}."),
    ),
    Pattern(
        "Every {person1} {vi1:past} {adv1} and {vi2:past}.",
        ("Every {person1} {vi1:past}.", "Every {person1} {vi2:past}."),
        ("Every {person2} {vi1:past}.", "Every {person1} {vi3:past}.",
         "Every {person1} {vp1:past} the {person2}."),
        ("No {person1} {vi1:past}.", "Not every {person1} {vi1:past}."),
    ),
    Pattern(
        "These {person1:pl} were more {adjp1} than those {person2:pl}.",
        ("Those {person2:pl} were less {adjp1} than these {person1:pl}.",),
        ("These {person1:pl} were more {adjp2} than those {person2:pl}.",
         "Those {person2:pl} were less {adjp2} than these {person1:pl}."),
        ("Those {person2:pl} were more {adjp1} than these {person1:pl}.",
         "These {person1:pl} were less {adjp1} than those {person2:pl}."),
    ),
    Pattern(
        "My {adjp1} {person1} lives in {country1} and has a {thing1}.",
        ("My {person1} has a {thing1}.", "My {person1} lives in {country1}.", "My {person1} is {adjp1}."),
        ("My {person2} has a {thing1}.", "My {person1} has a {thing2}.", "My {person1} is {adjp2}."),
        ("My {person1} has no {thing1}.", "My {person1} does not live in {country1}.",
         "My {person1} is not {adjp1}."),
    ),
    Pattern(
        "Both {person1:pl} were {vp1:part} by {name1} at the {place1}.",
        ("{name1} {vp1:past} both {person1:pl}.", "Both {person1:pl} were {vp1:part} by {name1}."),
        ("{name2} {vp1:past} both {person1:pl}.", "{name1} {vp2:past} both {person1:pl}.",
         "{name1} {vp1:past} both {person2:pl}."),
        ("{name1} did not {vp1:base} both {person1:pl}.",
         "Both {person1:pl} were not {vp1:part} by {name1}."),
    ),
    Pattern(
        "{number1} percent of our {person1:pl} {vt1:base} {thing1:pl} at home.",
        ("Some of our {person1:pl} {vt1:base} {thing1:pl}.",),
        ("Some of our {person2:pl} {vt1:base} {thing1:pl}.",
         "Some of our {person1:pl} {vt2:base} {thing1:pl}."),
        ("None of our {person1:pl} {vt1:base} {thing1:pl}.",
         "No {person1:pl} {vt1:base} {thing1:pl} at home."),
    ),
)  # fmt: skip
