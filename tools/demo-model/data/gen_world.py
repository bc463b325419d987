"""Facts of the world: countries, elements, animals, space, measures, jobs, objects, food, the body and more.

Every fact is trained; what is held out is one wording in ten of each fact's questions.
"""
from __future__ import annotations

import random

from common import cap, chat, held_out, join_and, user_noise
from qa_docs import Pair, conversation, eval_case, is_held_out
from world_countries import COMMON, COUNTRIES, Country
from world_facts import RELATIONS, Relation

CAPITAL_FORMS = ("What is the capital of {c}?", "What's the capital of {c}?", "capital of {c}", "Which city is the capital of {c}?",
                 "Tell me the capital of {c}.", "Name the capital of {c}.", "What is the capital city of {c}?", "Do you know the capital of {c}?",
                 "{C} has which capital?", "What city is the capital of {c}?", "I need the capital of {c}.", "{C}: what is the capital?",
                 "Can you tell me the capital of {c}?", "What is {c}'s capital?")
CAPITAL_BACK = ("{t} is the capital of which country?", "Which country has the capital {t}?", "What country is {t} the capital of?",
                "Of which country is {t} the capital?", "In which country is {t}?", "Where is {t}?")
CONTINENT_FORMS = ("On which continent is {c}?", "Which continent is {c} in?", "What continent is {c} on?", "Where is {c}?",
                   "In what part of the world is {c}?", "Tell me where {c} is.", "continent of {c}")
CURRENCY_FORMS = ("What is the currency of {c}?", "What money do people use in {c}?", "Which currency is used in {c}?",
                  "What is the money of {c} called?", "How do people pay in {c}?", "currency of {c}")
LANGUAGE_FORMS = ("What language do people speak in {c}?", "Which language is spoken in {c}?", "What languages do they speak in {c}?",
                  "What is the language of {c}?", "language of {c}", "Which languages are spoken in {c}?")

TASKS: dict[str, float] = {"capital": 9.0, "capital_of": 3.0, "continent": 2.0, "currency": 1.5, "language": 2.0, "capital_check": 1.5,
                           "country_chat": 2.0}
for _relation in RELATIONS:
    TASKS[_relation.task] = TASKS.get(_relation.task, 0.0) + 0.6 + len(_relation.rows) / 30
TASKS["elements"] = 4.0


def _country(rng: random.Random) -> Country:
    return rng.choice(COMMON) if rng.random() < 0.4 else rng.choice(COUNTRIES)


def _bare(name: str) -> str:
    return name[4:] if name.startswith("the ") else name


def _country_pair(task: str, rng: random.Random) -> Pair:
    country = _country(rng)
    name = country.name
    keep = tuple(_bare(name).split())
    forms = {"capital": CAPITAL_FORMS, "capital_of": CAPITAL_BACK, "continent": CONTINENT_FORMS, "currency": CURRENCY_FORMS,
             "language": LANGUAGE_FORMS, "capital_check": ("Is {t} the capital of {c}?", "Is the capital of {c} {t}?")}[task]
    form = rng.randrange(len(forms))
    key = f"world:{task}:{name}:{form}"
    town = country.capital
    if task == "capital_check":
        if rng.random() < 0.5:
            town = _country(rng).capital
        right = town == country.capital
        key = f"world:check:{name}:{town}"
        question = forms[form].format(t=town, c=name)
        answer = f"Yes, {town} is the capital of {name}." if right else f"No, the capital of {name} is {country.capital}."
        return Pair(question, answer, key, ("yes" if right else country.capital,), keep)
    question = forms[form].format(c=name, C=cap(name), t=town)
    if task == "capital":
        return Pair(question, f"The capital of {name} is {town}.", key, (town,), keep)
    if task == "capital_of":
        if town in (name, "Singapore", "Monaco"):
            return Pair(f"What is the capital of {name}?", f"The capital of {name} is {town}.", "", (), keep)
        return Pair(question, f"{town} is the capital of {name}.", key, (_bare(name),), tuple(town.split()))
    if task == "continent":
        where = {"Oceania": "Oceania, in the Pacific"}.get(country.continent, country.continent)
        return Pair(question, f"{cap(name)} is in {where}.", key, (country.continent,), keep)
    if task == "currency":
        return Pair(question, f"The currency of {name} is the {country.currency}.", key, (country.currency,), keep)
    return Pair(question, f"In {name}, people speak {join_and(country.languages)}.", key, (country.languages[0],), keep)


_BY_TASK: dict[str, list[Relation]] = {}
for _relation in RELATIONS:
    _BY_TASK.setdefault(_relation.task, []).append(_relation)
