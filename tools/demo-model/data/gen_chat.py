"""Small talk: greetings, moods, who the model is, jokes, riddles, not knowing, refusing, remembering what the user said."""
from __future__ import annotations

import random
from typing import Any, Callable

import chat_tables as tables
import gen_arithmetic
import gen_everyday
import gen_world
import gen_words
from chat_jokes import JOKES, RIDDLES
from chat_recall import (ABOUT, COLORS, FOODS, HOBBIES, JOBS, PET_ANSWER, PET_ASK, PET_KIND_ASK, PET_NAMES, PET_REPLY, PET_TELL, PETS, RELATIVE_ASK, RELATIVE_REPLY,
                         RELATIVE_TELL, RELATIVES, RENAME_REPLY, RENAME_TELL, TOWNS, person_name)
from common import Doc, cap, chat, eval_case, held_out, user_noise, with_article

Turn = tuple[str, str]
Rows = list[tuple[list[str], list[str]]]

_TABLES: dict[str, Rows] = {
    "greet": tables.GREETINGS, "mood": tables.USER_MOODS, "identity": tables.IDENTITY, "abilities": tables.ABILITIES, "refuse": tables.REFUSALS,
    "unknown": tables.UNKNOWN, "compliment": tables.COMPLIMENTS, "correction": tables.CORRECTIONS, "opinion": tables.OPINIONS,
}
TASKS: dict[str, float] = {
    "greet": 2.0, "mood": 2.5, "identity": 4.0, "abilities": 2.0, "refuse": 2.0, "unknown": 2.5, "compliment": 0.7, "correction": 1.2, "opinion": 1.5,
    "joke": 2.5, "riddle": 1.5, "recall_name": 6.0, "recall_facts": 4.0, "talk": 4.0, "topics": 4.0, "repeat": 2.0, "made_up_word": 1.0, "choose": 1.0,
}


# One turn ------------------------------------------------------------------------------------------------------------

def _row_turn(rows: Rows, rng: random.Random, for_training: bool = True) -> Turn:
    """A wording and an answer of a random row; held-out wordings are left out in training."""
    while True:
        users, answers = rng.choice(rows)
        user = rng.choice(users)
        if not for_training or not _wording_held_out(users, user):
            return user, rng.choice(answers)


def _wording_held_out(users: list[str], user: str) -> bool:
    return len(users) >= 4 and user != users[0] and held_out("chat:" + user)


def _greeting(rng: random.Random) -> Turn:
    return _row_turn(tables.GREETINGS[:4] if rng.random() < 0.8 else tables.GREETINGS, rng)


def _closing(rng: random.Random) -> list[Turn]:
    turns = [_row_turn(tables.THANKS, rng)] if rng.random() < 0.6 else []
    if rng.random() < 0.5:
        turns.append(_row_turn(tables.GOODBYES, rng))
    return turns


_KNOWLEDGE: list[tuple[Any, float]] = [(gen_arithmetic, 1.0), (gen_world, 1.0), (gen_words, 1.0), (gen_everyday, 1.5)]


def _knowledge(rng: random.Random) -> Turn:
    """A question and answer of another module."""
    module = rng.choices([m for m, _ in _KNOWLEDGE], [w for _, w in _KNOWLEDGE])[0]
    tasks = [task for task in module.TASKS if task not in ("country_chat", "sentence", "mul22", "everyday_chat")]
    if module is gen_words and not gen_words.ready():
        return _knowledge(rng)
    made = module.training_pair(rng.choices(tasks, [module.TASKS[task] for task in tasks])[0], rng)
    return user_noise(rng, made.question, 0.3, made.keep, made.typos), made.answer


def setup(corpus_folder: str) -> None:
    """The words module needs the corpus folder."""
    gen_words.setup(corpus_folder)


_ASK_JOKE = ("Tell me a joke.", "Do you know a joke?", "Can you tell me a joke?", "a joke please", "Make me laugh.", "Tell me something funny.", "I want to hear a joke.", "Give me a joke.", "joke", "Say something funny.",
             "Do you know any jokes?", "Please cheer me up with a joke.")
_ASK_MORE = ("Another one!", "One more, please.", "Another joke, please.", "Do you know another one?", "again", "more", "Tell me another one.")
_ASK_RIDDLE = ("Tell me a riddle.", "Give me a riddle.", "Do you know a riddle?", "Ask me a riddle.", "a riddle please", "Can you give me a riddle?", "I like riddles. Do you have one?")


