"""Words: meanings, opposites, rhymes, spelling, letters, plurals, past forms, order and categories.

Meanings, rhymes and the list of common words come from the corpus folder (WordNet, CMUdict and word counts), the rest from
tables typed by hand. Facts are trained; one wording in ten of each fact is held out, and for tasks that follow a rule
(order, length, categories) whole questions are.
"""
from __future__ import annotations

import random
from pathlib import Path

from common import a_or_an, cap, chat, held_out, join_and, plural, user_noise, with_article
from lexicon import Lexicon, load
from qa_docs import Pair, conversation, eval_case, is_held_out
from word_tables import CATEGORIES, COMPARATIVES, CONTRACTIONS, HOMOPHONES, IRREGULAR_PAST, NO_ARTICLE, NO_ARTICLE_WORDS, OPPOSITE, SYNONYMS

TASKS: dict[str, float] = {
    "definition": 12.0, "opposite": 5.0, "synonym": 2.0, "rhyme": 4.0, "spelling": 4.0, "letters": 2.5, "plural": 1.5, "past": 2.0,
    "comparative": 1.0, "case": 1.0, "alphabetical": 1.2, "category": 3.5, "odd_one_out": 1.0, "homophone": 0.5, "sentence": 2.5,
}

_LEXICON: Lexicon | None = None


def setup(corpus_folder: str | Path) -> None:
    """Reads the word lists; mix.py calls it before anything else."""
    global _LEXICON
    if _LEXICON is None:
        _LEXICON = load(Path(corpus_folder))
        _prepare()


def _words() -> Lexicon:
    if _LEXICON is None:
        raise RuntimeError("gen_words needs setup(corpus_folder) first")
    return _LEXICON


_ENTRY_LIST: list[str] = []
_RHYME_LIST: list[str] = []
_SHORT: list[str] = []
_NOUNS: list[str] = []


def _prepare() -> None:
    lexicon = _words()
    _ENTRY_LIST[:] = sorted(lexicon.entries)
    _RHYME_LIST[:] = sorted(lexicon.rhymes)
    _SHORT[:] = [word for word in lexicon.common if len(word) <= 8]
    _NOUNS[:] = sorted(e.word for e in lexicon.entries.values() if e.pos == "noun" and e.countable and not e.word.endswith("s")
                       and not e.word.endswith(("f", "fe", "o", "man", "ing", "ness", "ity", "ment")))


def _spelled(word: str) -> str:
    return "-".join(word)


def _definition_text(word: str) -> str:
    entry = _words().entries[word]
    meaning = entry.meaning
    if entry.pos == "noun":
        if entry.countable and meaning.split()[0] in ("a", "an", "the", "any", "something", "someone"):
            return f"{cap(with_article(word))} is {meaning}."
        return f"{cap(word)} means {meaning}."
    if entry.pos == "verb":
        return f"To {word} means to {meaning}."
    return f"{cap(word)} means {meaning}."


_DEFINE = ("What does {w} mean?", "What does the word {w} mean?", "Define {w}.", "What is the meaning of {w}?", "meaning of {w}", "Explain the word {w}.",
           'What is the meaning of "{w}"?', "Can you explain what {w} means?", "Tell me what {w} means.", 'What does "{w}" mean?', "Give me the definition of {w}.")


def _definition(rng: random.Random) -> Pair:
    word = rng.choice(_ENTRY_LIST)
    entry = _words().entries[word]
    forms = _DEFINE + ((f"What is {with_article(word)}?",) * 3 if entry.pos == "noun" and entry.countable else ())
    form = rng.randrange(len(forms))
    words = [w for w in entry.meaning.split() if len(w) > 4] or [entry.meaning]
    return Pair(forms[form].format(w=word), _definition_text(word), f"define:{word}:{forms[form]}", (max(words, key=len),), (word,))


def _opposite(rng: random.Random) -> Pair:
    word = rng.choice(list(OPPOSITE))
    other = OPPOSITE[word]
    form, ask = rng.choice(list(enumerate([
        f"What is the opposite of {word}?", f"opposite of {word}", f"What's the opposite of {word}?", f"Which word means the opposite of {word}?",
        f"Tell me the opposite of {word}.", f'What is the opposite of "{word}"?', f"Give me the opposite of {word}.", f"What word is the opposite of {word}?",
        f"Can you tell me the opposite of {word}?", f"{cap(word)} is the opposite of what?", f"Name the opposite of {word}."])))
    return Pair(ask, f"The opposite of {word} is {other}.", f"opposite:{word}:{form}", (f" {other}.",), (word,))


