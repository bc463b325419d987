"""Follow-up turns on a story: who, what, why, how it ended, what was learned, shorter, another name, go on, opinions.

Every answer is made from the same choices as the story, so it's right for that story.
"""

import random
from collections.abc import Callable

from common import PEOPLE, Doc, cap, chat, eval_case, eval_rng, user_noise
from gen_stories import story_turn, training_story
from stories.engine import Story

# (question, answer, strings of which the answer must hold one)
Turn = tuple[str, str, list[str]]
Maker = Callable[[random.Random, Story], Turn | None]


def _ask(
    rng: random.Random, story: Story, questions: tuple[str, ...], answers: tuple[str, ...], accept: list[str]
) -> Turn:
    return story.fill(rng.choice(questions)), story.fill(rng.choice(answers)), [story.fill(a) for a in accept]


def fact(rng: random.Random, story: Story) -> Turn | None:
    """A question that only this schema has."""
    if not story.schema.questions:
        return None
    asked = rng.choice(story.schema.questions)
    return story.fill(rng.choice(asked.wordings)), story.fill(asked.answer), [story.fill(a) for a in asked.accept]


def hero(rng: random.Random, story: Story) -> Turn:
    """Who the story is about, or what kind of animal or person that is, or the home."""
    roll = rng.random()
    if roll < 0.4:
        return _ask(
            rng,
            story,
            (
                "Who is the story about?",
                "Who was the story about?",
                "Who is the main character?",
                "What was the name of the {kind}?",
                "What is the name of the {kind}?",
                "What was the {kind} called?",
                "Who is the hero of the story?",
            ),
            (
                "The story is about {hero}.",
                "It is about {a_who} named {hero}.",
                "The main character is {hero}, {a_who}.",
            ),
            ["{hero}"],
        )
    if roll < 0.7:
        return _ask(
            rng,
            story,
            ("Who is {hero}?", "Who was {hero}?", "What is {hero}?", "Remind me, who was {hero}?"),
            ("{hero} is {a_who}.", "{hero} is {a_kind} who lives {home}."),
            ["{kind}"],
        )
    return _ask(
        rng,
        story,
        ("Where did {hero} live?", "Where does {hero} live?", "Where was {hero}'s home?"),
        ("{hero} lived {home}.", "{They} lived {home}."),
        ["{home}"],
    )


def helper(rng: random.Random, story: Story) -> Turn | None:
    """Who helped; or who else is in the story when the hero helped alone."""
    if "pal" not in story.raw:
        return None
    if story.schema.texts.get("helper") == "no":
        return _ask(
            rng,
            story,
            ("Who else is in the story?", "Who was the other one in the story?", "Who did {hero} meet?"),
            ("The other one in the story is {pal}.", "{Pal} is in the story too."),
            ["{pal}"],
        )
    return _ask(
        rng,
        story,
        ("Who helped {hero}?", "Who helped?", "Who came to help?", "Did anybody help {hero}?", "Who helped {them}?"),
        ("{Pal} helped {hero}.", "It was {pal} who helped {hero}.", "{Hero} got help from {pal}."),
        ["{pal}"],
    )


def problem(rng: random.Random, story: Story) -> Turn:
    answer = story.fill(story.schema.texts["what"])
    accept = [
        story.slots[key] for keys, _ in story.schema.slots for key in keys if story.slots[key].lower() in answer.lower()
    ]
    question, _, _ = _ask(
        rng,
        story,
        (
            "What was the problem?",
            "What went wrong?",
            "What was {hero}'s problem?",
            "What happened to {hero}?",
            "What was wrong?",
            "Why was {hero} unhappy?",
        ),
        ("",),
        [],
    )
    return question, answer, accept[:1] or [answer.rstrip(".")]


def fix(rng: random.Random, story: Story) -> Turn:
    answer = story.fill(story.schema.texts["how"])
    accept = [
        story.slots[key] for keys, _ in story.schema.slots for key in keys if story.slots[key].lower() in answer.lower()
    ]
    question, _, _ = _ask(
        rng,
        story,
        (
            "How was the problem solved?",
            "How did they solve it?",
            "What did they do about it?",
            "How did it get better?",
            "How did they fix it?",
            "What helped?",
        ),
        ("",),
        [],
    )
    return question, answer, accept[-1:] or [answer.rstrip(".")]


