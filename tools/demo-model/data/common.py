"""What every generator shares: documents, hold-out, names with pronouns, word forms, and noise in user turns.

A generator `gen_<name>.py` beside this file does `from common import ...` and exposes
  TASKS: dict[str, float]                     task -> relative weight inside the module
  sample(task, rng) -> dict                   one training document, never a held-out one
  eval_cases(task) -> list[dict]              held-out cases, the same list on every call
The file must be imported with this folder on `sys.path`; running `mix.py` or any generator as a script does that.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from held_out import draw_key, held_out

__all__ = [
    "ANIMALS",
    "Doc",
    "MAX_TOKENS",
    "OBJECTS",
    "PEOPLE",
    "PLACES",
    "Person",
    "a_or_an",
    "cap",
    "chat",
    "distinct",
    "draw_key",
    "eval_case",
    "eval_rng",
    "fits",
    "held_out",
    "join_and",
    "number_words",
    "ordinal",
    "ordinal_words",
    "people",
    "plain",
    "plural",
    "say",
    "tokens_upper_estimate",
    "user_noise",
    "with_article",
]

Doc = dict[str, Any]

MAX_TOKENS = 900


# Documents -----------------------------------------------------------------------------------------------------------


def chat(task: str, turns: Iterable[tuple[str, str]], system: str | None = None) -> Doc:
    """A conversation from (user, assistant) pairs."""
    messages = [{"role": "system", "content": system}] if system else []
    for user, assistant in turns:
        messages.append({"role": "user", "content": user})
        messages.append({"role": "assistant", "content": assistant})
    return {"task": task, "messages": messages}


def plain(task: str, text: str) -> Doc:
    """A document that is just text."""
    return {"task": task, "text": text}


def eval_case(
    task: str,
    question: str,
    accept: Sequence[str] = (),
    exact: str | None = None,
    before: Iterable[tuple[str, str]] = (),
    system: str | None = None,
) -> Doc:
    """A held-out case: turns `before`, then `question`; the answer must contain one of `accept`, or equal `exact`.

    A module may add to a case "require": [strings that must all be in the answer], and "open": True where training may
    have the same request, because many answers are right (a story about a fox).
    """
    case = chat(task, before, system)
    case["messages"].append({"role": "user", "content": question})
    if exact is not None:
        case["exact"] = exact
    else:
        case["accept"] = list(accept)
    return case


def eval_rng(task: str) -> random.Random:
    """The generator of random numbers for a task's evaluation cases (seeding by text is stable)."""
    return random.Random("eval:" + task)


_PIECE = re.compile(r"[A-Za-z]+|[0-9]|[^\sA-Za-z0-9]")