def _synonym(rng: random.Random) -> Pair:
    if rng.random() < 0.5:
        word, other = rng.choice(SYNONYMS)
        word, other = rng.choice([(word, other), (other, word)])
    else:
        entry = _words().entries[rng.choice(_ENTRY_LIST)]
        while not entry.synonyms:
            entry = _words().entries[rng.choice(_ENTRY_LIST)]
        word, other = entry.word, entry.synonyms[0]
    form, ask = rng.choice(list(enumerate([f"What is another word for {word}?", f"Give me a synonym for {word}.", f"Which word means the same as {word}?", f"synonym of {word}",
                                           f"What means the same as {word}?", f"Tell me another word for {word}."])))
    return Pair(ask, f"Another word for {word} is {other}.", "", (), (word,))


def _rhyme(rng: random.Random) -> Pair:
    word = rng.choice(_RHYME_LIST)
    rhymes = _words().rhymes[word]
    if rng.random() < 0.25:
        other = rng.choice(rhymes) if rng.random() < 0.5 else rng.choice(_RHYME_LIST)
        right = other in rhymes
        if other == word:
            other, right = rhymes[0], True
        return Pair(f"Does {word} rhyme with {other}?", f"Yes, {word} rhymes with {other}." if right else f"No, {word} does not rhyme with {other}. {cap(word)} rhymes with {rhymes[0]}.",
                    f"rhyme-check:{word}:{other}", ("yes" if right else "no,",), (word, other))
    form, ask = rng.choice(list(enumerate([f"What rhymes with {word}?", f"Which words rhyme with {word}?", f"Give me words that rhyme with {word}.", f"Tell me a word that rhymes with {word}.",
                                           f"rhymes with {word}", f"Find a rhyme for {word}.", f"I need a word that rhymes with {word}.", f"Can you find rhymes for {word}?"])))
    count = 1 if form in (3, 5, 6) else min(3, len(rhymes))
    return Pair(ask, f"{cap(word)} rhymes with {join_and(rng.sample(rhymes, count))}.", f"rhyme:{word}:{form}", tuple(f" {other}" for other in rhymes), (word,))


def _spelling(rng: random.Random) -> Pair:
    words = _words().common
    word = rng.choice(words[:1500]) if rng.random() < 0.6 else rng.choice(words)
    if rng.random() < 0.2:
        form, ask = rng.choice(list(enumerate([f"What word is spelled {_spelled(word)}?", f"What does {_spelled(word)} spell?", f"Which word is {_spelled(word)}?"])))
        return Pair(ask, f"{_spelled(word)} spells {word}.", f"unspell:{word}:{form}", (f"spells {word}.",), typos=False)
    form, ask = rng.choice(list(enumerate([f"Spell {word}.", f"How do you spell {word}?", f"Can you spell {word}?", f"spell {word}", f"Spell the word {word}.", f"How is {word} spelled?",
                                           f'How do you spell "{word}"?', f"What is the spelling of {word}?", f"Please spell {word}."])))
    return Pair(ask, f"{cap(word)} is spelled {_spelled(word)}.", f"spell:{word}:{form}", (f" {_spelled(word)}.",), (word,))