def _joke_turns(rng: random.Random) -> list[Turn]:
    question, answer = rng.choice(JOKES)
    if rng.random() < 0.3:
        turns = [(rng.choice(_ASK_JOKE), question), (rng.choice(["Why?", "I don't know. Tell me!", "I don't know.", "What is the answer?", "no idea", "Tell me!", "What?", "I give up."]), answer)]
    else:
        turns = [(rng.choice(_ASK_JOKE), f"{question} {answer}")]
    if rng.random() < 0.35:
        other = rng.choice(JOKES)
        turns.append((rng.choice(_ASK_MORE), f"{other[0]} {other[1]}"))
    if rng.random() < 0.35:
        turns.append(rng.choice([("haha", "I am glad that you laughed!"), ("lol", "Good to hear you laugh!"), ("That was bad.", "Sorry! Some jokes are not so good. Would you like another one?"),
                                 ("I don't get it.", f"The joke plays with words or ideas: {answer[0].lower() + answer[1:] if not answer.startswith('I ') else answer} It is only a bit of fun."), ("That's funny!", "Thank you! I have more of them.")]))
    return turns


def _riddle_turns(rng: random.Random) -> list[Turn]:
    question, answer = rng.choice(RIDDLES)
    bare = answer.split(" ", 1)[1] if answer.startswith(("a ", "an ", "the ")) else answer
    start = (rng.choice(_ASK_RIDDLE), question)
    roll = rng.random()
    if roll < 0.3:
        return [start, (rng.choice([answer, bare, f"Is it {answer}?", f"I think it is {answer}.", f"It's {answer}!"]), rng.choice([f"Yes, that is right! It is {answer}.", f"Correct! The answer is {answer}. Well done!"]))]
    if roll < 0.6:
        wrong = rng.choice([a for _, a in RIDDLES if a != answer])
        return [start, (rng.choice([f"Is it {wrong}?", f"I think it is {wrong}.", wrong]), rng.choice(["No, that is not it. Try again or give up!", "Not quite. Do you want to try again?"])),
                (rng.choice(["I give up.", "Tell me.", "I don't know.", "What is it?"]), f"The answer is {answer}.")]
    if roll < 0.8:
        return [start, (rng.choice(["I don't know.", "I give up.", "Tell me the answer.", "What is it?", "no idea"]), f"The answer is {answer}.")]
    return [(question, rng.choice([f"It is {answer}.", f"The answer is {answer}."]))]


# Remembering ---------------------------------------------------------------------------------------------------------

def _told(rng: random.Random, kind: str) -> tuple[str, str, str, str, str]:
    """Something the user tells: value, statement, reply, later question and the answer to it."""
    if kind in ("pet", "relative"):
        if kind == "pet":
            what, value = rng.choice(PETS), rng.choice(PET_NAMES) if rng.random() < 0.8 else person_name(rng)
            tell, reply, ask, answer = rng.choice(PET_TELL), rng.choice(PET_REPLY), rng.choice(PET_ASK), rng.choice(PET_ANSWER)
            if rng.random() < 0.15:
                ask, answer = rng.choice(PET_KIND_ASK), "You have a {p} called {v}."
        else:
            what, value = rng.choice(RELATIVES), person_name(rng)
            tell, reply, ask, answer = rng.choice(RELATIVE_TELL), rng.choice(RELATIVE_REPLY), rng.choice(RELATIVE_ASK), "Your {p} is called {v}."
        return (value, *(text.format(p=what, v=value) for text in (tell, reply, ask, answer)))
    about = next(item for item in ABOUT if item.kind == kind)
    value = {"name": lambda: person_name(rng), "color": lambda: rng.choice(COLORS), "town": lambda: rng.choice(TOWNS), "food": lambda: rng.choice(FOODS).replace("_", " "),
             "age": lambda: str(rng.randint(5, 80)), "job": lambda: rng.choice(JOBS), "hobby": lambda: rng.choice(HOBBIES)}[kind]()
    slots = {"v": value, "V": cap(value), "a": with_article(value)}
    return (value, *(rng.choice(options).format(**slots) for options in (about.tell, about.reply, about.ask, about.answer)))


def _lower(rng: random.Random, question: str) -> str:
    return user_noise(rng, question, 0.25, typos=False) if rng.random() < 0.5 else question


