#!/usr/bin/env python3
"""Writes public/quality/sample.txt: held-out chats as the demo model reads them, for `npm run eval` and the page.

  python3 tools/eval/demo_text.py --corpus DIR --out public/quality/sample.txt

They are the first documents of the generators' validation seed (no training seed gives them), rendered in ChatML one
after the other; passages of the corpus are left out, since no text of a source belongs into the repository. Needs
Python's standard library alone; DIR is what tools/demo-model/README.md says.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "demo-model"
sys.path[:0] = [str(ROOT), str(ROOT / "data")]

import mix  # noqa: E402
from tokenizer import render  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="word lists that the generators read")
    parser.add_argument("--characters", type=int, default=40_000, help="at most")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    generators = mix.build_mix(args.corpus, True, [], documents=False)
    text = ""
    number = 0
    while True:
        document = render(mix.make_document(generators, "validation:1", number))
        if len(text) + len(document) > args.characters:
            break
        text += document
        number += 1
    args.out.write_text(text, encoding="utf-8")
    print(f"{number} documents, {len(text)} characters")


if __name__ == "__main__":
    main()
