"""What users tell about themselves, how they ask for it later, and made-up names so that the model learns to copy."""
from __future__ import annotations

import random
from dataclasses import dataclass

from common import PEOPLE

COLORS = "blue red green yellow purple orange pink black white brown grey turquoise gold silver".split()
TOWNS = ("Lisbon Oslo Rome Leeds Lyon Porto Turin Bergen Denver Boston Dallas Chicago Toronto Lima Quito Cairo Nairobi Lagos Accra Delhi Mumbai Pune Osaka Kyoto Seoul "
         "Busan Sydney Perth Hamburg Munich Cologne Vienna Graz Zurich Prague Warsaw Krakow Athens Dublin Cork Glasgow York Bath Bristol Oxford Cambridge Seville Valencia Naples Milan").split()
PETS = "dog cat rabbit hamster parrot goldfish pony turtle mouse horse".split()
PET_NAMES = ("Bella Max Luna Charlie Daisy Rocky Milo Coco Buddy Simba Nala Oreo Pepper Ginger Biscuit Snowy Fluffy Rex Bruno Lola Shadow Tiger Misty Pip Toby Oscar Molly "
             "Cookie Honey Peanut Waffles Muffin Spot Sunny Bubbles Patch Socks Cleo Felix Rusty").split()
FOODS = ("pizza pasta soup rice bread cheese chocolate pancakes sushi curry apples noodles salad ice_cream potatoes dumplings cake tacos mangoes strawberries fish eggs beans").split()
JOBS = "teacher nurse baker farmer pilot cook gardener painter doctor driver carpenter programmer librarian dentist singer waiter tailor plumber student".split()
HOBBIES = "painting swimming reading chess cooking dancing fishing running gardening singing drawing knitting hiking cycling football tennis photography baking sailing".split()

_STARTS = "B D F G H J K L M N P R S T V W Br Dr Kl Tr St Gr Z Ch Sh Th".split()
_MIDDLES = "a e i o u ai ea ia io ara ela ina omi ulo ani eri ora".split()
_ENDS = "l n r s m na la ra ko mi ta do ri lo sa ven dor lin ber th x".split()


def made_up_name(rng: random.Random) -> str:
    """A name that is in no list, such as "Trelin"."""
    return rng.choice(_STARTS) + rng.choice(_MIDDLES) + rng.choice(_ENDS)


def person_name(rng: random.Random) -> str:
    """A known name, or often a made-up one."""
    return rng.choice(PEOPLE).name if rng.random() < 0.7 else made_up_name(rng)


@dataclass(frozen=True)
class About:
    """One thing a user tells: wordings, the model's first answers, the later questions and the answer."""

    kind: str
    tell: tuple[str, ...]
    reply: tuple[str, ...]
    ask: tuple[str, ...]
    answer: tuple[str, ...]