def _distractors(rng: random.Random, count: int, name: str = "") -> list[Turn]:
    turns: list[Turn] = []
    while len(turns) < count:
        roll = rng.random()
        if roll < 0.6:
            turns.append(_knowledge(rng))
        elif roll < 0.7:
            turns.append((rng.choice(_ASK_JOKE), " ".join(rng.choice(JOKES))))
        elif roll < 0.8 and name:
            _, tell, reply, _, _ = _told(rng, rng.choice(["pet", "relative", "color", "food", "hobby"]))
            turns.append((tell, reply))
        elif roll < 0.9:
            turns.append(_row_turn(rng.choice([tables.USER_MOODS, tables.IDENTITY, tables.OPINIONS]), rng))
        else:
            turns.append(_row_turn(rng.choice([tables.COMPLIMENTS, tables.THANKS, tables.ABILITIES]), rng))
    return turns


def _recall_name(rng: random.Random, count: int | None = None) -> tuple[list[Turn], str]:
    value, tell, reply, ask, answer = _told(rng, "name")
    if rng.random() < 0.1:
        tell = tell.lower()
    turns = [(tell, reply)]
    if rng.random() < 0.15:
        turns.insert(0, _greeting(rng))
    if rng.random() < 0.25 and count is None:
        question, fact = _knowledge(rng)
        turns[-1] = (f"{tell.rstrip('.!')}. {question}", f"{rng.choice(['Hello', 'Hi', 'Nice to meet you'])}, {value}! {fact}")
    if rng.random() < 0.1:
        other = person_name(rng)
        turns.append((rng.choice(RENAME_TELL).format(v=other, o=value), rng.choice(RENAME_REPLY).format(v=other)))
        answer, value = f"Your name is {other}.", other
    turns += _distractors(rng, rng.choice([0, 1, 2, 2, 3, 4]) if count is None else count, value)
    turns.append((_lower(rng, ask), answer))
    return turns, value


def _recall_facts(rng: random.Random) -> tuple[list[Turn], str]:
    kinds = rng.sample(["name", "color", "town", "food", "age", "job", "hobby", "pet", "relative"], rng.randint(1, 3))
    told = [_told(rng, kind) for kind in kinds]
    if len(told) > 1 and rng.random() < 0.3:
        turns = [(" ".join(item[1] if item[1].endswith((".", "!")) else item[1] + "." for item in told), rng.choice(["Thank you for telling me!", "Nice to know! What else would you like to talk about?", "Good, I will remember that in this chat."]))]
    else:
        turns = []
        for i, item in enumerate(told):
            turns += [(item[1], item[2])] + (_distractors(rng, 1) if i and rng.random() < 0.3 else [])
    turns += _distractors(rng, rng.choice([0, 1, 1, 2, 3]))
    asked = rng.sample(told, rng.randint(1, len(told)))
    turns += [(_lower(rng, item[3]), item[4]) for item in asked]
    if rng.random() < 0.2:
        missing = rng.choice([kind for kind in ("name", "color", "town", "food", "age", "job", "hobby") if kind not in kinds])
        question = _told(rng, missing)[3]
        turns.append((question, rng.choice(["I don't know that, because you have not told me yet.", "You have not told me that yet."])))
    return turns, asked[-1][0]


# Several turns -------------------------------------------------------------------------------------------------------

def _talk(rng: random.Random) -> list[Turn]:
    """A chat from hello to goodbye."""
    turns = [_greeting(rng)] if rng.random() < 0.8 else []
    if rng.random() < 0.4:
        turns.append(_row_turn(tables.HOW_ARE_YOU, rng))
        if rng.random() < 0.6:
            turns.append(_row_turn(tables.USER_MOODS[:5], rng))
    elif rng.random() < 0.4:
        turns.append(_row_turn(tables.USER_MOODS, rng))
        turns.append(rng.choice([("Thank you, that is kind.", "You are welcome. I am here if you want to talk."), ("Maybe later.", "All right. What would you like to do now?"),
                                 ("Yes, please.", "Good. Tell me more, I am listening."), ("No, not now.", "That is fine. Shall we talk about something else?"), ("I don't know.", "That is all right. Take your time.")]))
    for _ in range(rng.randint(1, 3)):
        roll = rng.random()
        if roll < 0.3:
            turns.append(_knowledge(rng))
        elif roll < 0.45:
            turns += _joke_turns(rng)
        elif roll < 0.55:
            turns += _riddle_turns(rng)
        else:
            turns.append(_row_turn(rng.choice([tables.IDENTITY, tables.ABILITIES, tables.OPINIONS, tables.COMPLIMENTS, tables.UNKNOWN]), rng))
    return turns + _closing(rng) or [_greeting(rng)]


