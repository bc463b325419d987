"""Plain text and short dialogues from the permissively licensed files of the corpus folder (see public/models/NOTICE.txt).

`load_corpus(folder, validation)` reads, cleans and cuts everything once; `Corpus.sample(rng)` draws a document. One
document in twenty, by its text's checksum, is never in training: `validation=True` gives exactly those.
Left out on purpose: SGD, OpenTriviaQA, the ODbL list of countries, Topical-Chat (share-alike terms), FOLDOC.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from common import Doc, chat, fits, held_out, plain

# Books in plain, modern enough English. Those with much verse, dialect or dated ideas are left out whole.
BOOKS = (
    "aesop_fables_v-s-vernon-jones",
    "beatrix-potter_short-fiction",
    "e-nesbit_five-children-and-it",
    "e-nesbit_the-railway-children",
    "eleanor-h-porter_pollyanna",
    "frances-hodgson-burnett_a-little-princess",
    "kenneth-grahame_the-wind-in-the-willows",
    "l-frank-baum_dorothy-and-the-wizard-in-oz",
    "l-frank-baum_ozma-of-oz",
    "l-frank-baum_the-marvelous-land-of-oz",
    "l-frank-baum_the-road-to-oz",
    "l-frank-baum_the-wonderful-wizard-of-oz",
    "l-m-montgomery_anne-of-green-gables",
    "lewis-carroll_alices-adventures-in-wonderland_john-tenniel",
    "lewis-carroll_through-the-looking-glass_john-tenniel",
)

_UNWANTED = re.compile(
    r"\b(nigg\w*|negro\w*|darky|darkies|savages?|heathen\w*|gyps\w+|redskins?|injuns?|squaws?|jews?|chinam[ae]n|hang(ed|ing)|"
    r"suicid\w*|murder\w*|kill(s|ed|ing)?|rape\w*|sex\w*|genital\w*|penis|vagina\w*|breasts?|nude|naked|drugs?|cocaine|heroin|"
    r"whore\w*|prostitut\w*|slut\w*|damn\w*|hell|bastard\w*|bitch\w*|shit\w*|fuck\w*|ass|slaves?|slavery|nazi\w*|"
    r"hitler|terroris\w*|corpse\w*|blood\w*|gun(s|ned|fire)?|shot|bomb\w*|excrement|urin\w*|feces|vomit\w*|cunt|"
    r"drunk\w*|whisk(e)?y|cigar\w*|weapon\w*|queer|fags?|stupid|idiot\w*|abort\w*|porn\w*|virgin\w*)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?:[\"”’']*)\s+(?=[\"“‘'A-Z])")
_SPACES = re.compile(r"[ \t]+")
_PLAIN_LETTERS = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "–": "-",
        "\u00a0": " ",
        "\u2060": "",
        "…": "...",
        "―": "—",
        "\u200a": "",
        "\u2009": " ",
        "\ufeff": "",
    }
)


def clean(text: str) -> str:
    """One kind of quote, one space, no invisible characters."""
    return _SPACES.sub(" ", text.translate(_PLAIN_LETTERS)).strip()


def _rows(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


# Sources -------------------------------------------------------------------------------------------------------------


def _book_passages(folder: Path) -> Iterator[Doc]:
    """Passages of whole paragraphs, 50 to 170 words; a paragraph that's too long is cut between sentences."""
    for book in BOOKS:
        text = clean((folder / "books" / f"{book}.txt").read_text(encoding="utf-8"))
        passage: list[str] = []
        words = 0
        for paragraph in re.split(r"\n\s*\n", text):
            paragraph = re.sub(r"\s*\n\s*", " ", paragraph).strip()
            is_prose = len(paragraph) > 20 and paragraph[-1] in ".!?\"'" and _UNWANTED.search(paragraph) is None
            parts = _SENTENCE_END.split(paragraph) if len(paragraph) > 900 else [paragraph]
            count = len(paragraph.split())
            if not is_prose or len(parts) > 1 or words + count > 170:
                if words >= 50:
                    yield plain("book", "\n".join(passage))
                passage, words = [], 0
            if not is_prose or len(parts) > 1:
                continue
            passage.append(paragraph)
            words += count


