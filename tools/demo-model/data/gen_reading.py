"""Short passages about invented people, animals, shops and places, with a question answered from the passage."""

import random

from common import Doc, cap, chat, eval_case, eval_rng, held_out, user_noise
from reading_passages import Passage, make_passage

TASKS: dict[str, float] = {
    "read_person": 3,
    "read_two": 3,
    "read_animal": 2,
    "read_shop": 2,
    "read_day": 3,
    "read_place": 2,
    "read_trip": 2,
    "read_missing": 1.5,
    "read_several": 2,
    "read_told": 2,
}

_FORMS = (
    "{t}\n\n{q}",
    "{t} {q}",
    "Read this: {t} {q}",
    "Here is a text: {t}\n\nQuestion: {q}",
    "{q}\n\n{t}",
    "Text: {t}\nQuestion: {q}",
    "Read the text and answer the question.\n\n{t}\n\n{q}",
    "Answer from the text.\n{t}\n{q}",
)
_UNKNOWN = (
    "The text does not say {x}.",
    "I don't know. The text does not say {x}.",
    "That is not in the text. It does not say {x}.",
)
_TOLD = (
    "Remember this: {t}",
    "I will tell you something. {t}",
    "{t}",
    "Let me tell you about {n}. {t}",
    "Here are some facts. {t}",
    "Please remember: {t}",
)
_HEARD = (
    "All right, I will remember that.",
    "Thank you for telling me.",
    "Got it.",
    "I see. What would you like to know?",
    "Okay, I have read it.",
    "Understood.",
)


def _turns(task: str, rng: random.Random, passage: Passage) -> tuple[list[tuple[str, str]], tuple[str, str, list[str]]]:
    """(turns before, last question with its answer and what is accepted)."""
    if task == "read_missing" and passage.missing:
        question, said = rng.choice(passage.missing)
        answer, accept = rng.choice(_UNKNOWN).replace("{x}", said), ["does not say", "not in the text", "don't know"]
        return [], (rng.choice(_FORMS).replace("{t}", passage.text).replace("{q}", question), answer, accept)
    if task == "read_told":
        wordings, answer, accept = rng.choice(passage.questions)
        told = (
            rng.choice(_TOLD).replace("{t}", passage.text).replace("{n}", passage.text.split(" ")[0].removesuffix("'s"))
        )
        return [(told, rng.choice(_HEARD))], (rng.choice(wordings), answer, accept)
    asked = rng.sample(
        passage.questions, min(len(passage.questions), rng.randint(2, 3) if task == "read_several" else 1)
    )
    turns = [(rng.choice(wordings), answer, accept) for wordings, answer, accept in asked]
    first = rng.choice(_FORMS).replace("{t}", passage.text).replace("{q}", turns[0][0])
    turns[0] = (first, turns[0][1], turns[0][2])
    return [(q, a) for q, a, _ in turns[:-1]], turns[-1]


def sample(task: str, rng: random.Random) -> Doc:
    """One training document of a task."""
    while True:
        passage = make_passage(task, rng)
        if not held_out(passage.key):
            before, (question, answer, _) = _turns(task, rng, passage)
            if "\n" not in question and passage.text not in question:
                question = user_noise(rng, question, 0.2, typos=False)
            return chat(task, before + [(question, answer)])


def eval_cases(task: str) -> list[Doc]:
    """Questions on passages of held-out combinations."""
    rng = eval_rng(task)
    cases: list[Doc] = []
    while len(cases) < 100:
        passage = make_passage(task, rng)
        if held_out(passage.key):
            before, (question, _, accept) = _turns(task, rng, passage)
            cases.append(eval_case(task, question, accept, before=before))
    return cases


if __name__ == "__main__":
    shown = random.Random(5)
    for name in TASKS:
        print(f"--- {name}: {len(eval_cases(name))} evaluation cases")
        for message in sample(name, shown)["messages"]:
            print(f"{cap(message['role'])}: {message['content']}")
