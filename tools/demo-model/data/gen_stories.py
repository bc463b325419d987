"""Stories on request: about a kind of hero, a thing, a theme, one or two names, short or with a title."""

import random

from common import Doc, cap, chat, eval_case, eval_rng, held_out, user_noise, with_article
from stories.engine import SCHEMAS, Story, pair_key, tell

TASKS: dict[str, float] = {
    "story_any": 1.5,
    "story_kind": 3,
    "story_thing": 3,
    "story_theme": 2.5,
    "story_named": 3,
    "story_kind_thing": 3,
    "story_two_names": 1.5,
    "story_titled": 1,
    "story_short": 1.5,
    "story_another": 1,
}

_ANY = (
    "Tell me a story.",
    "Can you tell me a story?",
    "I would like to hear a story.",
    "Tell me a bedtime story.",
    "A short bedtime story, please.",
    "Please tell me a nice story.",
    "Do you know a story?",
    "Make up a story for me.",
    "Write a story.",
    "I can't sleep. Tell me a story.",
    "Tell me something nice before I go to sleep.",
    "Story time!",
    "Could you make up a story?",
    "Tell me a story for children.",
    "Write me a little story.",
    "I am bored. Tell me a story.",
    "Tell me a story with a happy ending.",
    "Tell me a story that teaches something.",
    "Got any stories?",
    "My daughter wants to hear a story.",
    "My son wants a bedtime story.",
    "Tell us a story!",
    "Write a story with a moral.",
    "Give me a story.",
)
_ABOUT = (
    "Tell me a story about {x}.",
    "Can you tell me a story about {x}?",
    "Write a story about {x}.",
    "A story about {x}, please.",
    "I want a story about {x}.",
    "Please tell me a story about {x}.",
    "Make up a story about {x}.",
    "Do you know a story about {x}?",
    "Tell me a bedtime story about {x}.",
    "Could you write a story about {x}?",
    "I would like to hear a story about {x}.",
    "Tell a story about {x}.",
    "Write a children's story about {x}.",
    "Give me a story about {x}.",
    "story about {x}",
    "How about a story about {x}?",
    "Can I have a story about {x}?",
    "Let's hear a story about {x}.",
    "My little sister would like a story about {x}.",
)
_SHORT = (
    "Tell me a short story about {x}.",
    "A very short story about {x}, please.",
    "Write a short story about {x}.",
    "Can you tell me a quick story about {x}?",
    "Give me a short story about {x}.",
    "I only have a minute. Tell me a story about {x}.",
)
_TITLED = (
    "Write a story about {x}, with a title.",
    "Tell me a story about {x} and give it a title.",
    "Write a story with a title about {x}.",
    "I need a story about {x}. It should have a title.",
)
_NAMED = (
    "{n} and {x}",
    "{n} and {x}",
    "{kind_a} named {n} and {x}",
    "{kind_a} called {n} and {x}",
    "{n}, who has something to do with {x}",
)
_ANOTHER = (
    "Tell me another one.",
    "Another one, please!",
    "One more story, please.",
    "Do you know another story?",
    "Can I hear a different one?",
    "More!",
    "Tell me a different story.",
    "Again, but another story.",
)
_LEADS = (
    "Here is a story about {x}.",
    "Sure! Here is a story about {x}.",
    "Of course! This is a story about {x}.",
    "With pleasure.",
    "Sure!",
    "All right, here it is.",
)


def _has_held_out_pair(story: Story) -> bool:
    """Whether name and thing, or kind and thing, are a pair that only evaluation asks for."""
    return story.thing is not None and (
        held_out(pair_key(story.hero.name, story.thing)) or held_out(pair_key(story.kind, story.thing))
    )


# Schemas that turn on any everyday thing teach the model to take up whatever is asked for.
_ANY_THING = [schema for schema in SCHEMAS if any(groups[0][0] == "@objects" for _, groups in schema.slots)]
_THING_TASKS = ("story_thing", "story_named", "story_kind_thing")


def training_story(rng: random.Random, length: str = "medium", for_eval: bool = False, task: str = "") -> Story:
    """A story whose combination (and whose pairs with the thing) is on the wanted side of the hold-out."""
    while True:
        any_thing = task in _THING_TASKS and rng.random() < 0.5
        story = tell(rng, rng.choice(_ANY_THING if any_thing else SCHEMAS), length=length)
        if held_out(story.key()) == for_eval and (for_eval or not _has_held_out_pair(story)):
            return story


