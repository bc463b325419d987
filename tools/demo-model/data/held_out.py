"""Which questions and slot combinations training never sees.

A key is any text that names a question or a combination ("add:17:25", "fox|river|lost kite"). One key in ten is held
out, by a checksum that is the same in every process and on every machine (Python's own `hash` is salted per process).
"""

import zlib


def held_out(key: str, one_in: int = 10) -> bool:
    """True when `key` belongs to evaluation. The case and the outer spaces of the key don't matter."""
    return zlib.crc32(key.strip().lower().encode("utf-8")) % one_in == 0


def draw_key(rng, draw, for_eval: bool = False, one_in: int = 10):
    """Calls `draw(rng)` -> (key, value) until the key is on the wanted side of the hold-out; returns that pair."""
    for _ in range(1000):
        key, value = draw(rng)
        if held_out(key, one_in) == for_eval:
            return key, value
    raise RuntimeError(f"no combination on the wanted side of the hold-out; last key: {key}")
