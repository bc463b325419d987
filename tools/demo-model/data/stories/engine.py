"""Tells a story: picks a schema, fills its slots consistently and picks a wording for each beat.

A `Story` keeps its choices, so that the same story can be told again in short, or with another name.
"""

import random
from dataclasses import dataclass, replace

from common import ANIMALS, OBJECTS, PEOPLE, Person, cap, with_article
from stories import (
    table_animals,
    table_children,
    table_feelings,
    table_kindness,
    table_nature,
    table_things,
    table_work,
)
from stories.format import BEATS, Schema, parse

SCHEMAS: list[Schema] = [
    schema
    for table in (table_animals, table_children, table_feelings, table_kindness, table_nature, table_things, table_work)
    for schema in parse(table.TABLE)
]
if len({schema.name for schema in SCHEMAS}) != len(SCHEMAS):
    raise ValueError("two story schemas have the same name")

# Animals for which walking, talking and owning things in a tale reads well.
_LAND = [
    a
    for a in ANIMALS
    if a not in ("fish", "whale", "dolphin", "crab", "butterfly", "ant", "bee", "bird", "worm", "walrus", "seal")
]
_COMMON = (
    "fox rabbit mouse bear squirrel hedgehog cat dog frog mole badger duck beaver owl otter raccoon hare kitten "
    "puppy pig "
    "goat lamb donkey pony turtle panda koala penguin"
).split()
# Heroes that users ask for and that are neither children nor animals.
_ROLES = (
    "robot dragon unicorn dinosaur pirate mermaid fairy witch wizard elf gnome ghost monster alien clown giant troll "
    "knight king queen princess prince astronaut detective sailor farmer baker teacher doctor firefighter cook painter "
    "inventor snowman magician "
    "superhero gardener musician"
).split()
_MALE = ("fisherman", "postman", "king", "prince", "snowman")
_FEMALE = ("queen", "princess", "mermaid", "witch", "fairy")

# What the widest schemas turn on; together with OBJECTS.
_MORE_THINGS = (
    """
acorn, alarm clock, anchor, apron, armchair, backpack, banana, banjo, barrel, beach ball, bean, belt, bicycle,
blue marble, boot, bracelet, bread roll, broom, button, cactus, camera, carrot, cheese, chess set, compass,
cookie, crayon, crown, cushion, diary, dice, doorbell, egg, feather hat, fishing rod, football, fork,
frying pan, garden gnome, glass slipper, globe, golden coin, guitar, hairbrush, handkerchief, harmonica,
hourglass, ice cream, iron, jacket, jam jar, jigsaw, jug, kettle, knitting needle, lemon, letter, lollipop,
lunch box, magnet, magnifying glass, mitten, model plane, mug, music box, necktie, nest, nutcracker, old map,
paper boat, parachute, peach, pear, piano, picture book, pinecone, plum, pocket watch, postcard, pot, potato,
pumpkin, purple pen, radio, raincoat, red balloon, rocking horse, rubber duck, ruler, saddle, sandwich,
saucepan, saw, scooter, screwdriver, sewing machine, shovel, silver spoon, skateboard, skipping rope, sledge,
soap bubble, snow globe, songbook, spade, star map, suitcase, sunflower, surfboard, swing, teddy bear,
telescope, thimble, ticket, toaster, toothbrush, towel, toy boat, toy robot, tricycle, turnip, typewriter,
vacuum cleaner, wagon, wand, watch, watering can, wheel, wheelbarrow, wig, wooden horse, wooden sword,
xylophone, yo-yo, yellow kite, zip
""".replace("\n", " ")
    .strip()
    .split(", ")
)
_THINGS = OBJECTS + [thing for thing in _MORE_THINGS if thing not in OBJECTS]

_ADJECTIVES = (
    "little",
    "young",
    "curious",
    "cheerful",
    "quiet",
    "kind",
    "small",
    "busy",
    "gentle",
    "clever",
    "friendly",
    "lively",
    "bright",
)
_ROLE_ADJECTIVES = (
    "kind",
    "old",
    "busy",
    "cheerful",
    "young",
    "quiet",
    "hard-working",
    "friendly",
    "careful",
    "clever",
)
_CHILD_HOMES = (
    "in a small town",
    "in a village by the sea",
    "in a village between two hills",
    "in a tall house on a busy street",
    "in a little house near a forest",
    "in a yellow house at the end of the road",
    "on a small farm",
    "in a town by a river",
    "in a flat above a bakery",
    "near a quiet lake",
    "in a big city",
    "in a red brick house",
    "on a green hill",
)
_ANIMAL_HOMES = (
    "in a green forest",
    "at the edge of a wood",
    "near a quiet pond",
    "under an old oak tree",
    "in a sunny meadow",
    "beside a clear stream",
    "at the foot of a hill",
    "behind an old stone wall",
    "on a small farm",
    "in a wide valley",
    "in a cosy den by the river",
)
_ROLE_HOMES = (
    "in a small town",
    "in a village by the sea",
    "in a quiet valley",
    "in a little house on a hill",
    "in a faraway land",
    "in a village between two hills",
    "in a town by a river",
    "at the edge of a forest",
)