_ROW_WEIGHTS = {task: [len(r.rows) + 3 for r in relations] for task, relations in _BY_TASK.items()}


def _fact_pair(task: str, rng: random.Random) -> Pair:
    relations = _BY_TASK[task]
    at = rng.choices(range(len(relations)), _ROW_WEIGHTS[task])[0]
    relation = relations[at]
    x, y = rng.choice(relation.rows)
    back = bool(relation.back) and rng.random() < 0.35
    forms = relation.back if back else relation.questions
    form = rng.randrange(len(forms))
    slots = {"x": x, "y": y, "X": cap(x), "Y": cap(y)}
    answer = cap((relation.back_answer if back else relation.answer).format(**slots))
    accept = (f" {x}" if back else y,)
    if len(y) < 4 or (back and len(x) < 4):
        accept = (answer,)
    elif y.endswith("."):
        accept = (x,)
    key = f"world:{task}:{relation.answer}:{x}:{back}:{form}" if len(forms) > 3 else ""
    if len(y) > 30:
        key, accept = "", ()
    return Pair(forms[form].format(**slots), answer, key, accept, tuple(x.split()))


def pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer, held out or not."""
    if task == "country_chat":
        return _country_pair(rng.choice(["continent", "language", "currency"]), rng)
    return _fact_pair(task, rng) if task in _BY_TASK else _country_pair(task, rng)


def training_pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer that is not held out."""
    while True:
        made = pair(task, rng)
        if not is_held_out(made):
            return made


def _country_chat(rng: random.Random) -> dict:
    """Several questions about one country; the later ones say "there" or "it"."""
    country = _country(rng)
    name = country.name
    where = {"Oceania": "Oceania, in the Pacific"}.get(country.continent, country.continent)
    languages = join_and(country.languages)
    where_form = CONTINENT_FORMS.index("Where is {c}?")
    openings = [
        (f"Tell me about {name}.", f"{cap(name)} is a country in {where}. Its capital is {country.capital}, and people there speak {languages}."),
        (f"Where is {name}?", f"{cap(name)} is in {where}."),
        (f"I am going to {name} soon.", f"That sounds exciting! {cap(name)} is in {where}. What would you like to know?"),
        (f"I want to learn about {name}.", f"Good idea! {cap(name)} is a country in {where}, and its capital is {country.capital}."),
        (f"I come from {name}.", f"How nice! {cap(name)} is in {where}. Do you want to talk about it?"),
    ]
    if held_out(f"world:continent:{name}:{where_form}"):
        openings = [item for item in openings if not item[0].startswith("Where is")]
    opening = rng.choice(openings)
    follow = [
        (rng.choice(["What is its capital?", "And the capital?", "What is the capital?", "which city is the capital"]), f"The capital of {name} is {country.capital}."),
        (rng.choice(["What language do they speak there?", "Which languages are spoken there?", "What do people speak there?"]), f"In {name}, people speak {languages}."),
        (rng.choice(["What is the currency?", "What money do they use there?", "And the money?", "how do you pay there"]), f"The currency of {name} is the {country.currency}."),
        (rng.choice(["On which continent is it?", "Which continent is that?", "What continent is it on?"]), f"{cap(name)} is in {where}."),
    ]
    turns = [opening] + rng.sample(follow, rng.randint(1, 3))
    if rng.random() < 0.25:
        other = _country(rng)
        turns.append((rng.choice([f"And of {other.name}?", f"What about {other.name}?", f"And {other.name}?"]),
                      f"The capital of {other.name} is {other.capital}.")) if "capital of" in turns[-1][1] else None
    keep = tuple(name.split())
    return chat("country_chat", [(user_noise(rng, q, 0.3, keep), a) for q, a in turns])


def sample(task: str, rng: random.Random) -> dict:
    """One training conversation of one to five questions, mostly of the given task."""
    if task == "country_chat":
        return _country_chat(rng)
    pairs = [training_pair(task, rng)]
    while len(pairs) < 5 and rng.random() < 0.5:
        other = task if rng.random() < 0.6 else rng.choices(list(TASKS), list(TASKS.values()))[0]
        pairs.append(training_pair(other, rng))
    return conversation(task, pairs, rng)


def eval_cases(task: str) -> list[dict]:
    """Up to 200 held-out wordings of trained facts."""
    if task == "country_chat":
        return []
    rng = random.Random(f"eval:{task}")
    found: dict[str, Pair] = {}
    for _ in range(6000):
        made = pair(task, rng)
        if made.accept and is_held_out(made):
            found.setdefault(made.question, made)
        if len(found) == 200:
            break
    return [eval_case(task, made) for made in found.values()]