def moral(rng: random.Random, story: Story) -> Turn:
    return _ask(
        rng,
        story,
        (
            "What did {hero} learn?",
            "What is the moral of the story?",
            "What is the lesson?",
            "What can we learn from this story?",
            "What does the story teach us?",
            "What was the moral?",
            "What did {they} learn?",
            "What's the message of the story?",
        ),
        ("{Hero} learned that {moral}.", "The story teaches us that {moral}.", "The moral is that {moral}."),
        ["{moral}"],
    )


def ending(rng: random.Random, story: Story) -> Turn:
    end = story.beat("end")
    return (
        story.fill(
            rng.choice(
                (
                    "How did it end?",
                    "How did the story end?",
                    "What happened at the end?",
                    "How does the story end?",
                    "Did it end well?",
                    "Does it have a happy ending?",
                    "What happened in the end?",
                )
            )
        ),
        rng.choice(("It ended well. ", "It has a happy ending. ", "In the end, all was well. ", "It ended happily. "))
        + end,
        [end.rstrip(".")],
    )


def feeling(rng: random.Random, story: Story) -> Turn | None:
    if not any(beat == "feel" and "{feel}" in template for beat, template in story.chosen):
        return None
    return _ask(
        rng,
        story,
        (
            "How did {hero} feel at first?",
            "How did {hero} feel when things went wrong?",
            "How did {they} feel?",
            "Was {hero} happy at first?",
        ),
        ("At first, {hero} felt {feel}.", "{Hero} felt {feel}."),
        ["{feel}"],
    )


def title(rng: random.Random, story: Story) -> Turn:
    names = [story.title] + [
        story.fill(t) for t in ("What {hero} Learned", "The Day {hero} Learned a Lesson", "The Story of {hero}")
    ]
    if "pal" in story.raw:
        names += [story.fill("{hero} and {Pal}")]
    if story.thing:
        names += [story.fill("{hero} and the ") + " ".join(cap(word) for word in story.thing.split())]
    chosen = rng.choice(names)
    return (
        rng.choice(
            (
                "Give the story a title.",
                "What would be a good title?",
                "Can you give it a title?",
                "What is the story called?",
                "Another title, please.",
                "Think of a title for the story.",
                "Please find a good title for it.",
            )
        ),
        rng.choice(('How about "{t}"?', 'I would call it "{t}".', 'A good title is "{t}".', '"{t}"')).replace(
            "{t}", chosen
        ),
        [story.hero.name.lower(), story.title.lower()],
    )


def shorter(rng: random.Random, story: Story) -> Turn:
    first = story.fill(
        rng.choice(("{Hero} was {a_who}.", "This is about {hero}, {a_who}.", "There was {a_who} named {hero}."))
    )
    text = " ".join(
        [
            first,
            story.fill(story.schema.texts["what"]),
            story.fill(story.schema.texts["how"]),
            story.fill("{Hero} learned that {moral}."),
        ]
    )
    return (
        rng.choice(
            (
                "Make it shorter.",
                "Can you make it shorter?",
                "Tell it again, but shorter.",
                "What was the story about, in short?",
                "Sum it up for me.",
                "Give me a summary.",
                "Tell me the story in a few sentences.",
                "Can you summarize it?",
                "A shorter version, please.",
            )
        ),
        text,
        [story.fill("{moral}")],
    )


def renamed(rng: random.Random, story: Story) -> Turn:
    new = rng.choice(
        [p for p in PEOPLE if p.name not in (story.hero.name, story.raw.get("pal")) and p.they == story.hero.they]
    )
    told = story.with_hero(new)
    question = story.fill(
        rng.choice(
            (
                "Change the name to {new}.",
                "Tell it again, but call the {kind} {new}.",
                "Can {hero} be called {new}?",
                "Use the name {new} instead of {hero}.",
                "Please tell it again with the name {new}.",
                "Can you change {hero}'s name to {new}?",
            )
        ).replace("{new}", new.name)
    )
    lead = rng.choice(("Of course! ", "Sure. ", "")) + f"Here is the story with {new.name}."
    return question, f"{lead}\n\n{told.text}", [new.name]