def _wordnet_sentences(folder: Path) -> Iterator[Doc]:
    """WordNet's example sentences as short plain documents with the word they show."""
    for row in _rows(folder / "wordnet.jsonl"):
        word = (row.get("attested") or [""])[0]
        if not word.isalpha() or not word.islower() or _UNWANTED.search(row["def"]):
            continue
        for example in row["examples"]:
            example = clean(example)
            if len(example.split()) >= 5 and word in example.lower() and not _UNWANTED.search(example):
                example = example[0].upper() + example[1:] + ("" if example[-1] in '.!?"' else ".")
                yield plain("sentence", example)


def _word_problems(folder: Path) -> Iterator[Doc]:
    """GSM8K's training problems with short solutions, and SVAMP's with the sum worked out."""
    for row in _rows(folder / "gsm8k.jsonl"):
        solution = clean(row["solution"])
        if row["split"] == "train" and solution.count("\n") <= 3 and len(solution) < 320 and len(row["question"]) < 320:
            yield chat("word_problem", [(clean(row["question"]), f"{solution}\nThe answer is {row['answer']}.")])
    for row in _rows(folder / "svamp.jsonl"):
        equation = re.sub(r"(\d+)\.0\b", r"\1", row["equation"]).strip()
        equation = equation[2:-2] if equation.startswith("( ") and equation.count("(") == 1 else equation
        answer = f"{row['answer']:g}"
        question = re.sub(r"([a-z0-9]) (How|What) ", r"\1. \2 ", clean(row["question"]))
        if row["answer"] >= 0 and "." not in answer:
            yield chat(
                "word_problem",
                [(question, f"{equation.replace('( ', '(').replace(' )', ')')} = {answer}. The answer is {answer}.")],
            )


