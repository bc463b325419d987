"""Common words with one clear meaning, rhymes and synonyms, read from WordNet, CMUdict and word counts of the corpus."""
from __future__ import annotations

import collections
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from word_definitions import HAND_WRITTEN, UNUSUAL_FIRST_SENSE

_COUNT_FILES = ("gsm8k.jsonl", "taskmaster4_coffee.jsonl", "personality_chat.jsonl", "oasst_en100.jsonl")
_AVOID = re.compile(r"sex|genital|slang|offensive|drug|obscene|slur|ethnic|negro|prostitut|breast|nazi|semit|penis|vagina|anus|urin|faec|fecal|excret|kroon|"
                    r"suicid|murder|rape|naked|nude|erotic|disparag|derogat|vulgar|copulat|intercourse|corpse|racial|slave|testic|execution|hang|weapon", re.I)
_AVOID_WORDS = set("damn hell ass bitch bastard cock dick pussy tit tits whore slut fag gay dyke queer kill killer dumb cripple idiot moron fool negro jew "
                   "virgin bra thong rape drunk booze gin hitler god christ jesus lord breast screw bloody shit crap sin corpse suck butt gun pee poo hag "
                   "savage savages native natives heathen slave slaves gypsy".split())


@dataclass
class Entry:
    """A word with its part of speech, a short definition, an example sentence and words that mean the same."""

    word: str
    pos: str
    meaning: str
    example: str = ""
    synonyms: list[str] = field(default_factory=list)
    countable: bool = False


@dataclass
class Lexicon:
    """What the word tasks need of the corpus folder."""

    entries: dict[str, Entry]
    common: list[str]
    rhymes: dict[str, list[str]]


def _counts(folder: Path) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for path in sorted((folder / "books").glob("*.txt")) + [folder / name for name in _COUNT_FILES if (folder / name).exists()]:
        counts.update(re.findall(r"\b[a-z]+\b", path.read_text(encoding="utf-8")))
    return counts


def _short(meaning: str) -> str:
    """The definition's first part, without remarks in brackets."""
    text = re.sub(r"\s*\([^)]*\)", "", meaning).split(";")[0].split(" (")[0]
    return re.sub(r"\s+", " ", text).strip(" ,:")


def _entries(folder: Path, counts: collections.Counter[str]) -> dict[str, Entry]:
    categories = json.loads((folder / "lists" / "categorized_words.json").read_text(encoding="utf-8"))
    kinds = {"noun": set(categories["N"]), "verb": set(categories["V"]), "adj": set(categories["A"])}
    found: dict[str, Entry] = {}
    for line in (folder / "wordnet.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        pos = row["pos"]
        if pos not in kinds:
            continue
        for word in row["words"]:
            if not re.fullmatch(r"[a-z]{3,12}", word) or counts[word] < 6 or word in _AVOID_WORDS or word in UNUSUAL_FIRST_SENSE:
                continue
            if word not in row.get("primary_for", ()) or word not in row.get("attested", ()):
                continue
            if word not in kinds[pos] or any(word in kinds[other] for other in kinds if other != pos and not (pos == "noun" and other == "verb")):
                continue
            meaning = _short(row["def"])
            length = len(meaning.split())
            if re.match(r"(another|an expression|the act|the state of being|the quality of being|variant)\b", meaning):
                continue
            if not 3 <= length <= 16 or _AVOID.search(row["def"]) or re.search(rf"\b{word[:-1]}", meaning) or word in found:
                continue
            if pos == "noun" and row["def"].startswith("the act of"):
                continue
            examples = [e for e in row["examples"] if re.search(rf"\b{word}", e) and 4 <= len(e.split()) <= 14 and not _AVOID.search(e)]
            synonyms = [w for w in row["words"] if w != word and re.fullmatch(r"[a-z]{3,12}", w) and counts[w] >= 8 and w not in _AVOID_WORDS]
            plural_known = any(form in kinds["noun"] for form in (word + "s", word + "es", word[:-1] + "ies"))
            found[word] = Entry(word, pos, meaning, examples[0] if examples else "", synonyms, plural_known)
    for line in HAND_WRITTEN.strip().splitlines():
        word, pos, meaning, example = line.split("|")
        synonyms = found[word].synonyms if word in found else []
        found[word] = Entry(word, pos, meaning, example, synonyms, countable=True)
    return found


def _rhymes(folder: Path, common: set[str]) -> dict[str, list[str]]:
    sounds: dict[str, set[str]] = {}
    spelled: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for line in (folder / "lists" / "cmudict.tsv").open(encoding="utf-8"):
        word, sound = line.rstrip("\n").split("\t")
        if word in common and (found := re.search(r"([A-Z]+[12](?: [A-Z]+0?)*)$", sound)):
            tail = re.sub(r"\d", "", found.group(1))
            if len(word) <= 7 and word not in spelled:
                spelled[word] = tail
                groups.setdefault(tail, []).append(word)
                sounds.setdefault(tail, set()).add(sound)
    return {word: [other for other in groups[tail] if other != word and sounds] for word, tail in spelled.items() if len(groups[tail]) >= 4}


def load(folder: Path) -> Lexicon:
    """Reads the lexicon; the corpus files decide it alone, so it is the same on every machine."""
    counts = _counts(folder)
    entries = _entries(folder, counts)
    known = {w for w in json_words(folder)}
    common = [w for w, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
              if n >= 25 and w in known and 3 <= len(w) <= 10 and w not in _AVOID_WORDS][:3200]
    return Lexicon(entries, common, _rhymes(folder, set(common[:1700])))


def json_words(folder: Path) -> set[str]:
    """All words of the categorized list."""
    categories = json.loads((folder / "lists" / "categorized_words.json").read_text(encoding="utf-8"))
    return {word for kind in ("N", "V", "A", "C", "P") for word in categories[kind]}