def layout(rng: random.Random, story: Story, lead: str = "", title: bool = False) -> str:
    """The story as an answer: sometimes with a lead-in, a title, or in three paragraphs."""
    text = story.text
    if rng.random() < 0.3:
        parts: list[list[str]] = [[], [], []]
        for beat, template in story.chosen:
            at = 0 if beat in ("intro", "setup") else 1 if beat in ("problem", "feel", "try", "help") else 2
            if template:
                parts[at].append(story.fill(template))
        text = "\n\n".join(" ".join(part) for part in parts)
    if title:
        text = f"{story.title}\n\n{text}"
    return f"{lead}\n\n{text}" if lead else text


def _lead(rng: random.Random, x: str) -> str:
    return rng.choice(_LEADS).format(x=x) if rng.random() < 0.12 else ""


def _topic(rng: random.Random, story: Story) -> str:
    return story.fill(rng.choice(story.schema.lists["topic"]))


def _keep(*texts: str) -> list[str]:
    return [word for text in texts for word in text.lower().split()]


def request(rng: random.Random, task: str, story: Story) -> tuple[str, str, list[str], str]:
    """(what the user says, what the story is about, words the answer must have, words that no typo may touch)."""
    kind = with_article(story.kind)
    thing = with_article(story.thing) if story.thing else None
    name = story.hero.name
    required: list[str] = []
    if task == "story_any":
        return rng.choice(_ANY), "", [], ""
    if task == "story_kind":
        x, required = kind, [story.kind]
    elif task in ("story_kind_thing", "story_thing") and thing and story.thing:
        x, required = (
            (f"{kind} and {thing}", [story.kind, story.thing]) if task == "story_kind_thing" else (thing, [story.thing])
        )
    elif task == "story_named" and thing and story.thing:
        x = rng.choice(_NAMED).format(n=name, x=thing, kind_a=kind)
        required = [name, story.thing]
    elif task == "story_named":
        x, required = rng.choice((name, f"{kind} named {name}", f"{kind} called {name}")), [name]
    elif task == "story_two_names" and "pal" in story.raw and story.raw["pal"][0].isupper():
        x, required = (
            rng.choice((f"{name} and {story.slots['pal']}", f"two friends, {name} and {story.slots['pal']}")),
            [name, story.slots["pal"]],
        )
    elif task == "story_kind_thing":
        x = f"{kind} and {_topic(rng, story)}"
        required = [story.kind]
    else:
        x = _topic(rng, story)
        required = [story.thing] if story.thing and story.thing in x else []
    forms = _SHORT if task == "story_short" else _TITLED if task == "story_titled" else _ABOUT
    return rng.choice(forms).format(x=x), x, required, x


def story_turn(rng: random.Random, task: str, story: Story, noise: float = 0.35) -> tuple[str, str]:
    """(request, answer) for a story."""
    question, about, _, keep = request(rng, task, story)
    lead = _lead(rng, about) if about else ""
    return user_noise(rng, question, noise, _keep(keep)), layout(
        rng, story, lead, task == "story_titled" or rng.random() < 0.04
    )


_PLAIN_TASKS = [task for task in TASKS if task != "story_another"]


def sample(task: str, rng: random.Random) -> Doc:
    """One training document of a task."""
    if task != "story_another":
        return chat(
            task,
            [story_turn(rng, task, training_story(rng, "short" if task == "story_short" else "medium", task=task))],
        )
    first, second = training_story(rng, "short"), training_story(rng, "short")
    while second.schema is first.schema:
        second = training_story(rng, "short")
    return chat(
        task,
        [
            story_turn(rng, rng.choice(_PLAIN_TASKS), first),
            (user_noise(rng, rng.choice(_ANOTHER)), layout(rng, second)),
        ],
    )


def eval_cases(task: str) -> list[Doc]:
    """Requests for held-out combinations: "accept" is one required word, "require" lists all that the story must have.

    "open" marks a request that training may have too ("a story about a fox"): many stories answer it.
    """
    rng = eval_rng(task)
    cases: list[Doc] = []
    if task in ("story_any", "story_another"):
        return cases
    tried = 0
    while len(cases) < 120 and tried < 20000:
        tried += 1
        story = training_story(rng, for_eval=True, task=task)
        if task == "story_named" and (not story.thing or not held_out(pair_key(story.hero.name, story.thing))):
            continue
        if task == "story_kind_thing" and (not story.thing or not held_out(pair_key(story.kind, story.thing))):
            continue
        question, _, required, _ = request(rng, task, story)
        if required:
            case = eval_case(task, question, required[:1])
            case["require"] = required
            if task not in ("story_named", "story_kind_thing"):
                case["open"] = True
            cases.append(case)
    return cases


if __name__ == "__main__":
    shown = random.Random(7)
    for name in TASKS:
        print(f"--- {name}: {len(eval_cases(name))} evaluation cases")
        for message in sample(name, shown)["messages"]:
            print(f"{cap(message['role'])}: {message['content']}")
