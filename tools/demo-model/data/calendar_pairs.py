"""Questions about days, months, years and times of day."""
from __future__ import annotations

import random

from numbers_text import MONTH_DAYS, MONTHS, WEEKDAYS, clock, clock_words, join_list, ordinal
from qa_docs import Pair


def weekday_pair(rng: random.Random) -> Pair:
    """A question about days of the week."""
    i = rng.randrange(7)
    day, kind = WEEKDAYS[i], rng.randrange(9)
    after, before = WEEKDAYS[(i + 1) % 7], WEEKDAYS[(i - 1) % 7]
    if kind < 2:
        form, ask = rng.choice(list(enumerate([f"What day comes after {day}?", f"Which day is after {day}?", f"What is the day after {day}?", f"What day follows {day}?"])))
        return Pair(ask, f"{after} comes after {day}.", f"day-after:{day}:{form}", (f"{after} comes",))
    if kind < 4:
        form, ask = rng.choice(list(enumerate([f"What day comes before {day}?", f"Which day is before {day}?", f"What is the day before {day}?"])))
        return Pair(ask, f"{before} comes before {day}.", f"day-before:{day}:{form}", (f"{before} comes",))
    if kind == 4:
        form, ask = rng.choice(list(enumerate([f"If today is {day}, what day is tomorrow?", f"Today is {day}. What day is it tomorrow?", f"What is tomorrow if today is {day}?"])))
        return Pair(ask, f"If today is {day}, tomorrow is {after}.", f"tomorrow:{day}:{form}", (f"is {after}.",))
    if kind == 5:
        form, ask = rng.choice(list(enumerate([f"If today is {day}, what day was yesterday?", f"Today is {day}. What day was it yesterday?", f"What was yesterday if today is {day}?"])))
        return Pair(ask, f"If today is {day}, yesterday was {before}.", f"yesterday:{day}:{form}", (f"was {before}.",))
    if kind == 6:
        n = rng.randint(2, 10)
        goal = WEEKDAYS[(i + n) % 7]
        ask = rng.choice([f"Today is {day}. What day is it in {n} days?", f"What day is {n} days after {day}?"])
        walk = ", ".join(WEEKDAYS[(i + k) % 7] for k in range(1, n + 1))
        return Pair(ask, f"Count on from {day}: {walk}. So it is {goal}.", f"days-on:{day}:{n}", (f"it is {goal}.",))
    if kind == 7:
        weekend = i >= 5
        return Pair(f"Is {day} {rng.choice(['on the weekend', 'part of the weekend', 'a weekend day'])}?",
                    f"{'Yes' if weekend else 'No'}, {day} is {'part of the weekend' if weekend else 'a weekday'}.", "", ("yes" if weekend else "no",))
    ask, answer = rng.choice([
        ("How many days are in a week?", "There are seven days in a week."),
        ("What are the days of the week?", "The days of the week are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday."),
        ("List the days of the week.", "The days of the week are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday."),
        ("Which days are the weekend?", "The weekend is Saturday and Sunday."),
        ("Name the days of the week in order.", "The days of the week are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday.")])
    return Pair(ask, answer, "", ())