def _letters(rng: random.Random) -> Pair:
    word, kind = rng.choice(_SHORT), rng.randrange(6)
    if kind == 0:
        return Pair(rng.choice([f"What is the first letter of {word}?", f"Which letter does {word} start with?", f"What letter does {word} begin with?"]),
                    f"{cap(word)} starts with {word[0]}.", f"first-letter:{word}", (f"with {word[0]}.",), (word,))
    if kind == 1:
        return Pair(rng.choice([f"What is the last letter of {word}?", f"Which letter does {word} end with?", f"What letter does {word} end in?"]),
                    f"{cap(word)} is spelled {_spelled(word)}, so it ends with {word[-1]}.", f"last-letter:{word}", (f"with {word[-1]}.",), (word,))
    if kind < 4:
        return Pair(rng.choice([f"How many letters are in {word}?", f"How many letters does {word} have?", f"How long is the word {word}?"]),
                    f"{cap(word)} is spelled {_spelled(word)}, so it has {len(word)} letters.", f"length:{word}", (f"has {len(word)} letters",), (word,))
    vowels = [letter for letter in word if letter in "aeiou"]
    if kind == 4 and vowels:
        return Pair(rng.choice([f"Which vowels are in {word}?", f"What are the vowels in {word}?"]),
                    f"{cap(word)} is spelled {_spelled(word)}. Its vowel{'s are' if len(vowels) > 1 else ' is'} {join_and(vowels)}.", f"vowels:{word}", (f" {join_and(vowels)}.",), (word,))
    letter = rng.choice(word) if rng.random() < 0.5 else rng.choice("aeiosrtlnb")
    has = letter in word
    return Pair(rng.choice([f"Is there a {letter} in {word}?", f"Does {word} have the letter {letter}?"]).replace("Is there a a ", "Is there an a "),
                f"{'Yes' if has else 'No'}, {word} is spelled {_spelled(word)}, so there is {a_or_an_letter(letter) if has else 'no ' + letter} in it.",
                f"has-letter:{word}:{letter}", ("yes" if has else "no,",), (word,))


def a_or_an_letter(letter: str) -> str:
    """The letter with its article by sound: an f, a b."""
    return f"{'an' if letter in 'aefhilmnorsx' else 'a'} {letter}"


_IRREGULAR_PLURALS = "man woman child person mouse goose foot tooth sheep deer leaf loaf wolf shelf knife scarf calf thief potato tomato hero".split()


def _plural(rng: random.Random) -> Pair:
    word = rng.choice(_IRREGULAR_PLURALS) if rng.random() < 0.35 else rng.choice(_NOUNS)
    many = plural(word)
    if rng.random() < 0.15:
        return Pair(f"What is the singular of {many}?", f"The singular of {many} is {word}.", f"singular:{word}", (f" {word}.",), (many,)) if many != word else \
            Pair(f"What is the plural of {word}?", f"The plural of {word} is {many}.", "", (), (word,))
    form, ask = rng.choice(list(enumerate([f"What is the plural of {word}?", f"plural of {word}", f"One {word}, two what?", f"How do you say more than one {word}?", f"Tell me the plural of {word}.",
                                           f"What do you call two of a {word}?" if a_or_an(word) == "a" else f"What do you call two of an {word}?"])))
    return Pair(ask, f"The plural of {word} is {many}.", f"plural:{word}:{form}", (f" {many}.",), (word,))


def _past(rng: random.Random) -> Pair:
    word, past = rng.choice(IRREGULAR_PAST)
    form, ask = rng.choice(list(enumerate([f"What is the past tense of {word}?", f"past tense of {word}", f"What is the past of {word}?", f"What is the past form of {word}?", f"Tell me the past tense of {word}.",
                                           f"Today I {word}. What is it for yesterday?" if word != "be" else "What is the past tense of be?", f"Put {word} in the past tense."])))
    return Pair(ask, f"The past tense of {word} is {past}.", f"past:{word}:{form}", (f" {past}.",), (word,))


def _comparative(rng: random.Random) -> Pair:
    word, more, most = rng.choice(COMPARATIVES)
    kind = rng.randrange(3)
    if kind == 0:
        return Pair(rng.choice([f"What is the comparative of {word}?", f"{word}, then what? Give the comparative."]), f"The comparative of {word} is {more}.", f"comparative:{word}", (), (word,))
    if kind == 1:
        return Pair(f"What is the superlative of {word}?", f"The superlative of {word} is {most}.", "", (), (word,))
    form, ask = rng.choice(list(enumerate([f"How do you compare with {word}?", f"What are the forms of {word}?", f"Give me the forms of {word}."])))
    return Pair(ask, f"The forms are {word}, {more}, {most}.", f"forms:{word}:{form}", (f"{more}, {most}",), (word,))