def tokens_upper_estimate(doc: Doc) -> int:
    """A cautious guess of the tokens of a document: a piece per word of up to 6 letters, digit or mark."""
    texts = [doc["text"]] if "text" in doc else [message["content"] for message in doc["messages"]]
    count = 5 * len(texts)
    for text in texts:
        count += sum(1 + (len(piece) - 1) // 6 for piece in _PIECE.findall(text)) + text.count("\n")
    return count


def fits(doc: Doc) -> bool:
    """A quick bound first: 900 tokens are never fewer than 900 characters."""
    length = len(doc["text"]) if "text" in doc else sum(len(m["content"]) for m in doc["messages"])
    return length < MAX_TOKENS or tokens_upper_estimate(doc) <= MAX_TOKENS


# Choosing and wording ------------------------------------------------------------------------------------------------


def say(rng: random.Random, wordings: Sequence[str], **slots: Any) -> str:
    """One of the wordings, with `{slot}` filled in."""
    text = rng.choice(wordings)
    return text.format(**slots) if slots else text


def distinct(rng: random.Random, items: Sequence[Any], count: int) -> list[Any]:
    """`count` different items in random order."""
    return rng.sample(list(items), count)


def cap(text: str) -> str:
    """The text with its first letter as a capital; quotes before it are skipped."""
    for at, letter in enumerate(text):
        if letter.isalpha():
            return text[:at] + letter.upper() + text[at + 1 :]
        if letter.isdigit():
            break
    return text


_AN_EXCEPTIONS = ("hour", "honest", "heir", "honor", "honour")
_A_EXCEPTIONS = ("uni", "use", "usu", "euro", "one", "once", "ukul", "ute", "ewe")


def a_or_an(phrase: str) -> str:
    """The article that goes before `phrase` (by sound: an hour, a unicorn)."""
    word = phrase.lower()
    if word.startswith(_AN_EXCEPTIONS):
        return "an"
    if word.startswith(_A_EXCEPTIONS) and not word.startswith(("unin", "unim", "unus", "unie")):
        return "a"
    if word[:1].isdigit():
        return "an" if re.match(r"8|1[18](?!\d)", word) else "a"
    return "an" if word[:1] in "aeiou" else "a"


def with_article(phrase: str) -> str:
    """a fox, an owl, an old map"""
    return f"{a_or_an(phrase)} {phrase}"


_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "mouse": "mice",
    "goose": "geese",
    "foot": "feet",
    "tooth": "teeth",
    "sheep": "sheep",
    "fish": "fish",
    "deer": "deer",
    "leaf": "leaves",
    "loaf": "loaves",
    "wolf": "wolves",
    "shelf": "shelves",
    "knife": "knives",
    "life": "lives",
    "half": "halves",
    "scarf": "scarves",
    "calf": "calves",
    "elf": "elves",
    "thief": "thieves",
    "wife": "wives",
    "ox": "oxen",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "hero": "heroes",
    "echo": "echoes",
    "mango": "mangoes",
    "scissors": "scissors",
    "trousers": "trousers",
    "series": "series",
    "species": "species",
    "moose": "moose",
}


def plural(noun: str) -> str:
    """The plural of a noun; of a phrase, its last word changes ("red box" -> "red boxes")."""
    head, _, last = noun.rpartition(" ")
    if head:
        return f"{head} {plural(last)}"
    if last in _IRREGULAR:
        return _IRREGULAR[last]
    if re.search(r"(s|x|z|ch|sh)$", last):
        return last + "es"
    if re.search(r"[^aeiou]y$", last):
        return last[:-1] + "ies"
    return last + "s"