_INTROS = (
    "Once upon a time, there was {a_who} named {hero} who lived {home}.",
    "Once upon a time, {a_who} named {hero} lived {home}.",
    "{Home}, there lived {a_who} named {hero}.",
    "{Home} lived {a_who} called {hero}.",
    "There once was {a_who} called {hero}, who lived {home}.",
    "{Hero} was {a_who} who lived {home}.",
    "Long ago, {a_who} named {hero} lived {home}.",
    "This is the story of {hero}, {a_who} who lived {home}.",
)
_FEELINGS = (
    "{Hero} felt {feel}.",
    "{They} felt very {feel}.",
    '"Oh no!" said {hero}, feeling {feel}.',
    "{Hero} was {feel} and did not know what to do.",
    "This made {hero} feel {feel}.",
    "Poor {hero} felt so {feel}!",
    "{Hero} sat down and felt {feel}.",
    "",
)
_MORALS = (
    "From that day on, {hero} knew that {moral}.",
    "{Hero} had learned that {moral}.",
    "That day, {hero} learned that {moral}.",
    "And {hero} never forgot that {moral}.",
    'Before going to sleep, {hero} thought, "Now I know that {moral}."',
    "{Hero} understood that {moral}.",
    "So {hero} found out that {moral}.",
    "After that, {hero} always remembered that {moral}.",
)

_FRIENDS_OF_CHILD = (
    "{their} friend {pal}",
    "{their} best friend {pal}",
    "{their} neighbour {pal}",
    "{their} cousin {pal}",
    "{their} good friend {pal}",
    "a {p_child} named {pal}",
)
_FRIENDS_OF_ANIMAL = (
    "{a_p_kind} named {pal}",
    "{their} friend {pal} the {p_kind}",
    "{their} neighbour {pal} the {p_kind}",
    "a friendly {p_kind} called {pal}",
)
_ELDERS_OF_CHILD = (
    ("{their} grandmother", "Grandma", "she"),
    ("{their} grandfather", "Grandpa", "he"),
    ("{their} aunt Nora", "Aunt Nora", "she"),
    ("{their} uncle Ben", "Uncle Ben", "he"),
    ("old Mrs Hill from next door", "Mrs Hill", "she"),
    ("old Mr Bell from across the street", "Mr Bell", "he"),
    ("{their} teacher Miss Park", "Miss Park", "she"),
    ("{their} father", "Dad", "he"),
    ("{their} mother", "Mum", "she"),
    ("a neighbour called Mr Stone", "Mr Stone", "he"),
)
_ELDER_KINDS = ("tortoise", "owl", "badger", "goat", "toad", "crow", "heron", "bear")


class Slots(dict):
    """Slot values; {Key} is {key} with a capital, {a_key} and {A_key} have an article."""

    def __missing__(self, key: str) -> str:
        if key[0].isupper():
            value = cap(self[key[0].lower() + key[1:]])
        elif key.startswith("a_"):
            value = with_article(self[key[2:]])
        else:
            raise KeyError(key)
        self[key] = value
        return value


_SMALL_WORDS = frozenset("a an the and or of in on at to for with from who is that not could under by".split())


def _title_case(title: str) -> str:
    words = title.split(" ")
    return " ".join(cap(word) if at == 0 or word not in _SMALL_WORDS else word for at, word in enumerate(words))


@dataclass
class Story:
    """A told story: its schema, who and what is in it, and the wordings chosen."""

    schema: Schema
    hero: Person
    kind: str
    raw: dict[str, str]
    chosen: list[tuple[str, str]]
    slots: Slots

    @property
    def text(self) -> str:
        return " ".join(self.fill(template) for _, template in self.chosen if template)

    def fill(self, template: str) -> str:
        return template.format_map(self.slots)

    @property
    def title(self) -> str:
        return _title_case(self.fill(self.raw["title"]))

    @property
    def thing(self) -> str | None:
        """The thing the story turns on, where the schema has one."""
        return self.slots["thing"] if "thing" in self.raw else None

    def beat(self, name: str) -> str:
        return " ".join(self.fill(template) for beat, template in self.chosen if beat == name)

    def key(self) -> str:
        """The combination that is held out as a whole: schema, kind of hero and first slot."""
        first = self.raw[self.schema.slots[0][0][0]] if self.schema.slots else self.raw.get("place", "")
        return f"story|{self.schema.name}|{self.kind}|{first}"

    def with_hero(self, hero: Person) -> "Story":
        """The same story with another name (and the pronouns that go with it)."""
        return replace(self, hero=hero, slots=_slots(hero, self.kind, self.raw))


def pair_key(name: str, thing: str) -> str:
    """The key of a name asked for together with a thing."""
    return f"story-pair|{name}|{thing}"