def _case(rng: random.Random) -> Pair:
    word = rng.choice(_SHORT)
    kind = rng.randrange(4)
    if kind == 0:
        return Pair(rng.choice([f"Write {word} in capital letters.", f"Put {word} in upper case.", f"{word} in capitals"]), word.upper() + ".", f"upper:{word}", (word.upper(),), (word,))
    if kind == 1:
        up = word.upper()
        return Pair(rng.choice([f"Write {up} in small letters.", f"Put {up} in lower case."]), word + ".", f"lower:{word}", (word,), typos=False)
    if kind == 2:
        return Pair(f"Write {word} with a capital letter.", cap(word) + ".", f"cap:{word}", (cap(word),), (word,))
    short, long = rng.choice(CONTRACTIONS)
    long = long.replace("_", " ")
    if rng.random() < 0.5:
        return Pair(rng.choice([f"What is {short} short for?", f"What does {short} stand for?"]), f"{cap(short)} is short for {long}.", "", (), typos=False)
    return Pair(rng.choice([f"What is the short form of {long}?", f"How do you shorten {long}?"]), f"The short form of {long} is {short}.", "", (), typos=False)


def _alphabetical(rng: random.Random) -> Pair:
    words = rng.sample(_SHORT, rng.choice([2, 3, 3, 4]))
    if len({word[0] for word in words}) < len(words):
        return _alphabetical(rng)
    order = sorted(words)
    key = "alphabetical:" + ":".join(order)
    if len(words) == 2:
        return Pair(rng.choice([f"Which comes first in the alphabet, {words[0]} or {words[1]}?", f"Which word is first in the dictionary, {words[0]} or {words[1]}?"]),
                    f"{cap(order[0])} comes before {order[1]}.", key, (f"{order[0]} comes",), tuple(words))
    listed = ", ".join(words)
    return Pair(rng.choice([f"Put these words in alphabetical order: {listed}.", f"Sort these words by the alphabet: {listed}.", f"Order these words from A to Z: {listed}."]),
                ", ".join(order) + ".", key, (", ".join(order),), tuple(words))


def _thing(word: str, kind: str) -> str:
    return word if kind in NO_ARTICLE or word in NO_ARTICLE_WORDS or word[0].isupper() else with_article(word)


_KINDS = list(CATEGORIES)
_UNCLEAR = {("Mercury", "a metal"), ("palm", "a part of the body"), ("pepper", "a vegetable"), ("iron", "a tool"), ("ginger", "a vegetable"),
            ("cocoa", "a spice"), ("boxing", "a job"), ("lemonade", "a fruit")}


def _unclear(word: str, one: str, other: str) -> bool:
    """Whether "no" would be debatable, as for "Is a fig a tree?"."""
    return word in CATEGORIES[next(kind for kind in _KINDS if kind[0] == other)] or (word, other) in _UNCLEAR or {one, other} <= {"a fruit", "a tree", "a color", "a flower", "a spice"}


def _category(rng: random.Random) -> Pair:
    kind = rng.choice(_KINDS)
    one, many = kind
    word = rng.choice(CATEGORIES[kind])
    thing = _thing(word, one)
    roll = rng.random()
    if roll < 0.45:
        if rng.random() < 0.5:
            return Pair(f"Is {thing} {one}?", f"Yes, {thing} is {one}.", f"is-a:{word}:{one}", ("yes",), (word,))
        other = rng.choice(_KINDS)
        while _unclear(word, one, other[0]):
            other = rng.choice(_KINDS)
        return Pair(f"Is {thing} {other[0]}?", f"No, {thing} is not {other[0]}. It is {one}.", f"is-a:{word}:{other[0]}", ("no,",), (word,))
    if roll < 0.7:
        count = rng.choice([1, 2, 3, 3])
        number = ["one", "two", "three"][count - 1]
        if count == 1:
            return Pair(rng.choice([f"Name {one}.", f"Give me an example of {one}."]), f"{cap(thing)} is {one}.", "", (), (word,))
        chosen = [_thing(w, "a color") for w in rng.sample(CATEGORIES[kind], count)]
        return Pair(rng.choice([f"Name {number} {many}.", f"Tell me {number} {many}.", f"List {number} {many}.", f"Can you name {number} {many}?"]),
                    cap(join_and(chosen)) + ".", "", (), tuple(many.split()))
    form, ask = rng.choice(list(enumerate([f"What kind of thing is {thing}?", f"What is {thing}?", f"What sort of thing is {thing}?", f"What group does {word} belong to?"])))
    return Pair(ask, f"{cap(thing)} is {one}.", f"kind:{word}:{form}", (f"is {one}",), (word,))