_SWITCHES = ("Now something else: ", "Different question: ", "Let's talk about something else. ", "Ok, new topic. ", "By the way, ", "Oh, and ", "Another question: ", "Now tell me: ", "", "", "")


def _topics(rng: random.Random) -> list[Turn]:
    """Questions that jump from one topic to another."""
    turns = [_knowledge(rng)]
    for _ in range(rng.randint(1, 4)):
        question, answer = _knowledge(rng) if rng.random() < 0.75 else _row_turn(rng.choice([tables.IDENTITY, tables.UNKNOWN, tables.OPINIONS]), rng)
        start = rng.choice(_SWITCHES)
        turns.append((start + (question[0].lower() + question[1:] if start.endswith((", ", "and ")) and question.split()[0] in _QUESTION_WORDS else question), answer))
    return turns


_QUESTION_WORDS = set("What Which How Is Who Where When Why Do Does Can Are Tell Give Name Explain".split())
_REPEAT = ("Can you repeat that?", "Say that again, please.", "Please repeat.", "What did you say?", "Could you say that again?", "repeat that", "Come again?", "Once more, please.")
_SHORTER = ("Shorter, please.", "Can you say that in one sentence?", "Make it shorter.", "too long", "In short?", "Can you say it in fewer words?")
_WHAT_ASKED = ("What did I ask you?", "What was my question?", "What did I just ask?", "Can you repeat my question?")


def _first_sentence(text: str) -> str:
    at = text.find(". ")
    return text[:at + 1] if at > 0 else text


def _repeat(rng: random.Random) -> list[Turn]:
    """Asking for the last answer again, shorter, or for one's own question."""
    made = gen_everyday.training_pair(gen_everyday.any_task(rng), rng) if rng.random() < 0.6 else None
    question, answer = (made.question, made.answer) if made else _knowledge(rng)
    turns = [(question, answer)]
    if rng.random() < 0.3:
        turns.insert(0, _knowledge(rng))
    roll = rng.random()
    if roll < 0.45:
        turns.append((rng.choice(_REPEAT), answer))
    elif roll < 0.75 and _first_sentence(answer) != answer:
        turns.append((rng.choice(_SHORTER), _first_sentence(answer)))
    elif roll < 0.9:
        turns.append((rng.choice(_WHAT_ASKED), f"You asked me: {question}"))
    else:
        turns.append((rng.choice(["Thanks, that was clear.", "ok thanks", "Great, thank you!"]), rng.choice(["You are welcome!", "Glad to help!", "My pleasure."])))
    return turns


_SYLLABLES = "bla zor mip fen gru tal wex dop qui lum nar pog vish kel zib tron mosk jaf orp yul".split()


def _made_up_word(rng: random.Random) -> list[Turn]:
    """Questions about words that do not exist."""
    word = "".join(rng.sample(_SYLLABLES, rng.choice([2, 2, 3])))
    question = rng.choice([f"What is a {word}?", f"What does {word} mean?", f"Define {word}.", f"Tell me about {word}.", f"What is the capital of {cap(word)}?", f"Who is {cap(word)}?", f"Where is {cap(word)}?", f"Is a {word} a bird?"])
    shown = cap(word) if cap(word) in question else word
    return [(question, rng.choice([f'I don\'t know the word "{shown}".', f'I am not sure what "{shown}" is. Can you tell me more?', f'I have never seen "{shown}". What do you mean by it?']))]