def _coffee_orders(folder: Path) -> Iterator[Doc]:
    """Taskmaster-4: orders at a coffee bar, turns alternating, starting with the customer."""
    for row in _rows(folder / "taskmaster4_coffee.jsonl"):
        messages = [{"role": m["role"], "content": clean(m["content"])} for m in row["messages"]]
        roles = [m["role"] for m in messages]
        while roles and roles[-1] == "user":
            roles.pop()
            messages.pop()
        alternating = roles == ["user", "assistant"] * (len(roles) // 2)
        if messages and alternating and all(2 < len(m["content"]) < 300 for m in messages):
            for message in messages:
                message["content"] = message["content"][0].upper() + message["content"][1:]
            yield {"task": "coffee", "messages": messages}


_ABOUT_THE_BOT = re.compile(
    r"\b(call you|your (name|boss|creator|age|birthday|family|mother|father|sister|brother)|who (made|created|built|are)|"
    r"how old|where (do|are) you|what are you|cortana|siri|alexa|microsoft|google|marry|love you|sexy|gay|"
    r"lesbian|sing|weather|human|robot|real|take over|world)\b",
    re.IGNORECASE,
)


def _personality(folder: Path) -> Iterator[Doc]:
    """Small talk in the friendly and the caring tone; who-are-you questions are the generators' matter."""
    for row in _rows(folder / "personality_chat.jsonl"):
        answer = clean(row["answer"])
        if row["tone"] not in ("friendly", "caring") or _UNWANTED.search(answer):
            continue
        wordings = [
            clean(q)
            for q in row["questions"]
            if len(q) > 3 and not _UNWANTED.search(q) and not _ABOUT_THE_BOT.search(q)
        ]
        for question in wordings[:24]:
            yield chat("smalltalk_corpus", [(question, answer)])


_CHATTERBOT_TOPICS = (
    "food",
    "science",
    "computers",
    "greetings",
    "health",
    "sports",
    "money",
    "conversations",
    "tech_support",
    "travel",
    "geography",
    "animals",
    "weather",
    "education",
)


def _chatterbot(folder: Path) -> Iterator[Doc]:
    """Only factual or polite topics of the corpus, and only whole sentences: the rest is jokes."""
    for row in _rows(folder / "chatterbot.jsonl"):
        messages = [{"role": m["role"], "content": clean(m["content"])} for m in row["messages"]]
        answers = [m["content"] for m in messages if m["role"] == "assistant"]
        texts = " ".join(m["content"] for m in messages)
        good = all(4 <= len(a.split()) <= 45 and a[-1] in ".!?" and a[0].isupper() for a in answers)
        if (
            row["topic"] in _CHATTERBOT_TOPICS
            and len(messages) % 2 == 0
            and good
            and not _UNWANTED.search(texts)
            and not re.search(r"\bI('m| am| feel| like| think| have)\b|\bmy\b|\bme\b", " ".join(answers))
        ):
            yield {"task": "chatterbot", "messages": messages}


def _assistant_trees(folder: Path) -> Iterator[Doc]:
    """Open Assistant's sample conversations whose answers are short."""
    for row in _rows(folder / "oasst_en100.jsonl"):
        messages = [{"role": m["role"], "content": clean(m["content"])} for m in row["messages"]][:2]
        text = " ".join(m["content"] for m in messages)
        if (
            len(messages) == 2
            and len(text) < 1200
            and "```" not in text
            and not _UNWANTED.search(text)
            and not re.search(
                r"open.?assistant|http|chatgpt|openai|language model|"
                r"\b(script|python|java\w*|html|code|json|css|movie|film)\b",
                text,
                re.IGNORECASE,
            )
        ):
            yield {"task": "assistant", "messages": messages}


# (share of the corpus part, source)
SOURCES: tuple[tuple[float, Callable[[Path], Iterator[Doc]]], ...] = (
    (40, _book_passages),
    (12, _wordnet_sentences),
    (22, _word_problems),
    (7, _coffee_orders),
    (6, _personality),
    (0.5, _chatterbot),
    (1, _assistant_trees),
)


@dataclass(frozen=True)
class Corpus:
    """Documents by source, with each source's chance of being drawn."""

    sources: list[list[Doc]]
    chances: list[float]

    def sample(self, rng: random.Random) -> Doc:
        """Short plain documents are drawn several at a time, so that a document isn't one lone sentence."""
        documents = rng.choices(self.sources, self.chances)[0]
        first = rng.choice(documents)
        if first["task"] != "sentence":
            return first
        return plain(
            "sentence", " ".join([first["text"]] + [rng.choice(documents)["text"] for _ in range(rng.randrange(1, 5))])
        )


def _key(doc: Doc) -> str:
    return doc["text"] if "text" in doc else doc["messages"][0]["content"]


def _mean_length(documents: list[Doc]) -> float:
    return sum(
        len(d["text"]) if "text" in d else sum(len(m["content"]) for m in d["messages"]) for d in documents
    ) / len(documents)


def load_corpus(folder: Path, validation: bool = False) -> Corpus:
    """Reads the corpus folder (the one with wordnet.jsonl and books/ in it)."""
    sources: list[list[Doc]] = []
    chances: list[float] = []
    for share, read in SOURCES:
        distinct = {
            json.dumps(d): d for d in read(folder) if fits(d) and held_out("corpus:" + _key(d), 20) == validation
        }
        documents = list(distinct.values())
        if documents:
            drawn_together = 3 if documents[0]["task"] == "sentence" else 1
            sources.append(documents)
            chances.append(share / (drawn_together * _mean_length(documents)))
    return Corpus(sources, chances)


if __name__ == "__main__":
    import sys

    shown = load_corpus(Path(sys.argv[1]))
    for part in shown.sources:
        print(f"{part[0]['task']}: {len(part)} documents, {_mean_length(part):.0f} characters each")
        for sampled in random.Random(1).sample(part, 4):
            print("   ", json.dumps(sampled.get("messages") or sampled["text"], ensure_ascii=False)[:700])
