"""Wordings and small tables for the number tasks."""
from __future__ import annotations

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]
MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
NAMES = ("Lily Tom Mia Ben Anna Sam Lucy Max Zoe Leo Emma Jack Nora Tim Ella Finn Rosie Noah Ivy Theo Maya Oscar "
         "Ruby Hugo Sara Adam Clara Omar Lena Paul Nina Amir Kate Luis Grace Kofi Rosa Mark Yuki Dan").split()
THINGS = [tuple(item.split("/")) for item in (
    "apple/apples pear/pears egg/eggs book/books pencil/pencils ball/balls coin/coins shell/shells stone/stones "
    "flower/flowers star/stars cookie/cookies orange/oranges cup/cups button/buttons stamp/stamps card/cards "
    "marble/marbles sticker/stickers lemon/lemons plum/plums carrot/carrots leaf/leaves hat/hats key/keys "
    "banana/bananas duck/ducks cake/cakes toy/toys block/blocks nut/nuts candle/candles potato/potatoes "
    "balloon/balloons pen/pens fish/fish bead/beads muffin/muffins kite/kites").split()]

QUESTION_FORMS = {
    "add": ["What is {a} + {b}?", "{a} + {b}", "{a} + {b} = ?", "{a}+{b}", "What is {a} plus {b}?", "How much is {a} plus {b}?",
            "Add {a} and {b}.", "What is the sum of {a} and {b}?", "Calculate {a} + {b}.", "What do {a} and {b} make?",
            "What is {a_word} plus {b_word}?", "{a_word} plus {b_word}", "Can you add {a} and {b}?", "{a}+{b}=", "{a} plus {b}?",
            "Please work out {a} + {b}.", "How much is {a} and {b} together?", "what's {a} + {b}"],
    "sub": ["What is {a} - {b}?", "{a} - {b}", "{a} - {b} = ?", "{a}-{b}", "What is {a} minus {b}?", "How much is {a} minus {b}?",
            "Subtract {b} from {a}.", "Take {b} away from {a}.", "Calculate {a} - {b}.", "What is the difference of {a} and {b}?",
            "What is {a_word} minus {b_word}?", "{a_word} minus {b_word}", "What is {a} take away {b}?", "{a}-{b}=", "{a} minus {b}?",
            "Please work out {a} - {b}.", "What is {a} less {b}?", "what's {a} - {b}"],
    "mul": ["What is {a} × {b}?", "{a} × {b}", "{a} * {b}", "{a} x {b}", "What is {a} times {b}?", "How much is {a} times {b}?",
            "Multiply {a} by {b}.", "Multiply {a} and {b}.", "Calculate {a} × {b}.", "What is the product of {a} and {b}?",
            "What is {a_word} times {b_word}?", "{a_word} times {b_word}", "What is {a} multiplied by {b}?", "{a}*{b}", "{a} times {b}?",
            "What is {a} * {b}?", "What is {a} x {b}?", "{a}x{b}=", "what's {a} times {b}"],
    "div": ["What is {a} ÷ {b}?", "{a} ÷ {b}", "{a} / {b}", "What is {a} / {b}?", "What is {a} divided by {b}?",
            "How much is {a} divided by {b}?", "Divide {a} by {b}.", "Calculate {a} ÷ {b}.", "How many times does {b} go into {a}?",
            "What is {a_word} divided by {b_word}?", "{a} divided by {b}?", "{a}/{b}", "what's {a} divided by {b}"],
}


def number_word(n: int) -> str:
    """English words for 0 to 1000 (and minus signs), such as "forty-two"."""
    if n < 0:
        return "minus " + number_word(-n)
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    if n == 1000:
        return "one thousand"
    return f"{ONES[n // 100]} hundred" + (f" and {number_word(n % 100)}" if n % 100 else "")


def ordinal(n: int) -> str:
    """The ordinal word of 1 to 12."""
    return ORDINALS[n - 1]


def join_list(items: list[str]) -> str:
    """"a, b and c"."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def clock(hour: int, minute: int) -> str:
    """A time in digits, such as 3:05."""
    return f"{hour}:{minute:02d}"


def clock_words(hour: int, minute: int) -> str:
    """A time in words, such as "a quarter past three"."""
    this, following = number_word(hour), number_word(hour % 12 + 1)
    if minute == 0:
        return f"{this} o'clock"
    if minute == 15:
        return f"a quarter past {this}"
    if minute == 30:
        return f"half past {this}"
    if minute == 45:
        return f"a quarter to {following}"
    if minute < 30:
        return f"{number_word(minute)} past {this}"
    return f"{number_word(60 - minute)} to {following}"