def _odd_one_out(rng: random.Random) -> Pair:
    kind, other = rng.sample(_KINDS, 2)
    same, odd = rng.sample(CATEGORIES[kind], 3), rng.choice(CATEGORIES[other])
    if odd in CATEGORIES[kind] or any(word in CATEGORIES[other] for word in same):
        return _odd_one_out(rng)
    listed = same + [odd]
    rng.shuffle(listed)
    text = ", ".join(listed)
    key = "odd-one:" + ":".join(sorted(listed))
    return Pair(rng.choice([f"Which is the odd one out: {text}?", f"Which word does not belong: {text}?", f"Which one is not {kind[0]}: {text}?"]),
                f"{cap(odd)} does not belong, because the others are {kind[1]}.", key, (f"{odd} does",), tuple(listed))


def _homophone(rng: random.Random) -> Pair:
    word, other = rng.choice(HOMOPHONES)
    word, other = rng.choice([(word, other), (other, word)])
    return Pair(rng.choice([f"Which word sounds like {word}?", f"What sounds the same as {word}?", f"Name a word that sounds like {word}."]),
                f"{cap(other)} sounds like {word}.", "", (), (word,))


_MAKERS = {
    "definition": _definition, "opposite": _opposite, "synonym": _synonym, "rhyme": _rhyme, "spelling": _spelling, "letters": _letters, "plural": _plural, "past": _past,
    "comparative": _comparative, "case": _case, "alphabetical": _alphabetical, "category": _category, "odd_one_out": _odd_one_out, "homophone": _homophone,
}
_NAMES = list(_MAKERS)
_WEIGHTS = [TASKS[name] for name in _NAMES]


def pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer, held out or not."""
    return _MAKERS[task](rng)


def training_pair(task: str, rng: random.Random) -> Pair:
    """One question with its answer that is not held out."""
    while True:
        made = pair(task, rng)
        if not is_held_out(made):
            return made


def _sentence(rng: random.Random) -> dict:
    """A meaning, then a sentence with the word, another word for it, or its spelling."""
    entry = _words().entries[rng.choice(_ENTRY_LIST)]
    while not entry.example:
        entry = _words().entries[rng.choice(_ENTRY_LIST)]
    word = entry.word
    sentence = cap(entry.example.strip()).rstrip(".!?;") + "."
    if rng.random() < 0.3:
        turns = [(rng.choice([f"Use {word} in a sentence.", f"Make a sentence with {word}.", f"Give me a sentence with the word {word}."]), sentence)]
    else:
        forms = [form for form in _DEFINE if not held_out(f"define:{word}:{form}")]
        turns = [(rng.choice(forms or _DEFINE).format(w=word), _definition_text(word)),
                 (rng.choice(["Can you use it in a sentence?", "Use it in a sentence.", "Give me an example.", "An example, please.", "for example?"]), sentence)]
    if entry.synonyms and rng.random() < 0.4:
        turns.append((rng.choice(["What is another word for it?", "Is there another word for that?", f"And a synonym for {word}?"]), f"Another word for {word} is {entry.synonyms[0]}."))
    if rng.random() < 0.3:
        turns.append((rng.choice(["How do you spell it?", "Can you spell it for me?", f"And how do you spell {word}?"]), f"{cap(word)} is spelled {_spelled(word)}."))
    return chat("sentence", [(user_noise(rng, q, 0.3, (word,)), a) for q, a in turns])


def sample(task: str, rng: random.Random) -> dict:
    """One training conversation of one to five questions, mostly of the given task."""
    if task == "sentence":
        return _sentence(rng)
    pairs = [training_pair(task, rng)]
    while len(pairs) < 5 and rng.random() < 0.5:
        other = task if rng.random() < 0.6 else rng.choices(_NAMES, _WEIGHTS)[0]
        pairs.append(training_pair(other, rng))
    return conversation(task, pairs, rng)


def eval_cases(task: str) -> list[dict]:
    """Up to 200 held-out questions of the task."""
    if task == "sentence":
        return []
    rng = random.Random(f"eval:{task}")
    found: dict[str, Pair] = {}
    for _ in range(6000):
        made = pair(task, rng)
        if made.accept and is_held_out(made):
            found.setdefault(made.question, made)
        if len(found) == 200:
            break
    cases = [eval_case(task, made) for made in found.values()]
    if task == "case":
        for case, made in zip(cases, found.values()):
            del case["accept"]
            case["exact"] = made.answer
    return cases


def ready() -> bool:
    """Whether setup has read the word lists."""
    return _LEXICON is not None
