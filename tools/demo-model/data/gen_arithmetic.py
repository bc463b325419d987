"""Numbers: sums, comparison, counting, sequences, word problems, days, months and times.

Answers always have the same short shape ("27 + 48 = 75."), while the questions are
worded in many ways, so that the model learns the facts and not a phrase. One-digit facts
are all seen in training and tested with held-out wordings; two-digit sums are tested with
held-out pairs of numbers.
"""
from __future__ import annotations

import random
import re

from calendar_pairs import clock_pair, month_pair, weekday_pair
from common import held_out
from numbers_text import NAMES, QUESTION_FORMS, THINGS, number_word
from qa_docs import Pair, conversation, eval_case

TASKS: dict[str, float] = {
    "add1": 2.0, "sub1": 2.0, "mul1": 2.5, "add2": 6.0, "sub2": 6.0, "mul2": 4.0, "div": 2.0,
    "mul22": 0.7, "add3": 0.8, "compare": 2.0, "count": 1.2, "number_words": 1.5, "sequence": 1.5,
    "word_problem": 4.0, "parity": 0.8, "double_half": 1.0, "weekday": 1.5, "month": 1.5, "clock": 1.5,
}

SIGN = {"add": "+", "sub": "-", "mul": "×", "div": "÷"}


def _result(op: str, a: int, b: int) -> int:
    return {"add": a + b, "sub": a - b, "mul": a * b, "div": a // b if b else 0}[op]


def _equation(op: str, a: int, b: int) -> str:
    return f"{a} {SIGN[op]} {b} = {_result(op, a, b)}."


def _worked_product(a: int, b: int) -> str:
    """Long multiplication in words: the tens, the ones, then their sum."""
    if b < 10 <= a:
        tens, ones = a - a % 10, a % 10
        if ones == 0:
            return _equation("mul", a, b)
        return f"{tens} × {b} = {tens * b} and {ones} × {b} = {ones * b}, so {a} × {b} = {a * b}."
    if a < 10 <= b:
        tens, ones = b - b % 10, b % 10
        if ones == 0:
            return _equation("mul", a, b)
        return f"{a} × {tens} = {a * tens} and {a} × {ones} = {a * ones}, so {a} × {b} = {a * b}."
    tens, ones = b - b % 10, b % 10
    if ones == 0:
        return _equation("mul", a, b)
    return f"{a} × {tens} = {a * tens} and {a} × {ones} = {a * ones}, so {a} × {b} = {a * b}."


def _operands(task: str, rng: random.Random) -> tuple[str, int, int]:
    """The operation and its two numbers for a task named like "add2"."""
    op, size = task[:3], task[3:]
    if task == "div":
        b = rng.randint(1, 12)
        return "div", b * rng.randint(0 if rng.random() < 0.05 else 1, 12), b
    if size == "1":
        a, b = rng.randint(0, 10), rng.randint(0, 10)
        if op == "mul" and rng.random() < 0.25:
            a, b = rng.randint(0, 12), rng.randint(0, 12)
        if op == "sub" and a < b and rng.random() < 0.8:
            a, b = b, a
        return op, a, b
    if size == "22":
        return op, rng.randint(11, 99), rng.randint(11, 99)
    if size == "3":
        return rng.choice(["add", "sub"]), *sorted((rng.randint(1, 999), rng.randint(100, 999)), reverse=True)
    a, b = rng.randint(10, 99), rng.randint(10, 99)
    if max(a, b) <= 12 or a <= 12 and op == "mul":
        return _operands(task, rng)
    if op == "mul":
        b = rng.randint(2, 9)
        return ("mul", b, a) if rng.random() < 0.4 else ("mul", a, b)
    if rng.random() < 0.2:
        a, b = max(a, 11), rng.randint(1, 9)
        if op == "add" and rng.random() < 0.4:
            a, b = b, a
    if op == "sub" and a < b:
        a, b = b, a
    return op, a, b


def _sum_key(task: str, op: str, a: int, b: int, form: int) -> str:
    """What decides whether a sum is held out: the wording for one digit, the pair for two."""
    if task in ("add1", "sub1", "mul1", "div"):
        return f"sum-wording:{op}:{a}:{b}:{form}"
    low, high = (min(a, b), max(a, b)) if op in ("add", "mul") else (a, b)
    return f"sum-pair:{op}:{low}:{high}"


def _sum_pair(task: str, rng: random.Random) -> Pair:
    op, a, b = _operands(task, rng)
    forms = QUESTION_FORMS[op]
    form = rng.randrange(len(forms)) if rng.random() < 0.75 else 0
    answer = _worked_product(a, b) if task in ("mul2", "mul22") else _equation(op, a, b)
    if task == "div" and a and rng.random() < 0.15:
        answer = f"{_equation('div', a, b)[:-1]}, because {b} × {a // b} = {a}."
    question = forms[form]
    words = "{a_word}" in question
    if words and max(a, b) > 99:
        form, question = 0, forms[0]
    question = question.format(a=a, b=b, a_word=number_word(a), b_word=number_word(b))
    return Pair(question, answer, _sum_key(task, op, a, b, form), (f"= {_result(op, a, b)}.", f"= {_result(op, a, b)},"),
                typos=not words)


def _compare(rng: random.Random) -> Pair:
    top = rng.choice([10, 20, 100, 100, 100, 1000])
    a, b = rng.sample(range(0, top), 2)
    low, high = min(a, b), max(a, b)
    key = f"compare:{low}:{high}"
    kind = rng.randrange(7)
    if kind == 0:
        word = rng.choice(["bigger", "larger", "greater", "more"])
        ask = rng.choice([f"Which is {word}, {a} or {b}?", f"What is {word}, {a} or {b}?",
                          f"Which number is {word}: {a} or {b}?", f"{a} or {b}, which is {word}?"])
        return Pair(ask, f"{high} is {word} than {low}.", key, (f"{high} is",))
    if kind == 1:
        word = rng.choice(["smaller", "less", "lower"])
        ask = rng.choice([f"Which is {word}, {a} or {b}?", f"Which number is {word}, {a} or {b}?",
                          f"{a} or {b}, which is {word}?"])
        return Pair(ask, f"{low} is {word} than {high}.", key, (f"{low} is",))
    if kind == 2:
        word = rng.choice(["bigger", "greater", "more", "larger"])
        yes = "Yes" if a > b else "No"
        return Pair(f"Is {a} {word} than {b}?", f"{yes}, {high} is {word} than {low}.", key, (yes + ",",))
    if kind == 3:
        word = rng.choice(["smaller", "less"])
        yes = "Yes" if a < b else "No"
        return Pair(f"Is {a} {word} than {b}?", f"{yes}, {low} is {word} than {high}.", key, (yes + ",",))
    three = rng.sample(range(0, top), 3)
    key = "compare3:" + ":".join(map(str, sorted(three)))
    listed = f"{three[0]}, {three[1]} {rng.choice(['or', 'and'])} {three[2]}"
    if kind == 4:
        return Pair(rng.choice([f"Which is the biggest: {listed}?", f"What is the largest number of {listed}?",
                                f"Find the biggest number: {listed}."]),
                    f"The biggest number is {max(three)}.", key, (f"is {max(three)}.",))
    if kind == 5:
        return Pair(rng.choice([f"Which is the smallest: {listed}?", f"What is the smallest number of {listed}?",
                                f"Find the smallest number: {listed}."]),
                    f"The smallest number is {min(three)}.", key, (f"is {min(three)}.",))
    up = rng.random() < 0.7
    order = sorted(three, reverse=not up)
    how = "from small to big" if up else "from big to small"
    return Pair(rng.choice([f"Put these numbers in order {how}: {listed}.", f"Sort {listed} {how}."]),
                f"In order {how}: {order[0]}, {order[1]}, {order[2]}.", key + str(up),
                (f"{order[0]}, {order[1]}, {order[2]}",))


def _count(rng: random.Random) -> Pair:
    kind = rng.randrange(6)
    start = rng.randint(0, 60)
    length = rng.randint(4, 11)
    if kind == 0:
        start = rng.choice([1, 1, start])
        end = start + length - 1
        numbers = list(range(start, end + 1))
        ask = [f"Count from {start} to {end}.", f"Please count from {start} up to {end}.", f"Can you count from {start} to {end}?"]
        if start == 1:
            ask += [f"Count to {end}.", f"Can you count to {end}?"]
    elif kind == 1:
        end = start if rng.random() < 0.5 else rng.choice([0, 1])
        first = end + length - 1
        numbers = list(range(first, end - 1, -1))
        ask = [f"Count backwards from {first} to {end}.", f"Count down from {first} to {end}.", f"Can you count down from {first} to {end}?"]
    elif kind in (2, 3):
        step = rng.choice([2, 2, 3, 5, 5, 10, 10])
        start = step * rng.randint(0, 9)
        numbers = [start + step * i for i in range(length)]
        ask = [f"Count by {step}s from {start} to {numbers[-1]}.", f"Count in {number_word(step)}s from {start} to {numbers[-1]}.",
               f"Skip count by {step} from {start} to {numbers[-1]}."]
    else:
        n = rng.randint(1, 12)
        one, many = rng.choice(THINGS)
        row = ", ".join([one] * n)
        return Pair(rng.choice([f"How many {many} are there: {row}?", f"Count the {many}: {row}."]),
                    f"There {'is' if n == 1 else 'are'} {n} {one if n == 1 else many}.", f"count-things:{one}:{n}", (f" {n} ",))
    text = ", ".join(map(str, numbers))
    return Pair(rng.choice(ask), text + ".", f"count:{text}", (text,))


def _number_words(rng: random.Random) -> Pair:
    n = rng.choice([rng.randint(0, 20), rng.randint(0, 99), rng.randint(0, 99), rng.randint(100, 1000)])
    word = number_word(n)
    kind = rng.randrange(5)
    if kind < 2:
        ask = rng.choice([f"Write {n} in words.", f"How do you write {n} in words?", f"Spell the number {n}.", f"How do you say {n}?"])
        return Pair(ask, f"{n} in words is {word}.", f"words-of:{n}" if n > 20 else "", (f" is {word}.",))
    if kind < 4:
        ask = rng.choice([f"Write {word} as a number.", f"How do you write {word} in digits?", f"What number is {word}?", f"Write {word} in figures."])
        return Pair(ask, f"{word[0].upper() + word[1:]} is {n}.", f"number-of:{n}" if n > 20 else "", (f" is {n}.",), typos=False)
    n = rng.randint(10, 99)
    if rng.random() < 0.5:
        return Pair(rng.choice([f"How many tens and ones are in {n}?", f"What are the tens and ones of {n}?"]),
                    f"{n} has {n // 10} ten{'s' * (n > 19)} and {n % 10} one{'s' * (n % 10 != 1)}.", f"tens:{n}",
                    (f"has {n // 10} ten",))
    near = (n + 5) // 10 * 10
    return Pair(rng.choice([f"Round {n} to the nearest ten.", f"What is {n} to the nearest 10?"]),
                f"{n} to the nearest ten is {near}.", f"round:{n}", (f"is {near}.",))


def _sequence(rng: random.Random) -> Pair:
    kind = rng.randrange(5)
    if kind == 0:
        n = rng.choice([rng.randint(0, 99), rng.randint(0, 999)])
        if rng.random() < 0.5:
            return Pair(rng.choice([f"What number comes after {n}?", f"What comes after {n}?", f"Which number is one more than {n}?"]),
                        f"{n + 1} comes after {n}.", f"after:{n}", (f"{n + 1} comes",))
        return Pair(rng.choice([f"What number comes before {n + 1}?", f"What comes before {n + 1}?", f"Which number is one less than {n + 1}?"]),
                    f"{n} comes before {n + 1}.", f"before:{n}", (f"{n} comes",))
    if kind == 1:
        n = rng.randint(0, 98)
        return Pair(rng.choice([f"What number is between {n} and {n + 2}?", f"Which number comes between {n} and {n + 2}?"]),
                    f"{n + 1} is between {n} and {n + 2}.", f"between:{n}", (f"{n + 1} is",))
    if kind == 2:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        i = rng.randrange(25)
        if rng.random() < 0.6:
            return Pair(rng.choice([f"What letter comes after {letters[i]}?", f"Which letter comes after {letters[i]} in the alphabet?"]),
                        f"{letters[i + 1]} comes after {letters[i]}.", "", (f"{letters[i + 1]} comes",))
        return Pair(rng.choice([f"What letter comes before {letters[i + 1]}?", f"Which letter is before {letters[i + 1]} in the alphabet?"]),
                    f"{letters[i]} comes before {letters[i + 1]}.", "", (f"{letters[i]} comes",))
    step = rng.choice([1, 2, 2, 3, 4, 5, 5, 6, 10, 10, -1, -2, -5, -10])
    start = rng.randint(1, 30) if step > 0 else rng.randint(4, 8) * abs(step) + rng.randint(0, 9)
    if kind == 3 and rng.random() < 0.3:
        run = [2 ** i * rng.choice([1, 1, 3, 5]) for i in range(1)]
        run = [run[0] * 2 ** i for i in range(rng.randint(4, 5))]
        step_text = "Each number is double the one before"
    else:
        run = [start + step * i for i in range(5)]
        step_text = f"Each number is {abs(step)} {'more' if step > 0 else 'less'} than the one before"
    shown, following = run[:-1], run[-1]
    row = ", ".join(map(str, shown))
    ask = rng.choice([f"What comes next: {row}?", f"Continue the sequence: {row}", f"What is the next number: {row}, ...?", f"{row}, what comes next?"])
    return Pair(ask, f"{step_text}, so the next number is {following}.", f"sequence:{row}", (f"is {following}.",))


def _word_problem(rng: random.Random) -> Pair:
    name, other = rng.sample(NAMES, 2)
    one, many = rng.choice(THINGS)
    top = rng.choice([10, 10, 20, 50])
    kind = rng.randrange(9)
    a, b = rng.randint(2, top), rng.randint(1, top)
    say = lambda n: f"{n} {one if n == 1 else many}"
    if kind in (0, 1):
        ask = rng.choice([
            f"{name} has {say(a)}. {other} gives {name} {b} more. How many {many} does {name} have now?",
            f"{name} has {say(a)} and finds {b} more. How many {many} does {name} have?",
            f"There are {say(a)} on the table. {name} puts {b} more there. How many {many} are on the table?",
            f"{name} has {say(a)} and {other} has {say(b)}. How many {many} do they have together?"])
        answer = f"{a} + {b} = {a + b}, so the answer is {say(a + b)}."
        result = a + b
    elif kind in (2, 3, 4):
        a, b = a + b, b
        ask = rng.choice([
            f"{name} has {say(a)} and gives {b} to {other}. How many {many} are left?",
            f"There were {say(a)} in the box. {name} took {b}. How many {many} are still in the box?",
            f"{name} had {say(a)} but lost {b}. How many {many} does {name} have now?",
            f"{name} has {say(a)} and {other} has {say(b)}. How many more {many} does {name} have than {other}?"])
        answer = f"{a} - {b} = {a - b}, so the answer is {say(a - b)}."
        result = a - b
    elif kind in (5, 6):
        a, b = rng.randint(2, 10), rng.randint(2, 10)
        holder = rng.choice(["boxes", "bags", "baskets", "jars"])
        ask = rng.choice([
            f"{name} has {a} {holder} with {say(b)} in each. How many {many} are there in all?",
            f"There are {a} {holder}. Each one holds {say(b)}. How many {many} are there altogether?",
            f"{a} children each have {say(b)}. How many {many} do they have in all?"])
        answer = f"{a} × {b} = {a * b}, so the answer is {say(a * b)}."
        result = a * b
    elif kind == 7:
        b, each = rng.randint(2, 10), rng.randint(1, 10)
        a, result = b * each, each
        ask = rng.choice([
            f"{name} shares {say(a)} equally among {b} friends. How many {many} does each friend get?",
            f"{say(a)} are put into {b} bags, the same number in each. How many {many} are in each bag?"])
        answer = f"{a} ÷ {b} = {each}, so the answer is {say(each)}."
    else:
        price, count = rng.randint(1, 9), rng.randint(2, 9)
        result = price * count
        if rng.random() < 0.5:
            ask = f"One {one} costs {price} dollar{'s' * (price > 1)}. How much do {say(count)} cost?"
            answer = f"{count} × {price} = {result}, so the answer is {result} dollars."
        else:
            price, paid = rng.randint(1, 19), rng.choice([20, 20, 50])
            result = paid - price
            ask = f"{name} buys a toy for {price} dollar{'s' * (price > 1)} and pays with {paid} dollars. How much change does {name} get?"
            answer = f"{paid} - {price} = {result}, so the answer is {result} dollar{'s' * (result > 1)}."
    return Pair(ask, answer, f"problem:{answer}", (f"= {result},",))


def _parity(rng: random.Random) -> Pair:
    n = rng.choice([rng.randint(0, 20), rng.randint(0, 100), rng.randint(0, 1000)])
    kind = rng.randrange(4)
    if kind < 2:
        ask = rng.choice([f"Is {n} even or odd?", f"Is {n} odd or even?", f"Is the number {n} odd or even?"])
        word = "odd" if n % 2 else "even"
        return Pair(ask, f"{n} is {word}, because it ends in {n % 10}.", f"parity:{n}", (f"is {word}",))
    word = rng.choice(["even", "odd"])
    yes = (n % 2 == 0) == (word == "even")
    real = "odd" if n % 2 else "even"
    return Pair(f"Is {n} {'an' if word in ('even', 'odd') else 'a'} {word} number?",
                f"{'Yes' if yes else 'No'}, {n} is {real}, because it ends in {n % 10}.", f"parity:{n}", (f"is {real}",))


def _double_half(rng: random.Random) -> Pair:
    n = rng.choice([rng.randint(1, 20), rng.randint(1, 50)])
    kind = rng.randrange(5)
    if kind < 2:
        return Pair(rng.choice([f"What is double {n}?", f"Double {n}.", f"What is twice {n}?"]), f"Double {n} is {2 * n}.", f"double:{n}", (f" is {2 * n}.",))
    if kind < 4:
        return Pair(rng.choice([f"What is half of {2 * n}?", f"Halve {2 * n}.", f"What is {2 * n} divided in half?"]), f"Half of {2 * n} is {n}.", f"half:{n}", (f" is {n}.",))
    part, of, result = rng.choice([("a quarter", 4 * n, n), ("a third", 3 * n, n), ("10 percent", 10 * n, n), ("50 percent", 2 * n, n), ("a tenth", 10 * n, n)])
    return Pair(f"What is {part} of {of}?", f"{part[0].upper() + part[1:]} of {of} is {result}.", f"part:{part}:{of}", (f" is {result}.",))


_MAKERS = {
    "compare": _compare, "count": _count, "number_words": _number_words, "sequence": _sequence,
    "word_problem": _word_problem, "parity": _parity, "double_half": _double_half,
    "weekday": weekday_pair, "month": month_pair, "clock": clock_pair,
}


def pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer, held out or not."""
    maker = _MAKERS.get(task)
    return maker(rng) if maker else _sum_pair(task, rng)


_EQUATION = re.compile(r"(\d+) ([-+×]) (\d+) = ")
_OP_OF_SIGN = {"+": "add", "-": "sub", "×": "mul"}


def shows_held_out_sum(text: str) -> bool:
    """Whether a text works out a two-digit sum that the evaluation asks for."""
    for first, sign, second in _EQUATION.findall(text):
        a, b = int(first), int(second)
        if max(a, b) > 10:
            op = _OP_OF_SIGN[sign]
            low, high = (a, b) if op == "sub" else (min(a, b), max(a, b))
            if held_out(f"sum-pair:{op}:{low}:{high}"):
                return True
    return False


def training_pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer that is not held out and shows no held-out sum on the way."""
    one_digit = task in ("add1", "sub1", "mul1", "div")
    while True:
        made = pair(task, rng)
        if not (made.key and held_out(made.key)) and (one_digit or not shows_held_out_sum(made.answer)):
            return made


def sample(task: str, rng: random.Random) -> dict:
    """One training conversation of one to five sums, mostly of the given task."""
    pairs = [training_pair(task, rng)]
    while len(pairs) < 5 and rng.random() < 0.55:
        other = task if rng.random() < 0.6 else rng.choices(list(TASKS), list(TASKS.values()))[0]
        pairs.append(training_pair(other, rng))
    return conversation(task, pairs, rng)


def eval_cases(task: str) -> list[dict]:
    """Up to 200 held-out questions of the task."""
    rng = random.Random(f"eval:{task}")
    found: dict[str, Pair] = {}
    for _ in range(6000):
        made = pair(task, rng)
        if made.key and made.accept and held_out(made.key):
            found.setdefault(made.question, made)
        if len(found) == 200:
            break
    return [eval_case(task, made) for made in found.values()]