def kinds_of(schema: Schema) -> list[str]:
    """The kinds a schema's hero may be: "child" stands for girl and boy."""
    listed = schema.lists.get("hero", ["any"])
    if listed == ["any"]:
        return ["child"] * len(_COMMON) + _COMMON + _ROLES[::4]
    if listed == ["wide"]:
        return ["child"] * len(_LAND) + _LAND + _ROLES
    if listed == ["animal"]:
        return _LAND
    return listed


def _slots(hero: Person, kind: str, raw: dict[str, str]) -> Slots:
    slots = Slots(hero=hero.name, they=hero.they, them=hero.them, their=hero.their, self=hero.self, kind=kind)
    slots["child"] = hero.child
    for key, value in raw.items():
        slots[key] = value.format_map(slots) if "{" in value and key != "title" else value
    return slots


def _add_pal(
    rng: random.Random, schema: Schema, hero: Person, is_animal: bool, raw: dict[str, str], pal: Person | None
) -> None:
    mode = schema.texts.get("pal", "friend")
    if mode == "none":
        return
    person = pal
    while person is None or person.name == hero.name:
        person = rng.choice(PEOPLE)
    they = person.they
    intro, name, p_kind = "", person.name, ""
    if is_animal:
        kinds = schema.lists.get("pals") or (_ELDER_KINDS if mode == "elder" else _COMMON)
        p_kind = rng.choice([kind for kind in kinds if kind != raw["species"]])
        intro = "a wise old {p_kind} named {pal}" if mode == "elder" else rng.choice(_FRIENDS_OF_ANIMAL)
        if mode == "stranger":
            intro = rng.choice(("{a_p_kind} named {pal}", "{a_p_kind} called {pal}"))
        if mode == "sibling":
            p_kind = raw["species"]
            intro = "{their} " + ("sister" if they == "she" else "brother") + " {pal}"
    elif mode == "elder" and pal is None:
        intro, name, they = rng.choice(_ELDERS_OF_CHILD)
    elif mode == "sibling":
        intro = "{their} " + rng.choice(("little ", "big ", "")) + ("sister" if they == "she" else "brother") + " {pal}"
    elif mode == "stranger":
        intro = rng.choice(("a {p_child} named {pal}", "a {p_child} called {pal}"))
    else:
        intro = rng.choice(_FRIENDS_OF_CHILD)
    feminine = they == "she"
    raw.update(
        pal=name,
        p_they=they,
        p_them="her" if feminine else "him",
        p_their="her" if feminine else "his",
        p_child="girl" if feminine else "boy",
        p_kind=p_kind,
        pal_intro=intro,
    )


def tell(
    rng: random.Random,
    schema: Schema,
    kind: str | None = None,
    hero: Person | None = None,
    thing: str | None = None,
    pal: Person | None = None,
    length: str = "medium",
) -> Story:
    """A story of `schema`; what isn't given is drawn. `length` short leaves out the optional beats."""
    kind = kind or rng.choice(kinds_of(schema))
    if hero is None:
        hero = rng.choice(PEOPLE)
        wanted = "he" if kind in _MALE or kind == "boy" else "she" if kind in _FEMALE or kind == "girl" else None
        while wanted and hero.they != wanted:
            hero = rng.choice(PEOPLE)
    is_child = kind in ("child", "girl", "boy")
    is_role = not is_child and kind not in ANIMALS
    kind = hero.child if is_child else kind
    raw: dict[str, str] = {"species": kind}
    adjective = rng.choice(_ROLE_ADJECTIVES if is_role else _ADJECTIVES)
    raw["who"] = kind if rng.random() < 0.2 else f"{adjective} {kind}"
    homes = schema.lists.get("home") or (_CHILD_HOMES if is_child else _ROLE_HOMES if is_role else _ANIMAL_HOMES)
    raw["home"] = rng.choice(homes)
    _add_pal(rng, schema, hero, not is_child and not is_role, raw, pal)
    for keys, groups in schema.slots:
        group = rng.choice(groups)
        if group[0] == "@objects":
            group = [thing or rng.choice(_THINGS)]
        elif thing and keys[0] == "thing":
            group = next((g for g in groups if g[0] == thing), group)
        raw.update(zip(keys, group))
    for key in ("place", "feel", "moral", "title"):
        if key in schema.lists:
            raw[key] = rng.choice(schema.lists[key])
    chosen = [("intro", rng.choice(_INTROS))]
    for beat in BEATS:
        wordings = schema.beats.get(beat)
        if wordings and not (beat == "try" and (length == "short" or rng.random() < 0.25)):
            chosen.append((beat, rng.choice(wordings)))
        if beat == "problem" and length != "short":
            chosen.append(("feel", rng.choice(_FEELINGS)))
    chosen.append(("moral", rng.choice(_MORALS)))
    return Story(schema, hero, kind, raw, chosen, _slots(hero, kind, raw))