def month_pair(rng: random.Random) -> Pair:
    """A question about months and years."""
    i = rng.randrange(12)
    month, kind = MONTHS[i], rng.randrange(10)
    after, before = MONTHS[(i + 1) % 12], MONTHS[(i - 1) % 12]
    if kind < 2:
        form, ask = rng.choice(list(enumerate([f"What month comes after {month}?", f"Which month is after {month}?", f"What is the month after {month}?", f"What month follows {month}?"])))
        return Pair(ask, f"{after} comes after {month}.", f"month-after:{month}:{form}", (f"{after} comes",))
    if kind < 4:
        form, ask = rng.choice(list(enumerate([f"What month comes before {month}?", f"Which month is before {month}?", f"What is the month before {month}?"])))
        return Pair(ask, f"{before} comes before {month}.", f"month-before:{month}:{form}", (f"{before} comes",))
    if kind < 7:
        form, ask = rng.choice(list(enumerate([f"How many days are in {month}?", f"How many days does {month} have?", f"How long is {month}?", f"What is the number of days in {month}?"])))
        extra = " In a leap year it has 29." if month == "February" else ""
        return Pair(ask, f"{month} has {MONTH_DAYS[i]} days.{extra}", f"month-days:{month}:{form}", (f"has {MONTH_DAYS[i]}",))
    if kind == 7:
        nth = ordinal(i + 1)
        if rng.random() < 0.5:
            form, ask = rng.choice(list(enumerate([f"What is the {nth} month of the year?", f"Which month is the {nth}?", f"Name the {nth} month."])))
            return Pair(ask, f"The {nth} month of the year is {month}.", f"nth-month:{i}:{form}", (month,))
        return Pair(rng.choice([f"What number month is {month}?", f"Which month of the year is {month}?"]), f"{month} is the {nth} month of the year.", "", (nth,))
    if kind == 8:
        year = rng.randint(1990, 2060)
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return Pair(rng.choice([f"Is {year} a leap year?", f"Was {year} a leap year?" if year < 2024 else f"Will {year} be a leap year?"]),
                    f"Yes, {year} can be divided by four, so it is a leap year." if leap else f"No, {year} cannot be divided by four, so it is not a leap year.",
                    f"leap:{year}", ("yes" if leap else "no,",))
    ask, answer = rng.choice([
        ("How many months are in a year?", "There are twelve months in a year."),
        ("How many days are in a year?", "A year has 365 days. A leap year has 366."),
        ("How many weeks are in a year?", "There are about 52 weeks in a year."),
        ("How many days are in a leap year?", "A leap year has 366 days."),
        ("Which month is the shortest?", "February is the shortest month. It has 28 days, or 29 in a leap year."),
        ("Which months have 30 days?", "April, June, September and November have 30 days."),
        ("List the months of the year.", f"The months are {join_list(MONTHS)}."),
        ("What are the months of the year?", f"The months are {join_list(MONTHS)}."),
        ("How many years are in a decade?", "A decade is ten years."),
        ("How many years are in a century?", "A century is one hundred years.")])
    return Pair(ask, answer, "", ())


def clock_pair(rng: random.Random) -> Pair:
    """A question about times of day."""
    hour, minute, kind = rng.randint(1, 12), rng.choice(range(0, 60, 5)), rng.randrange(8)
    if kind < 3:
        words, digits = clock_words(hour, minute), clock(hour, minute)
        if rng.random() < 0.5:
            return Pair(rng.choice([f"How do you write {words} in numbers?", f"Write the time {words} in digits.", f"What time is {words}?"]),
                        f"{words[0].upper() + words[1:]} is {digits}.", f"clock-digits:{digits}", (digits,), typos=False)
        return Pair(rng.choice([f"How do you say {digits} in words?", f"How do you read the time {digits}?", f"Say {digits} in words."]),
                    f"{digits} is {words}.", f"clock-words:{digits}", (f"is {words}.",))
    if kind < 5:
        n = rng.choice([1, 2, 3, 4, 5])
        goal = (hour + n - 1) % 12 + 1
        ask = rng.choice([f"It is {clock(hour, minute)}. What time is it in {n} hour{'s' * (n > 1)}?", f"What time is {n} hour{'s' * (n > 1)} after {clock(hour, minute)}?"])
        return Pair(ask, f"It will be {clock(goal, minute)}.", f"clock-hours:{hour}:{minute}:{n}", (clock(goal, minute),))
    if kind == 5:
        n = rng.choice([5, 10, 15, 20, 30, 45])
        total = hour * 60 + minute + n
        goal = clock((total // 60 - 1) % 12 + 1, total % 60)
        return Pair(rng.choice([f"It is {clock(hour, minute)}. What time is it in {n} minutes?", f"What time is {n} minutes after {clock(hour, minute)}?"]),
                    f"It will be {goal}.", f"clock-minutes:{hour}:{minute}:{n}", (goal,))
    if kind == 6:
        late = rng.randint(13, 23)
        return Pair(rng.choice([f"What is {late}:{minute:02d} on a 12-hour clock?", f"What time is {late}:{minute:02d}?"]),
                    f"{late}:{minute:02d} is {late - 12}:{minute:02d} in the {'afternoon' if late < 18 else 'evening'}.", f"clock24:{late}:{minute}", (f"is {late - 12}:{minute:02d}",))
    ask, answer = rng.choice([
        ("How many minutes are in an hour?", "There are 60 minutes in an hour."),
        ("How many seconds are in a minute?", "There are 60 seconds in a minute."),
        ("How many hours are in a day?", "There are 24 hours in a day."),
        ("How many minutes are in half an hour?", "Half an hour is 30 minutes."),
        ("How many minutes are in a quarter of an hour?", "A quarter of an hour is 15 minutes."),
        ("How many hours are in two days?", "Two days have 48 hours."),
        ("How many seconds are in an hour?", "There are 3600 seconds in an hour."),
        ("When is noon?", "Noon is 12 o'clock in the middle of the day."),
        ("When is midnight?", "Midnight is 12 o'clock at night, when a new day begins.")])
    return Pair(ask, answer, "", ())
