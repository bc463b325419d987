"""Question and answer pairs, and the conversations and evaluation cases made of them."""
from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any, Sequence

from common import Doc, chat, eval_case as make_case, held_out, user_noise

_FOLLOW_STARTS = ("And ", "Ok, and ", "Now: ", "Next: ", "Thanks. ", "Thank you! ", "Great. ", "Good. ", "One more: ")


@dataclass(frozen=True)
class Pair:
    """A question, its answer, what its hold-out is decided by ("" = always trained), and the strings that count as right."""

    question: str
    answer: str
    key: str = ""
    accept: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    typos: bool = True


def is_held_out(made: Pair) -> bool:
    """Whether the pair belongs to the evaluation."""
    return bool(made.key) and held_out(made.key)


def conversation(task: str, pairs: Sequence[Pair], rng: random.Random, noise: float = 0.3) -> Doc:
    """A chat that asks the pairs one after another."""
    turns = []
    for i, made in enumerate(pairs):
        question = made.question
        if i and question[0].isalpha() and rng.random() < 0.15:
            start = rng.choice(_FOLLOW_STARTS)
            lower = not start.endswith((". ", "! ", ": ")) and re.match(r"(What|Which|How|Is|Who|Where|When|Why|Do|Does|Can)\b", question)
            question = start + (question[0].lower() + question[1:] if lower else question)
        turns.append((user_noise(rng, question, noise, made.keep, made.typos), made.answer))
    return chat(task, turns)


def eval_case(task: str, made: Pair) -> Doc:
    """The pair as a held-out case."""
    return make_case(task, made.question, [text.lower() for text in made.accept])


def content_words(text: str) -> list[str]:
    """The lower-case words of a text that carry meaning."""
    return [w for w in re.findall(r"[a-z]+", text.lower()) if len(w) > 3 and w not in _STOP]


_STOP = set("""about above after again also always another because been before being between both could does doing down each
ever every from have having here into just keep like made make makes many more most much need never only other over same
should some such take than that their them then there these they this those through under until used very want well were
what when where which while will with without would your yours""".split())
