"""Passages of invented facts about people, animals, shops, days, places and journeys, with questions on them."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from common import OBJECTS, PEOPLE, Person, cap, join_and, number_words, with_article

_JOBS = (
    "baker",
    "teacher",
    "nurse",
    "farmer",
    "pilot",
    "painter",
    "cook",
    "gardener",
    "doctor",
    "bus driver",
    "carpenter",
    "singer",
    "librarian",
    "fisherman",
    "tailor",
    "builder",
    "dancer",
    "plumber",
    "photographer",
    "writer",
    "shoemaker",
    "waiter",
    "mechanic",
    "vet",
)
_TOWNS = (
    "Greenford",
    "Millbrook",
    "Oakham",
    "Redhill",
    "Stonebridge",
    "Westlake",
    "Fairview",
    "Maple Town",
    "Sandy Bay",
    "Northfield",
    "Birchwood",
    "Hillside",
    "Riverton",
    "Ashby",
    "Brookdale",
    "Clearwater",
    "Elmwood",
    "Fernhill",
    "Goldbeach",
    "Harborview",
    "Ivy Hill",
    "Kingsport",
    "Lakeside",
    "Meadowvale",
)
_COLOURS = ("red", "blue", "green", "yellow", "white", "black", "brown", "orange", "purple", "pink", "grey")
_PETS = ("cat", "dog", "rabbit", "parrot", "hamster", "goldfish", "pony", "turtle", "mouse", "duck", "goat", "hen")
_HOBBIES = (
    "painting",
    "swimming",
    "reading",
    "singing",
    "cooking",
    "dancing",
    "fishing",
    "gardening",
    "running",
    "chess",
    "football",
    "knitting",
    "skating",
    "riding a bicycle",
    "playing the piano",
    "playing the guitar",
    "climbing",
    "taking photos",
    "sewing",
    "baking",
)
_FOODS = (
    "soup",
    "pancakes",
    "rice",
    "apples",
    "pizza",
    "noodles",
    "cheese",
    "honey",
    "strawberries",
    "bread with butter",
    "carrots",
    "potatoes",
    "cherries",
    "chocolate",
    "fish",
    "salad",
    "eggs",
    "grapes",
    "beans",
    "mushrooms",
    "nuts",
    "plums",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEATHER = ("sunny", "rainy", "windy", "cold", "foggy", "snowy", "warm", "stormy")
_VEHICLES = ("train", "bus", "boat", "car", "bicycle", "plane", "tram", "ship")
_SHOPS = (
    ("bakery", ("bread", "rolls", "cakes", "cookies", "pies")),
    ("flower shop", ("roses", "tulips", "lilies", "daisies", "sunflowers")),
    ("toy shop", ("dolls", "puzzles", "kites", "balls", "toy cars")),
    ("book shop", ("books", "maps", "cards", "pens", "calendars")),
    ("fruit shop", ("apples", "pears", "plums", "grapes", "lemons")),
    ("pet shop", ("birds", "fish", "rabbits", "hamsters", "cages")),
    ("tea shop", ("green tea", "black tea", "honey", "teapots", "biscuits")),
)
_PLACES = (
    ("lake", ("swim", "fish", "row boats")),
    ("park", ("play", "run", "have picnics")),
    ("library", ("read", "study", "borrow books")),
    ("museum", ("look at paintings", "see old tools", "learn about history")),
    ("market", ("buy fruit", "meet friends", "sell bread")),
    ("beach", ("swim", "build castles", "collect shells")),
    ("forest", ("walk", "pick berries", "watch birds")),
)

_EVENTS = (
    ("had breakfast", "have breakfast"),
    ("went to school", "go to school"),
    ("fed the hens", "feed the hens"),
    ("played football", "play football"),
    ("read a book", "read a book"),
    ("baked a cake", "bake a cake"),
    ("watered the flowers", "water the flowers"),
    ("wrote a letter", "write a letter"),
    ("painted a picture", "paint a picture"),
    ("cleaned the house", "clean the house"),
    ("visited a friend", "visit a friend"),
    ("went for a walk", "go for a walk"),
    ("cooked dinner", "cook dinner"),
    ("washed the car", "wash the car"),
)


@dataclass
class Passage:
    """Sentences, and the questions they answer: (questions, answer, accepted)."""

    sentences: list[str] = field(default_factory=list)
    questions: list[tuple[tuple[str, ...], str, list[str]]] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def key(self) -> str:
        return f"read|{self.text}"

    def add(self, sentence: str, *questions: tuple[tuple[str, ...], str, list[str]]) -> None:
        self.sentences.append(sentence)
        self.questions += questions


def _sentences_person(rng: random.Random, passage: Passage, p: Person, count: int, used: set[str]) -> None:
    """`count` facts about a person; no two people of a passage share a value (`used`)."""
    name, they, their = p.name, p.they, p.their

    def pick(options: tuple[str, ...]) -> str:
        value = rng.choice([o for o in options if o not in used])
        used.add(value)
        return value

    kinds = rng.sample(("age", "town", "job", "pet", "hobby", "food", "colour", "thing", "friend", "birthday"), count)
    for at, kind in enumerate(kinds):
        who = name if at == 0 or rng.random() < 0.4 else cap(they)
        if kind == "age":
            age = rng.choice([a for a in range(4, 90) if str(a) not in used])
            used.add(str(age))
            passage.add(
                f"{who} is {age} years old.",
                ((f"How old is {name}?", f"What is {name}'s age?"), f"{name} is {age} years old.", [str(age)]),
            )
        elif kind == "town":
            town = pick(_TOWNS)
            passage.add(
                f"{who} lives in {town}.",
                ((f"Where does {name} live?", f"Which town does {name} live in?"), f"{name} lives in {town}.", [town]),
                ((f"Who lives in {town}?",), f"{name} lives in {town}.", [name]),
            )
        elif kind == "job":
            job = pick(_JOBS)
            passage.add(
                f"{who} works as {with_article(job)}." if rng.random() < 0.5 else f"{who} is {with_article(job)}.",
                (
                    (f"What is {name}'s job?", f"What does {name} do for work?", f"What does {name} do?"),
                    f"{name} is {with_article(job)}.",
                    [job],
                ),
                ((f"Who is the {job}?",), f"{name} is the {job}.", [name]),
            )
        elif kind == "pet":
            pet, colour, called = pick(_PETS), pick(_COLOURS), pick(tuple(x.name for x in PEOPLE if x.name != name))
            passage.add(
                f"{who} has {with_article(colour)} {pet} called {called}.",
                (
                    (f"What is the name of {name}'s {pet}?", f"What is {name}'s {pet} called?"),
                    f"{name}'s {pet} is called {called}.",
                    [called],
                ),
                (
                    (f"What colour is {name}'s {pet}?", f"What colour is the {pet}?"),
                    f"The {pet} is {colour}.",
                    [colour],
                ),
                (
                    (f"What pet does {name} have?", f"Which animal does {name} have?"),
                    f"{name} has {with_article(pet)}.",
                    [pet],
                ),
            )
        elif kind == "hobby":
            hobby = pick(_HOBBIES)
            passage.add(
                rng.choice(
                    (
                        f"{who} likes {hobby}.",
                        f"{cap(their) if who != name else name + chr(39) + 's'} favourite hobby is {hobby}.",
                    )
                ),
                (
                    (f"What is {name}'s hobby?", f"What does {name} like to do?", f"What is {name}'s favourite hobby?"),
                    f"{name} likes {hobby}.",
                    [hobby],
                ),
                ((f"Who likes {hobby}?",), f"{name} likes {hobby}.", [name]),
            )
        elif kind == "food":
            food = pick(_FOODS)
            passage.add(
                f"{who} loves to eat {food}.",
                (
                    (
                        f"What does {name} love to eat?",
                        f"What food does {name} love?",
                        f"What does {name} like to eat?",
                    ),
                    f"{name} loves to eat {food}.",
                    [food],
                ),
            )
        elif kind == "colour":
            colour = pick(_COLOURS)
            passage.add(
                f"{name}'s favourite colour is {colour}.",
                (
                    (f"What is {name}'s favourite colour?", f"Which colour does {name} like best?"),
                    f"{name}'s favourite colour is {colour}.",
                    [colour],
                ),
            )
        elif kind == "thing":
            thing, colour = pick(tuple(OBJECTS)), pick(_COLOURS)
            passage.add(
                f"{who} always carries {with_article(colour)} {thing}.",
                (
                    (f"What does {name} always carry?", f"What does {name} carry?"),
                    f"{name} always carries {with_article(colour)} {thing}.",
                    [thing],
                ),
                (
                    (f"What colour is the {thing}?", f"What colour is {name}'s {thing}?"),
                    f"The {thing} is {colour}.",
                    [colour],
                ),
            )
        elif kind == "friend":
            friend = pick(tuple(x.name for x in PEOPLE if x.name != name))
            passage.add(
                f"{cap(their) if who != name else name + chr(39) + 's'} best friend is {friend}.",
                (
                    (f"Who is {name}'s best friend?", f"What is the name of {name}'s best friend?"),
                    f"{name}'s best friend is {friend}.",
                    [friend],
                ),
            )
        else:
            month = pick(_MONTHS)
            passage.add(
                f"{cap(their) if who != name else name + chr(39) + 's'} birthday is in {month}.",
                (
                    (f"When is {name}'s birthday?", f"In which month is {name}'s birthday?"),
                    f"{name}'s birthday is in {month}.",
                    [month],
                ),
            )
    missing = {
        "age": f"How old is {name}?",
        "town": f"Where does {name} live?",
        "job": f"What is {name}'s job?",
        "food": f"What does {name} love to eat?",
        "colour": f"What is {name}'s favourite colour?",
        "friend": f"Who is {name}'s best friend?",
        "birthday": f"When is {name}'s birthday?",
    }
    said = {
        "age": "how old {n} is",
        "town": "where {n} lives",
        "job": "what {n}'s job is",
        "food": "what {n} loves to eat",
        "colour": "what {n}'s favourite colour is",
        "friend": "who {n}'s best friend is",
        "birthday": "when {n}'s birthday is",
    }
    passage.missing += [(missing[k], said[k].replace("{n}", name)) for k in missing if k not in kinds]


def _animal(rng: random.Random, passage: Passage, p: Person, q: Person) -> None:
    """An animal and whom it lives with."""
    pet, colour, town, food = rng.choice(_PETS), rng.choice(_COLOURS), rng.choice(_TOWNS), rng.choice(_FOODS)
    age, spot = (
        rng.randint(2, 12),
        rng.choice(
            (
                "on the sofa",
                "under the table",
                "in a basket",
                "by the stove",
                "on the windowsill",
                "in the shed",
                "behind the door",
            )
        ),
    )
    passage.add(
        f"{p.name} is {with_article(colour)} {pet}.",
        ((f"What kind of animal is {p.name}?", f"What is {p.name}?"), f"{p.name} is {with_article(pet)}.", [pet]),
        ((f"What colour is {p.name}?",), f"{p.name} is {colour}.", [colour]),
    )
    passage.add(
        f"{cap(p.they)} is {number_words(age)} years old and lives in {town} with {q.name}.",
        ((f"How old is {p.name}?",), f"{p.name} is {number_words(age)} years old.", [number_words(age), str(age)]),
        ((f"Who does {p.name} live with?", f"Who is {p.name}'s owner?"), f"{p.name} lives with {q.name}.", [q.name]),
        ((f"Where does {p.name} live?", "In which town do they live?"), f"{p.name} lives in {town}.", [town]),
    )
    passage.add(f"{cap(p.they)} sleeps {spot}.", ((f"Where does {p.name} sleep?",), f"{p.name} sleeps {spot}.", [spot]))
    passage.add(
        f"Every morning {q.name} gives {p.them} some {food}.",
        (
            (f"What does {q.name} give {p.name}?", f"What does {p.name} get every morning?"),
            f"{q.name} gives {p.name} some {food}.",
            [food],
        ),
    )


def _shop(rng: random.Random, passage: Passage, p: Person, q: Person) -> None:
    """A shop, what it sells and when."""
    shop, goods = rng.choice(_SHOPS)
    sold = rng.sample(goods, 3)
    town, opens, closes, shut = rng.choice(_TOWNS), rng.randint(6, 10), rng.randint(4, 8), rng.choice(_DAYS)
    passage.add(
        f"{p.name} has a {shop} in {town}.",
        ((f"Who has a {shop}?", f"Whose {shop} is it?"), f"The {shop} belongs to {p.name}.", [p.name]),
        ((f"Where is the {shop}?",), f"The {shop} is in {town}.", [town]),
        ((f"What kind of shop does {p.name} have?",), f"{p.name} has a {shop}.", [shop]),
    )
    passage.add(
        f"{cap(p.they)} sells {join_and(sold)}.",
        (
            (f"What does {p.name} sell?", "What can you buy there?"),
            f"{p.name} sells {join_and(sold)}.",
            [join_and(sold)],
        ),
    )
    passage.add(
        f"The shop opens at {opens} in the morning and closes at {closes} in the evening.",
        (
            ("When does the shop open?", "What time does it open?"),
            f"The shop opens at {opens} in the morning.",
            [str(opens)],
        ),
        (
            ("When does the shop close?", "What time does it close?"),
            f"The shop closes at {closes} in the evening.",
            [str(closes)],
        ),
    )
    passage.add(
        f"On {shut} it is closed.",
        (("On which day is the shop closed?", "Which day is it closed?"), f"The shop is closed on {shut}.", [shut]),
    )
    passage.add(
        f"{q.name} helps {p.them} in the shop.",
        ((f"Who helps {p.name}?", "Who helps in the shop?"), f"{q.name} helps {p.name}.", [q.name]),
    )


def _day(rng: random.Random, passage: Passage, p: Person, q: Person) -> None:
    """What somebody did on a day, one thing after the other."""
    events = rng.sample(_EVENTS, 3)
    day, weather = rng.choice(_DAYS), rng.choice(_WEATHER)
    passage.add(
        f"It was a {weather} {day}.",
        (("What day was it?", "Which day was it?"), f"It was {day}.", [day]),
        (("What was the weather like?", "How was the weather?"), f"It was {weather}.", [weather]),
    )
    passage.add(
        f"First, {p.name} {events[0][0]}.",
        ((f"What did {p.name} do first?",), f"First, {p.name} {events[0][0]}.", [events[0][0]]),
    )
    passage.add(
        f"Then {p.they} {events[1][0]} with {q.name}.",
        (
            (f"What did {p.name} do with {q.name}?", f"What did {p.name} do after that?"),
            f"{p.name} {events[1][0]} with {q.name}.",
            [events[1][0]],
        ),
        ((f"Who did {p.name} {events[1][1]} with?",), f"{p.name} {events[1][0]} with {q.name}.", [q.name]),
    )
    passage.add(
        f"Last of all, {p.they} {events[2][0]}.",
        (
            (f"What did {p.name} do last?", f"What did {p.name} do at the end?"),
            f"Last of all, {p.name} {events[2][0]}.",
            [events[2][0]],
        ),
    )


def _place(rng: random.Random, passage: Passage, p: Person, q: Person) -> None:
    """A place in a town and what it is for."""
    place, acts = rng.choice(_PLACES)
    town, act, month = rng.choice(_TOWNS), rng.choice(acts), rng.choice(_MONTHS)
    old, price = rng.randint(20, 900), rng.randint(2, 15)
    passage.add(
        f"There is a {place} in {town}.",
        ((f"Where is the {place}?",), f"The {place} is in {town}.", [town]),
        ((f"What is there in {town}?",), f"There is a {place} in {town}.", [place]),
    )
    passage.add(
        f"People go there to {act}.",
        (("What do people do there?", f"Why do people go to the {place}?"), f"People go there to {act}.", [act]),
    )
    if place in ("library", "museum", "park", "market"):
        passage.add(
            f"It is {old} years old.", ((f"How old is the {place}?",), f"The {place} is {old} years old.", [str(old)])
        )
    if place in ("museum", "beach"):
        passage.add(
            f"A ticket costs {price} dollars.",
            (("How much is a ticket?", "What does a ticket cost?"), f"A ticket costs {price} dollars.", [str(price)]),
        )
    passage.add(
        f"In {month} there is a big festival.",
        (("When is the festival?", "In which month is the festival?"), f"The festival is in {month}.", [month]),
    )
    passage.add(
        f"{p.name} works there as a guard.",
        (("Who works there?", "Who is the guard?"), f"{p.name} works there.", [p.name]),
    )


def _trip(rng: random.Random, passage: Passage, p: Person, q: Person) -> None:
    """Two people on a journey."""
    town, vehicle, month, days = rng.choice(_TOWNS), rng.choice(_VEHICLES), rng.choice(_MONTHS), rng.randint(2, 14)
    thing, lost = rng.sample(OBJECTS, 2)
    passage.add(
        f"In {month}, {p.name} and {q.name} went to {town} by {vehicle}.",
        ((f"Where did {p.name} and {q.name} go?", "Where did they go?"), f"They went to {town}.", [town]),
        ((f"How did they get to {town}?", "How did they travel?"), f"They went by {vehicle}.", [vehicle]),
        (("When did they go?", f"In which month did they go to {town}?"), f"They went in {month}.", [month]),
        ((f"Who went to {town} with {p.name}?",), f"{q.name} went with {p.name}.", [q.name]),
    )
    passage.add(
        f"They stayed for {number_words(days)} days.",
        (
            ("How long did they stay?", "How many days did they stay?"),
            f"They stayed for {number_words(days)} days.",
            [number_words(days), str(days)],
        ),
    )
    passage.add(
        f"{p.name} bought {with_article(thing)}.",
        ((f"What did {p.name} buy?",), f"{p.name} bought {with_article(thing)}.", [thing]),
        ((f"Who bought {with_article(thing)}?",), f"{p.name} bought {with_article(thing)}.", [p.name]),
    )
    passage.add(
        f"{q.name} lost {q.their} {lost}.",
        ((f"What did {q.name} lose?",), f"{q.name} lost {q.their} {lost}.", [lost]),
        ((f"Who lost {q.their} {lost}?",), f"{q.name} lost {q.their} {lost}.", [q.name]),
    )


_KINDS: dict[str, Callable[[random.Random, Passage, Person, Person], None]] = {
    "read_animal": _animal,
    "read_shop": _shop,
    "read_day": _day,
    "read_place": _place,
    "read_trip": _trip,
}


def make_passage(task: str, rng: random.Random) -> Passage:
    """A passage of the task's kind; its key is its text."""
    p, q = rng.sample(PEOPLE, 2)
    used = {p.name, q.name}
    passage = Passage()
    if task in _KINDS:
        _KINDS[task](rng, passage, p, q)
    elif task == "read_two":
        _sentences_person(rng, passage, p, rng.randint(2, 3), used)
        _sentences_person(rng, passage, q, rng.randint(2, 3), used)
    else:
        _sentences_person(rng, passage, p, rng.randint(3, 5), used)
    return passage
