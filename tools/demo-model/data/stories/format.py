"""The text format of the story tables, and its parser.

    @kite_in_tree                        a schema's name
    hero: any                            any, wide (also rarer kinds), child, animal, or kinds: "fox; hare; baker"
    pal: friend                          friend, stranger, elder, sibling, none (and then often
                                         slots named pal_intro/pal/p_they/p_them/p_their)
    pals: mouse; mole                    optional, the kinds of animal that may help an animal
    topic: {a_thing}; the wind           what a user may ask a story about
    title: The {thing} in the Tree
    place: the park; the hill            slot {place}
    home: by the sea                     optional, otherwise by the hero's kind
    $thing/tool = kite/ladder; ball/net  slots chosen together: values that belong together stand in one group;
                                         "$thing = @objects" takes any everyday thing
    feel: sad; worried
    moral: asking for help is clever     after "learned that"
    what: {Hero}'s {thing} was stuck.    the problem in one sentence
    how: {Pal} brought a {tool}.         the fix in one sentence
    advice: asked for a {tool}           after "I would have"
    next: The next day, they ...         how the story might go on; several lines
    q: Question? / Other? => Answer. => accepted; accepted
    helper: no                           when the pal isn't the one who helps
    setup: problem: try: help: fix: end:     beats; wordings follow, one a line, starting with "- "; try is optional

Slots in sentences: {hero} {they} {them} {their} {self} {kind}; {pal_intro} at the first mention, then {pal} {p_they}
{p_them} {p_their}; {feel} {place} {home} and the schema's own. {Hero} begins with a capital; {a_thing} has an article.
"""

from dataclasses import dataclass, field

BEATS = ("setup", "problem", "try", "help", "fix", "end")
_LISTS = ("hero", "topic", "title", "place", "home", "feel", "moral", "pals")
_TEXTS = ("what", "how", "advice", "pal", "helper")


@dataclass
class Question:
    """A question that only this schema has, its answer, and what an accepted answer contains."""

    wordings: list[str]
    answer: str
    accept: list[str]


@dataclass
class Schema:
    """One story schema: see the module's text for the meaning of the fields."""

    name: str
    lists: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    slots: list[tuple[list[str], list[list[str]]]] = field(default_factory=list)
    beats: dict[str, list[str]] = field(default_factory=dict)
    next: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _slot_line(line: str) -> tuple[list[str], list[list[str]]]:
    names, _, values = line[1:].partition("=")
    keys = [name.strip() for name in names.split("/")]
    groups = [[value.strip() for value in group.split("/")] for group in _split(values)]
    for group in groups:
        if len(group) != len(keys) and not group[0].startswith("@"):
            raise ValueError(f"slot group {group} doesn't fit {keys}")
    return keys, groups


def _question_line(text: str) -> Question:
    wordings, answer, accept = (part.strip() for part in text.split("=>"))
    return Question([w.strip() for w in wordings.split(" / ")], answer, _split(accept))


def parse(text: str) -> list[Schema]:
    """The schemas of one table. A line that fits nothing is an error that names the schema."""
    schemas: list[Schema] = []
    beat: list[str] | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            continue
        if line.startswith("@"):
            schemas.append(Schema(line[1:].strip()))
            continue
        schema = schemas[-1]
        if line.startswith("- "):
            if beat is None:
                raise ValueError(f"{schema.name}: a wording outside of a beat: {line}")
            beat.append(line[2:].strip())
            continue
        if line.startswith("$"):
            schema.slots.append(_slot_line(line))
            continue
        key, colon, rest = line.partition(":")
        rest = rest.strip()
        if not colon:
            raise ValueError(f"{schema.name}: {line}")
        if key in BEATS:
            beat = schema.beats.setdefault(key, [])
        elif key in _LISTS:
            schema.lists[key] = _split(rest)
        elif key in _TEXTS:
            schema.texts[key] = rest
        elif key == "next":
            schema.next.append(rest)
        elif key == "q":
            schema.questions.append(_question_line(rest))
        else:
            raise ValueError(f"{schema.name}: unknown key {key}")
    for schema in schemas:
        missing = [b for b in BEATS if b != "try" and not schema.beats.get(b)]
        missing += [k for k in ("topic", "title", "feel", "moral") if not schema.lists.get(k)]
        missing += [k for k in ("what", "how") if k not in schema.texts]
        if missing:
            raise ValueError(f"{schema.name} lacks {missing}")
    return schemas