def going_on(rng: random.Random, story: Story) -> Turn | None:
    nexts = list(story.schema.next)
    if "pal" in story.raw:
        nexts += [
            "A few days later, {hero} met {pal} again. They laughed about everything that had happened "
            "and shared some cake.",
            "The next morning, {hero} told everyone what had happened. "
            "They all wanted to hear the story of {hero} and {pal} again and again.",
        ]
    after = story.fill(rng.choice(nexts[:1] * 3 + nexts))
    if rng.random() < 0.5:
        after += " " + story.fill(
            rng.choice(
                (
                    "And so they lived happily for a long time.",
                    "That night {hero} went to bed with a smile.",
                    "It was the best day of the whole year.",
                    "{Hero} was happy, and so were {their} friends.",
                )
            )
        )
    return (
        rng.choice(
            (
                "What happened next?",
                "Please continue the story.",
                "Continue.",
                "And then?",
                "What happened after that?",
                "Go on, please.",
                "Tell me more.",
                "How does it go on?",
                "Can you continue the story?",
            )
        ),
        after,
        [story.hero.name],
    )


def advice(rng: random.Random, story: Story) -> Turn | None:
    if "advice" not in story.schema.texts:
        return None
    return (
        story.fill(
            rng.choice(
                (
                    "What would you have done?",
                    "What would you do?",
                    "What would you have done in {their} place?",
                    "What should {hero} have done?",
                    "What could {hero} have done differently?",
                )
            )
        ),
        rng.choice(
            (
                "I think I would have {a}.",
                "I am only a computer program, but I would have {a}.",
                "Maybe I would have {a}.",
                "That is a good question. I would have {a}.",
            )
        ).replace("{a}", story.fill(story.schema.texts["advice"])),
        [],
    )


def opinion(rng: random.Random, story: Story) -> Turn:
    roll = rng.random()
    if roll < 0.3:
        return (
            rng.choice(("Is it a true story?", "Did that really happen?", "Is this story true?")),
            story.fill(
                rng.choice(
                    (
                        "No, I made it up.",
                        "No, it is a made-up story, but its lesson is true: {moral}.",
                        "No, I made the story up for you.",
                    )
                )
            ),
            ["no"],
        )
    if roll < 0.5:
        return (
            rng.choice(("Who wrote this story?", "Where is this story from?", "Did you make that up?")),
            rng.choice(("I made it up for you.", "I made it up just now.", "It is my own story. I made it up.")),
            ["made it up"],
        )
    return (
        rng.choice(
            (
                "Do you like the story?",
                "What is your favourite part?",
                "Which part do you like best?",
                "Why do you like this story?",
            )
        ),
        story.fill(
            rng.choice(
                (
                    "I like it because it shows that {moral}.",
                    "I like the end best, when everything turns out well for {hero}.",
                    "I like how it was solved. " + story.schema.texts["how"],
                )
            )
        ),
        [],
    )


_MAKERS: dict[str, Maker] = {
    "sq_fact": fact,
    "sq_hero": hero,
    "sq_helper": helper,
    "sq_problem": problem,
    "sq_fix": fix,
    "sq_moral": moral,
    "sq_ending": ending,
    "sq_feeling": feeling,
    "sq_title": title,
    "sq_shorter": shorter,
    "sq_renamed": renamed,
    "sq_continue": going_on,
    "sq_advice": advice,
    "sq_opinion": opinion,
}
_CHAINED = ("sq_fact", "sq_fact", "sq_hero", "sq_helper", "sq_problem", "sq_fix", "sq_moral", "sq_ending", "sq_feeling")