def join_and(items: Sequence[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c" """
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + f" {word} " + items[-1]


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def number_words(number: int) -> str:
    """0 to 999,999 in words, and with "minus" before it below zero."""
    if number < 0:
        return "minus " + number_words(-number)
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f" and {number_words(number % 100)}" if number % 100 else ""
        return f"{_ONES[number // 100]} hundred{rest}"
    if number >= 1_000_000:
        raise ValueError(f"number_words only goes to 999,999, not {number}")
    below = number % 1000
    rest = (" and " if below < 100 else " ") + number_words(below) if below else ""
    return f"{number_words(number // 1000)} thousand{rest}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th"""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


_ORDINAL_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def ordinal_words(number: int) -> str:
    """first, second, twenty-first"""
    words = number_words(number)
    at = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[at:]
    if last in _ORDINAL_IRREGULAR:
        return words[:at] + _ORDINAL_IRREGULAR[last]
    return words[:-1] + "ieth" if last.endswith("y") else words + "th"


# People and things ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """A name with its pronouns: `they` is she/he, `them` her/him, `their` her/his, `self` herself/himself."""

    name: str
    they: str
    them: str
    their: str
    self: str
    child: str

    @staticmethod
    def girl(name: str) -> "Person":
        return Person(name, "she", "her", "her", "herself", "girl")

    @staticmethod
    def boy(name: str) -> "Person":
        return Person(name, "he", "him", "his", "himself", "boy")


_GIRLS = """
Ada Alba Alice Amara Amina Amy Anna Aria Asha Astrid Aurora Ava Bea Bella Beth Carla Carmen Cara Chloe Clara Daisy Dalia
Dana Diana Dora Elena Eliza Ella Elsa Emily Emma Esme Esther Eva Faith Fatima Fiona Flora Freya Gina Gloria Grace Greta
Hana Hannah Harriet Hazel Heidi Helen Ida Ines Ingrid Iris Isla Ivy Jade Jane Jasmine Jenny Jill Joan Josie Joy Julia
Kate Keiko Kira Lara Laura Layla Leah Leila Lena Lily Lina Linda Lola Lucy Luna Lydia Mabel Maggie Mara Maria Marta
Mary Maya Mei Mia Mila Molly Mona Nadia Nell Nina Nora Olga Olive Olivia Paula Pearl Penny Petra Pia Poppy Priya Rachel
Rita Rosa Rose Rosie Ruby Ruth Sadie Salma Sara Selma Sofia Sonia Stella Sue Suki Tara Tess Thea Tilda Tina Uma Vera
Violet Wendy Willa Yara Yuki Zara Zelda Zoe
""".split()

_BOYS = """
Aaron Abel Adam Ahmed Alan Alec Alfie Ali Amir Andy Anton Arlo Arthur Axel Ben Bilal Billy Bob Bruno Caleb Carl Carlos
Chen Colin Cyrus Dan Daniel Darius David Dev Dylan Eddie Elias Emil Enzo Eric Ethan Evan Felix Finn Frank Fred Gabriel
George Gil Hamid Harry Hassan Henry Hugo Ian Ibrahim Idris Igor Isaac Ivan Jack Jacob Jake James Jamal Jan Jay Jim Joe
Joel John Jonah Jose Josh Juan Julian Karim Kenji Kevin Kofi Lars Leo Leon Levi Liam Louis Luca Lucas Luis Luke Malik
Marco Mark Martin Mateo Matt Max Miguel Milo Musa Nathan Ned Nico Nils Noah Oliver Omar Oscar Otto Owen Pablo Paul Pedro
Peter Philip Quinn Rafael Raj Ralph Ravi Ray Remy Robin Roman Rory Ryan Sami Samuel Sean Simon Stefan Steve Tariq Ted
Theo Tim Toby Tom Tomas Tony Umar Victor Vincent Walter Will Yusuf Zack
""".split()

PEOPLE: list[Person] = [Person.girl(name) for name in _GIRLS] + [Person.boy(name) for name in _BOYS]


def people(rng: random.Random, count: int) -> list[Person]:
    """`count` people with different names."""
    return rng.sample(PEOPLE, count)


ANIMALS = """
ant badger bat bear beaver bee bird butterfly camel cat chicken cow crab crow deer dog dolphin donkey duck
eagle elephant fish fox frog giraffe goat goose hare hedgehog hen hippo horse kangaroo kitten koala ladybird
lamb lion lizard mole monkey moose mouse otter owl panda parrot peacock penguin pig pony puppy rabbit raccoon
rat robin seal sheep snail sparrow spider squirrel swan tiger toad turtle walrus whale wolf worm zebra
""".split()

PLACES = (
    """
the attic, the bakery, the barn, the beach, the bridge, the bus stop, the castle, the cave, the cellar,
the farm, the field, the forest, the garden, the harbour, the hill, the kitchen, the lake, the library,
the lighthouse, the market, the meadow, the mill, the mountain, the museum, the orchard, the park, the pond,
the playground, the river, the school, the shop, the square, the stable, the station, the theatre, the village,
the well, the woods, the workshop, the zoo
""".replace("\n", " ")
    .strip()
    .split(", ")
)

OBJECTS = (
    """
apple, bag, ball, basket, bell, blanket, boat, book, bottle, bowl, box, brush, bucket, button, cake, candle,
cap, chair, clock, coat, coin, cup, doll, drum, fan, feather, flag, flower, flute, glove, hammer, hat, jar,
key, kite, ladder, lamp, lantern, map, marble, mirror, necklace, notebook, paintbrush, pan, pebble, pen,
pencil, pillow, plate, puppet, puzzle, ribbon, ring, rope, scarf, shell, shoe, sock, spoon, stamp, stone,
sweater, teapot, tent, torch, toy car, train, trumpet, umbrella, vase, violin, whistle
""".replace("\n", " ")
    .strip()
    .split(", ")
)


# Noise in user turns -------------------------------------------------------------------------------------------------

_POLITE_BEFORE = ("Please ", "Can you please ", "Could you ", "Could you please ", "Can you ", "Would you ")
_IMPERATIVES = (
    "tell",
    "give",
    "write",
    "explain",
    "name",
    "list",
    "make",
    "spell",
    "count",
    "show",
    "help",
    "say",
    "describe",
    "find",
    "add",
    "compare",
    "calculate",
    "translate",
    "sort",
    "finish",
    "complete",
    "define",
)
_MAY_END_POLITELY = _IMPERATIVES + ("what", "can", "could", "may", "which")
_HELLO_BEFORE = ("Hi, ", "Hello! ", "Hey, ", "Ok, ", "Okay, ", "So, ", "Well, ", "Hi! ")
_NEIGHBOURS = {
    "a": "s",
    "b": "v",
    "c": "x",
    "d": "f",
    "e": "r",
    "f": "g",
    "g": "h",
    "h": "j",
    "i": "o",
    "j": "k",
    "k": "l",
    "l": "k",
    "m": "n",
    "n": "b",
    "o": "p",
    "p": "o",
    "q": "w",
    "r": "t",
    "s": "d",
    "t": "y",
    "u": "i",
    "v": "b",
    "w": "e",
    "x": "c",
    "y": "u",
    "z": "x",
}


def _typo(rng: random.Random, text: str, keep: Sequence[str]) -> str:
    """One slip in one lower-case word of five letters or more: two letters swapped, one lost, doubled or beside it."""
    words = [m for m in re.finditer(r"\b[a-z]{5,}\b", text) if m.group() not in keep]
    if not words:
        return text
    match = rng.choice(words)
    word, at = match.group(), rng.randrange(1, len(match.group()) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif kind == 1:
        word = word[:at] + word[at + 1 :]
    elif kind == 2:
        word = word[:at] + word[at] + word[at:]
    else:
        word = word[:at] + _NEIGHBOURS[word[at]] + word[at + 1 :]
    return text[: match.start()] + word + text[match.end() :]


def user_noise(rng: random.Random, text: str, rate: float = 0.3, keep: Sequence[str] = (), typos: bool = True) -> str:
    """A user's way of writing `text`: with probability `rate`, some of: a polite or chatty start, a slip of the fingers
    (never inside the lower-case words of `keep`), lower case, no full stop or question mark at the end.

    Use it for questions whose answer doesn't depend on spelling or case; otherwise name the words in `keep` or pass
    `typos=False`.
    """
    if rng.random() >= rate:
        return text
    first = text.split(" ", 1)[0].lower()
    roll = rng.random()
    if roll < 0.25:
        if first in _IMPERATIVES:
            before = rng.choice(_POLITE_BEFORE)
            text = before + text[0].lower() + text[1:]
            if not before.startswith("Please") and text.endswith("."):
                text = text[:-1] + "?"
        elif text[:2] not in ("I ", "I'") and first in (
            "what",
            "who",
            "where",
            "when",
            "why",
            "how",
            "is",
            "are",
            "do",
            "does",
            "can",
            "which",
            "did",
        ):
            text = rng.choice(_HELLO_BEFORE) + text[0].lower() + text[1:]
    elif roll < 0.35 and text[-1:] in ".?" and first in _MAY_END_POLITELY:
        text = text[:-1] + ", please" + text[-1]
    roll = rng.random()
    if typos and roll < 0.3:
        text = _typo(rng, text, [word.lower() for word in keep])
    if roll > 0.5:
        text = text.lower()
    if rng.random() < 0.45 and text[-1:] in ".?!":
        text = text[:-1]
    return text
