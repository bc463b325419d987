"""Everyday questions and answers, written by hand in everyday_*.py, with further wordings made from each question.

A line of a table is "question | question => answer". A question that starts with "~" is a how-to ("~boil an egg"). One
wording in ten is held out for evaluation, never an entry's first.
"""
from __future__ import annotations

import importlib
import random
import re
from dataclasses import dataclass
from pathlib import Path

from common import Doc, chat, held_out, user_noise
from qa_docs import Pair, content_words, conversation, eval_case, is_held_out


@dataclass(frozen=True)
class Entry:
    """An answer with all the ways of asking for it."""

    questions: tuple[str, ...]
    answer: str
    accept: tuple[str, ...]


_HOW_TO = ("How do I {x}?", "How can I {x}?", "How do you {x}?", "Tell me how to {x}.", "What is the best way to {x}?", "how to {x}", "I want to {x}. How do I do that?", "Can you explain how to {x}?", "What should I do to {x}?")


def _wordings(question: str) -> list[str]:
    """The question, and other ways of asking it."""
    if question.startswith("~"):
        return [form.format(x=question[1:]) for form in _HOW_TO]
    made = [question]
    start = question.split(" ", 1)[0]
    rest = question[:1].lower() + question[1:].rstrip("?")
    if found := re.match(r"(Why|When|Where|How|What) (do|can|should) (people|we|you|I|they) (.+)\?$", question):
        word, verb, who, tail = found.groups()
        kept = f"{who} {tail}" if verb == "do" else f"{who} {verb} {tail}"
        made += [f"Can you tell me {word.lower()} {kept}?", f"Tell me {word.lower()} {kept}."]
    elif found := re.match(r"What (is|are) ((?:a|an|the) [a-z]+(?: [a-z]+)?|[a-z]+)\?$", question):
        verb, thing = found.groups()
        made += [f"Tell me what {thing} {verb}.", f"Can you explain what {thing} {verb}?", f"what {verb} {thing}"]
    elif start in ("Is", "Are", "Do", "Does", "Can", "Should", "May", "Will"):
        made += [f"Tell me, {rest}?", f"I wonder: {rest}?"]
    elif question.endswith("?"):
        made += [f"Do you know the answer: {rest}?", f"I have a question. {question}"]
    return made


def _plain(question: str) -> str:
    """The question without case and marks, by which wordings are told apart and held out."""
    return re.sub(r"[^a-z0-9 ]", "", question.lower()).strip()


def _load() -> dict[str, list[Entry]]:
    raw: dict[str, list[tuple[list[str], str]]] = {}
    for path in sorted(Path(__file__).parent.glob("everyday_*.py")):
        themes: dict[str, str] = importlib.import_module(path.stem).THEMES
        for theme, text in themes.items():
            for line in text.strip().splitlines():
                if not line.strip():
                    continue
                left, right = line.split("=>")
                raw.setdefault(theme, []).append(([part.strip() for part in left.split("|")], right.strip()))
    counts: dict[str, int] = {}
    for rows in raw.values():
        for _, answer in rows:
            for word in set(content_words(answer)):
                counts[word] = counts.get(word, 0) + 1
    tables: dict[str, list[Entry]] = {}
    seen: set[str] = set()
    for theme, rows in raw.items():
        for hand_written, answer in rows:
            questions = []
            for question in hand_written:
                for wording in _wordings(question):
                    if _plain(wording) not in seen:
                        seen.add(_plain(wording))
                        questions.append(wording)
            if not questions:
                continue
            words = [word for word in content_words(answer) if word not in hand_written[0].lower()]
            rare = sorted(set(words), key=lambda word: (counts[word], word))[:4]
            tables.setdefault(f"everyday_{theme}", []).append(Entry(tuple(questions), answer, tuple(rare)))
    return tables


_TABLES = _load()
TASKS: dict[str, float] = {theme: len(entries) / 10 for theme, entries in _TABLES.items()}
TASKS["everyday_chat"] = sum(TASKS.values()) * 0.15
_NAMES = list(_TABLES)
_WEIGHTS = [TASKS[name] for name in _NAMES]


def any_task(rng: random.Random) -> str:
    """A theme, by its number of entries."""
    return rng.choices(_NAMES, _WEIGHTS)[0]


def entry_count() -> int:
    """How many hand-written entries there are."""
    return sum(map(len, _TABLES.values()))


def pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer, held out or not."""
    entry = rng.choice(_TABLES[task])
    form = rng.randrange(len(entry.questions))
    question = entry.questions[form]
    return Pair(question, entry.answer, f"everyday:{_plain(question)}" if form else "", entry.accept)


def training_pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer that is not held out."""
    while True:
        made = pair(task, rng)
        if not is_held_out(made):
            return made


_OPENERS = [("Can I ask you something?", "Of course! What would you like to know?"), ("I have a question.", "Sure, go ahead!"), ("I need some advice.", "I will try to help. What is it about?"),
            ("Can you help me?", "I will try! What do you need?"), ("I want to ask you something.", "Please do!"), ("Do you have a minute?", "Yes, always. What is it?"), ("I need help.", "Tell me what you need, and I will do my best.")]
_AFTER = [("Thanks!", "You are welcome!"), ("That helps, thank you.", "I am glad! Ask me anything else you like."), ("Good idea.", "I hope it works out well!"), ("I will try that.", "Great! I hope that it helps."), ("ok", "All right. Is there anything else?"),
          ("Good to know.", "Glad that I could help!"), ("I did not know that.", "It is nice to learn something new!"), ("Interesting!", "I think so too. Do you have another question?"), ("Are you sure?", "I think so, but I am a small model. Please check if it matters."),
          ("Is that all?", "That is all I know about it.")]


def sample(task: str, rng: random.Random) -> Doc:
    """One training conversation."""
    if task == "everyday_chat":
        made = training_pair(any_task(rng), rng)
        turns = [rng.choice(_OPENERS)] if rng.random() < 0.6 else []
        turns.append((made.question, made.answer))
        if rng.random() < 0.5:
            made = training_pair(any_task(rng), rng)
            turns.append((made.question, made.answer))
        turns.append(rng.choice(_AFTER))
        return chat(task, [(user_noise(rng, q, 0.3), a) for q, a in turns])
    pairs = [training_pair(task, rng)]
    while len(pairs) < 4 and rng.random() < 0.45:
        pairs.append(training_pair(task if rng.random() < 0.5 else any_task(rng), rng))
    return conversation(task, pairs, rng)


def eval_cases(task: str) -> list[Doc]:
    """Held-out wordings; an answer counts when it has one of the rare words of the right one."""
    if task == "everyday_chat":
        return []
    return [eval_case(task, Pair(question, entry.answer, "", entry.accept)) for entry in _TABLES[task] for question in entry.questions[1:]
            if held_out(f"everyday:{_plain(question)}") and entry.accept][:200]