TASKS: dict[str, float] = {
    "sq_fact": 4,
    "sq_hero": 2,
    "sq_helper": 2,
    "sq_problem": 2,
    "sq_fix": 2,
    "sq_moral": 2,
    "sq_ending": 1.2,
    "sq_feeling": 1,
    "sq_title": 1,
    "sq_shorter": 2,
    "sq_renamed": 0.8,
    "sq_continue": 1.2,
    "sq_advice": 0.7,
    "sq_opinion": 0.8,
    "sq_chain": 4,
    "sq_given": 2,
}
# Between the story and the last question, another topic may come up.
INTERLEAVE: set[str] = {"sq_recall"}
TASKS["sq_recall"] = 1.5

_REQUESTS = ("story_any", "story_kind", "story_thing", "story_theme", "story_named", "story_kind_thing")
_RECALL = (
    "What was the name of the {kind} in the story?",
    "Back to the story: who was it about?",
    "Do you remember the story? Who was it about?",
    "What was the name of the {kind} in your story?",
    "In the story you told me, what was the {kind} called?",
)
_GIVEN = (
    "Read this story and answer the question.\n\n{s}\n\nQuestion: {q}",
    "{s}\n\n{q}",
    "Here is a story. {s}\n\n{q}",
    "{q}\n\n{s}",
    "I read this story:\n\n{s}\n\nMy question: {q}",
)


def _questions(rng: random.Random, story: Story, tasks: list[str]) -> list[Turn]:
    made = [_MAKERS[task](rng, story) for task in tasks]
    turns: list[Turn] = []
    for turn in made:
        if turn and turn[0] not in [t[0] for t in turns]:
            turns.append(turn)
    return turns


def _noisy(rng: random.Random, story: Story, question: str) -> str:
    keep = [word for value in story.slots.values() for word in value.lower().split()]
    return user_noise(rng, question, 0.25, keep)


def _conversation(task: str, rng: random.Random, story: Story) -> tuple[list[tuple[str, str]], Turn] | None:
    """(turns before the last question, last question with its answer)."""
    if task == "sq_given":
        turns = _questions(rng, story, [rng.choice(_CHAINED)])
        if not turns:
            return None
        question, answer, accept = turns[0]
        return [], (rng.choice(_GIVEN).replace("{s}", story.text).replace("{q}", question), answer, accept)
    before = [story_turn(rng, rng.choice(_REQUESTS), story)]
    if task == "sq_recall":
        question = story.fill(rng.choice(_RECALL))
        return before, (
            question,
            story.fill(rng.choice(("It was {hero}.", "The {kind} was called {hero}.", "The story was about {hero}."))),
            [story.hero.name],
        )
    wanted = rng.sample(_CHAINED, rng.choice((2, 3, 3, 4))) if task == "sq_chain" else [task]
    turns = _questions(rng, story, wanted)
    if not turns:
        return None
    before += [(_noisy(rng, story, q), a) for q, a, _ in turns[:-1]]
    return before, turns[-1]


def sample(task: str, rng: random.Random) -> Doc:
    """One training document of a task."""
    while True:
        story = training_story(rng, "short" if task in ("sq_renamed", "sq_given") and rng.random() < 0.7 else "medium")
        talk = _conversation(task, rng, story)
        if talk:
            before, (question, answer, _) = talk
            return chat(task, before + [(question if task == "sq_given" else _noisy(rng, story, question), answer)])


def eval_cases(task: str) -> list[Doc]:
    """Questions on held-out stories (which are in the conversation), where an answer can be checked."""
    rng = eval_rng(task)
    cases: list[Doc] = []
    tried = 0
    while len(cases) < 100 and tried < 5000:
        tried += 1
        talk = _conversation(task, rng, training_story(rng, for_eval=True))
        if talk and talk[1][2]:
            before, (question, _, accept) = talk
            cases.append(eval_case(task, question, accept, before=before))
    return cases


if __name__ == "__main__":
    shown = random.Random(11)
    for name in TASKS:
        print(f"--- {name}: {len(eval_cases(name))} evaluation cases")
        for message in sample(name, shown)["messages"]:
            print(f"{cap(message['role'])}: {message['content']}")