ABOUT: list[About] = [
    About("name", ("My name is {v}.", "I am {v}.", "I'm {v}.", "Hi, I am {v}.", "Hello! My name is {v}.", "Call me {v}.", "You can call me {v}.", "hi, my name is {v}", "my name is {v}", "{v} is my name.",
                   "I am called {v}.", "Hello, {v} here.", "Hi, it's {v}.", "People call me {v}.", "hey im {v}"),
          ("Nice to meet you, {v}! How can I help you?", "Hello, {v}! What would you like to talk about?", "Hi {v}! It is nice to meet you.", "Nice to meet you, {v}.", "Welcome, {v}! What shall we do today?"),
          ("What is my name?", "Do you remember my name?", "what's my name", "Who am I?", "What am I called?", "Tell me my name.", "Do you know my name?", "Can you tell me my name?", "What was my name again?",
           "Which name did I tell you?", "Do you still know who I am?", "say my name"),
          ("Your name is {v}.", "Your name is {v}.", "You told me that your name is {v}.", "Yes, your name is {v}.")),
    About("color", ("My favorite color is {v}.", "I like {v} best of all colors.", "My favourite colour is {v}.", "I love the color {v}.", "The color I like most is {v}."),
          ("{V} is a lovely color!", "Nice, {v} is a good choice.", "I will remember that you like {v}.", "{V} is beautiful."),
          ("What is my favorite color?", "Which color do I like?", "Do you remember my favorite color?", "What color do I like best?", "what's my favourite colour", "Which color is my favorite?"),
          ("Your favorite color is {v}.",)),
    About("town", ("I live in {v}.", "I am from {v}.", "I come from {v}.", "My home town is {v}.", "My home is in {v}.", "i live in {v}"),
          ("{v} sounds nice! How do you like it there?", "How nice! I hope you like living in {v}.", "Good to know. What do you like about {v}?"),
          ("Where do I live?", "Where am I from?", "Which town do I live in?", "Do you remember where I live?", "What is my home town?", "where do i come from"),
          ("You live in {v}.", "You told me that you live in {v}.")),
    About("food", ("My favorite food is {v}.", "I love to eat {v}.", "The food I like most is {v}.", "My favourite food is {v}.", "I like {v} more than any other food."),
          ("{V}? That sounds tasty!", "Good choice! Do you make it yourself?", "Yum! Many people love that."),
          ("What is my favorite food?", "What do I like to eat?", "Do you remember my favorite food?", "Which food do I like best?", "what's my favourite food"),
          ("Your favorite food is {v}.",)),
    About("age", ("I am {v} years old.", "I'm {v} years old.", "I am {v}.", "My age is {v}.", "I just turned {v}.", "i am {v} years old"),
          ("{v} is a good age!", "Thank you for telling me.", "{v} years! I hope you had a nice birthday."),
          ("How old am I?", "What is my age?", "Do you remember how old I am?", "how old am i", "Which age did I tell you?"),
          ("You are {v} years old.",)),
    About("job", ("I work as {a}.", "I am {a}.", "My job is to be {a}.", "I'm {a}.", "i am {a}"),
          ("That is a useful job!", "Interesting! Do you like your work?", "How nice! What do you like about it?"),
          ("What is my job?", "What do I do for work?", "Do you remember my job?", "What do I work as?", "what's my job"),
          ("You are {a}.", "You told me that you are {a}.")),
    About("hobby", ("My hobby is {v}.", "I love {v}.", "I like {v} in my free time.", "In my free time I enjoy {v}.", "My favorite hobby is {v}."),
          ("{V} is a nice hobby!", "That sounds fun. How often do you do it?", "Great! What do you like about {v}?"),
          ("What is my hobby?", "What do I like to do?", "Do you remember my hobby?", "What do I do in my free time?", "which hobby do i have"),
          ("Your hobby is {v}.",)),
]
PET_TELL = ("I have a {p} called {v}.", "I have a {p}. Its name is {v}.", "My {p} is called {v}.", "My {p}'s name is {v}.", "We have a {p} named {v}.", "i have a {p} named {v}")
PET_REPLY = ("{v} is a lovely name for a {p}!", "How nice! Say hello to {v} from me.", "I am sure that {v} is a good {p}.", "What a nice name!")
PET_ASK = ("What is my {p}'s name?", "What is my {p} called?", "Do you remember the name of my {p}?", "What is the name of my {p}?", "what's my pet's name", "How is my {p} called?")
PET_ANSWER = ("Your {p} is called {v}.", "Your {p}'s name is {v}.")
PET_KIND_ASK = ("What kind of pet do I have?", "What animal do I have?", "Which pet do I have?", "Do I have a pet?")
RELATIVES = "brother sister friend mother father son daughter cousin aunt uncle teacher neighbor".split()
RELATIVE_TELL = ("My {p} is called {v}.", "My {p}'s name is {v}.", "I have a {p} named {v}.", "I have a {p}, {v}.")
RELATIVE_REPLY = ("{v} is a nice name.", "Tell me more about {v}!", "How nice! Do you see {v} often?", "Say hello to {v}!")
RELATIVE_ASK = ("What is my {p}'s name?", "What is my {p} called?", "Do you remember the name of my {p}?", "Who is my {p}?")
RENAME_TELL = ("Actually, call me {v}.", "Sorry, my name is {v}, not {o}.", "I made a mistake, my name is {v}.", "Please call me {v} instead.", "No, my name is {v}.")
RENAME_REPLY = ("Sorry about that, {v}!", "All right, {v}. I will call you {v}.", "Of course, {v}!", "Thank you, {v}. Now I know.")