def _choose(rng: random.Random) -> list[Turn]:
    """The model offers something; the user says yes, no or which."""
    joke, riddle = rng.choice(JOKES), rng.choice(RIDDLES)
    offer = rng.choice([("I am bored.", "We could do a joke, a riddle or a sum. Which would you like?"), ("Surprise me.", "Would you like a joke, a riddle or a sum?"), ("What shall we do?", "I can offer a joke, a riddle or a sum. What do you like?"),
                        ("Entertain me.", "With pleasure! A joke, a riddle or a sum?")])
    kind = rng.randrange(4)
    if kind == 0:
        return [offer, (rng.choice(["a joke", "A joke, please.", "The joke!", "joke"]), f"{joke[0]} {joke[1]}")]
    if kind == 1:
        return [offer, (rng.choice(["a riddle", "A riddle, please.", "The riddle!"]), riddle[0]), (rng.choice(["I give up.", "I don't know."]), f"The answer is {riddle[1]}.")]
    if kind == 2:
        a, b = rng.randint(2, 30), rng.randint(2, 30)
        while gen_arithmetic.shows_held_out_sum(f"{a} + {b} = "):
            a, b = rng.randint(2, 30), rng.randint(2, 30)
        wrong = a + b + rng.choice([-2, -1, 1, 2, 10])
        right = rng.random() < 0.6
        said = a + b if right else wrong
        return [offer, (rng.choice(["a sum", "A sum, please.", "the sum"]), f"What is {a} + {b}?"), (str(said), f"Yes, that is right! {a} + {b} = {a + b}." if right else f"Not quite. {a} + {b} = {a + b}.")]
    return [offer, (rng.choice(["No, thanks.", "none of these", "no"]), "All right. What would you like to talk about instead?")]


_MAKERS: dict[str, Callable[[random.Random], list[Turn]]] = {
    "joke": _joke_turns, "riddle": _riddle_turns, "talk": _talk, "topics": _topics, "repeat": _repeat, "made_up_word": _made_up_word, "choose": _choose,
    "recall_name": lambda rng: _recall_name(rng)[0], "recall_facts": lambda rng: _recall_facts(rng)[0],
}


def _name_key(turns: list[Turn], value: str) -> str:
    return f"recall:{value}:{turns[-1][0]}"


def sample(task: str, rng: random.Random) -> Doc:
    """One training conversation."""
    if task in ("recall_name", "recall_facts"):
        while True:
            turns, value = _recall_name(rng) if task == "recall_name" else _recall_facts(rng)
            if not held_out(_name_key(turns, value)):
                return chat(task, turns)
    if task == "made_up_word":
        turns = _made_up_word(rng)
        while held_out("made-up:" + turns[0][0]):
            turns = _made_up_word(rng)
        return chat(task, turns)
    if task in _MAKERS:
        return chat(task, [(user_noise(rng, q, 0.15, typos=False), a) for q, a in _MAKERS[task](rng)])
    turns = [_row_turn(_TABLES[task], rng)]
    if task == "greet" and rng.random() < 0.4:
        turns = [_row_turn(tables.HOW_ARE_YOU, rng)]
    while len(turns) < 4 and rng.random() < 0.35:
        turns.append(_row_turn(_TABLES[task] if rng.random() < 0.5 else rng.choice(list(_TABLES.values())), rng))
    if rng.random() < 0.2:
        turns += _closing(rng)
    return chat(task, [(user_noise(rng, q, 0.35), a) for q, a in turns])


_ACCEPT: dict[str, list[str]] = {
    "identity": [], "unknown": ["don't know", "not sure", "can't", "cannot", "nobody", "not told", "haven't told", "too hard", "what do you", "don't want to guess", "no internet", "need more", "people believe", "answer"],
    "refuse": ["can't", "won't", "no,", "rather", "sorry", "please", "not", "honesty"],
}


def eval_cases(task: str) -> list[Doc]:
    """Held-out wordings of the tables, and held-out names with held-out questions over three turns."""
    rng = random.Random(f"eval:{task}")
    if task in ("recall_name", "recall_facts"):
        cases: list[Doc] = []
        while len(cases) < 200:
            turns, value = _recall_name(rng, 2) if task == "recall_name" else _recall_facts(rng)
            if held_out(_name_key(turns, value)) and "not told me" not in turns[-1][1]:
                cases.append(eval_case(task, turns[-1][0], [value.lower()], before=turns[:-1]))
        return cases
    if task == "made_up_word":
        asked = sorted({_made_up_word(rng)[0][0] for _ in range(800)})
        return [eval_case(task, question, ["don't know", "not sure", "never seen"]) for question in asked if held_out("made-up:" + question)]
    if task not in _ACCEPT:
        return []
    return [eval_case(task, user, _ACCEPT[task] or [a.lower()[:24] for a in answers] + _identity_words(answers))
            for users, answers in _TABLES[task] for user in users if _wording_held_out(users, user)]


def _identity_words(answers: list[str]) -> list[str]:
    """Words that all answers of a row share, so that any good wording counts."""
    shared = set.intersection(*({w.strip(".,!?") for w in a.lower().split()} for a in answers))
    return sorted(word for word in shared if len(word) > 4)
