"""Own plain definitions of common words, and words whose first WordNet sense is not the everyday one."""
from __future__ import annotations

# word|part of speech|meaning|example
HAND_WRITTEN = """
bird|noun|an animal with feathers and wings, which lays eggs|A little bird sang in the tree.
bear|noun|a large, heavy animal with thick fur and strong claws|The bear slept all winter.
cake|noun|a sweet food baked from flour, sugar, eggs and butter|We had cake on her birthday.
church|noun|a building where Christians pray together|The church stands on the hill.
water|noun|a clear liquid that falls as rain and that all living things need|Please drink some water.
tree|noun|a tall plant with a trunk, branches and leaves|The tree gives us shade.
train|noun|a row of cars that runs on rails|We took the train to the city.
whale|noun|a very large animal that lives in the sea and breathes air|A whale swam past the ship.
tooth|noun|one of the hard white parts in the mouth, used for biting|He lost a tooth today.
table|noun|a piece of furniture with a flat top and legs|Put the plates on the table.
tank|noun|a large container for water or another liquid|The fish live in a tank.
spoon|noun|a small tool with a round end for eating soup|I need a spoon for my soup.
snake|noun|a long animal without legs|A snake slid through the grass.
soup|noun|a warm liquid food made of vegetables, meat or fish|The soup is too hot.
slide|verb|move smoothly over something|The children slide down the hill.
act|verb|do something, or play a part in a play|We must act now.
arrow|noun|a thin stick with a point, shot from a bow|The arrow hit the target.
bath|noun|a tub of water to wash yourself in|She takes a bath every evening.
barrel|noun|a large round container made of wood|The barrel was full of apples.
beam|noun|a line of light, or a long strong piece of wood|A beam of light fell on the floor.
bloom|verb|open as a flower does|The roses bloom in June.
branch|noun|a part of a tree that grows out from the trunk|The owl sat on a branch.
brush|noun|a tool with hairs, used to clean, paint or tidy|Where is my brush?
call|verb|shout to somebody, or telephone somebody|I will call you tonight.
can|noun|a closed metal container for food or drink|Open a can of beans.
catch|verb|take hold of something that is moving|Try to catch the ball.
chain|noun|a row of rings joined together|The gate is closed with a chain.
circle|noun|a round shape|Draw a circle.
cloud|noun|a white or grey mass of tiny drops of water in the sky|A cloud hid the sun.
club|noun|a group of people who meet to do something together|She joined a chess club.
corn|noun|a tall plant with yellow seeds that people eat|We had corn for dinner.
crow|noun|a large black bird with a loud voice|A crow sat on the fence.
crust|noun|the hard outside of bread|He does not like the crust.
cup|noun|a small bowl with a handle, used for drinking|I would like a cup of tea.
date|noun|the number of a day in a month|What is the date today?
fast|adj|quick in moving|She is a fast runner.
put|verb|move something to a place|Put the book on the shelf.
rope|noun|a thick, strong string|Tie the boat with a rope.
scope|noun|how much something covers|That is beyond the scope of the lesson.
sky|noun|the space above the earth where we see the sun, the moon and the stars|The sky is blue today.
soil|noun|the top layer of the earth, in which plants grow|The soil is wet after the rain.
spell|verb|say or write the letters of a word in order|Can you spell your name?
stamp|noun|a small piece of paper that you stick on a letter to pay for sending it|This letter needs a stamp.
state|noun|a country, or a part of a country with its own government|Texas is a state.
story|noun|a telling of things that happened, real or made up|Tell me a story.
storm|noun|very bad weather with strong wind and rain|The storm broke a window.
swallow|verb|let food or drink go down the throat|Chew before you swallow.
thorn|noun|a sharp point on the stem of a plant|The rose has a thorn.
turn|verb|move around, or change direction|Turn left at the corner.
watch|noun|a small clock that you wear on your wrist|My watch is slow.
wave|noun|a line of water that rises and moves on the sea|A wave knocked over the sand castle.
wind|noun|air that moves|The wind blew my hat away.
weed|noun|a plant that grows where you do not want it|Pull out every weed.
wish|verb|want something to happen|I wish you luck.
home|noun|the place where you live|I am going home.
friend|noun|a person you like and trust|My friend came to visit.
family|noun|parents, children and other people related to each other|My family is big.
school|noun|a place where children learn|School starts at eight.
book|noun|pages with words or pictures, held together in a cover|This book is about ships.
happy|adj|feeling joy|I am happy to see you.
sad|adj|feeling unhappy|She was sad when her cat ran away.
angry|adj|feeling that you want to shout because something is wrong|He was angry about the broken vase.
brave|adj|ready to do a hard or dangerous thing|The brave girl jumped in to help.
kind|adj|friendly and ready to help|It was kind of you to wait.
honest|adj|telling the truth|An honest man gave the wallet back.
lazy|adj|not wanting to work|The lazy cat slept all day.
shy|adj|nervous about talking to other people|The shy boy hid behind his father.
proud|adj|pleased with something you or your family have done|She is proud of her drawing.
curious|adj|wanting to know more|The curious kitten looked into the box.
patient|adj|able to wait without getting angry|Be patient, the bread needs time.
generous|adj|happy to give to others|He is generous with his toys.
greedy|adj|wanting more than you need|The greedy dog ate two dinners.
clever|adj|quick at learning and understanding|The clever fox opened the gate.
lonely|adj|sad because you are alone|The old man felt lonely.
jealous|adj|unhappy because you want what somebody else has|She was jealous of her brother's bicycle.
grateful|adj|feeling thankful|I am grateful for your help.
tiny|adj|very small|A tiny ant carried a leaf.
enormous|adj|very big|An enormous whale swam by.
ancient|adj|very, very old|They found an ancient coin.
huge|adj|very big|The elephant is huge.
fragile|adj|easy to break|Glass is fragile.
quiet|adj|making little or no noise|The library is quiet.
empty|adj|with nothing inside|The box is empty.
borrow|verb|take something for a time and give it back later|May I borrow your pen?
lend|verb|let somebody have something for a time|I can lend you my umbrella.
share|verb|let others have a part of something|Let us share the cake.
promise|verb|say that you will surely do something|I promise to come back.
whisper|verb|speak very quietly|She began to whisper in my ear.
explore|verb|go around a new place to find out about it|They want to explore the cave.
invent|verb|make or think of something that was not there before|Who will invent a better lamp?
imagine|verb|make a picture of something in your mind|Imagine a house made of snow.
apologize|verb|say that you are sorry|I want to apologize for being late.
forgive|verb|stop being angry with somebody|Please forgive me.
repair|verb|make something broken work again|He can repair the roof.
compare|verb|look at how things are the same or different|Compare the two pictures.
celebrate|verb|do something fun because of a special day|We celebrate her birthday today.
planet|noun|a large round body in space that goes around a star|Mars is a planet.
island|noun|land with water all around it|They rowed to the island.
river|noun|a long stream of water that flows to a lake or the sea|The river is deep here.
mountain|noun|very high land|Snow lay on the mountain.
desert|noun|a very dry place where little grows|Camels live in the desert.
forest|noun|a large area with many trees|We got lost in the forest.
valley|noun|low land between hills|A river runs through the valley.
harvest|noun|the time when ripe fruit and grain are gathered|The harvest was good this year.
journey|noun|a trip from one place to another|The journey took three days.
neighbor|noun|a person who lives near you|Our neighbor has two dogs.
stranger|noun|a person you do not know|A stranger asked me the way.
secret|noun|something that only a few people know|Can you keep a secret?
mistake|noun|something that is done wrong|I made a mistake in the sum.
habit|noun|something you do often without thinking about it|Brushing your teeth is a good habit.
luck|noun|good or bad things that happen by chance|I wish you luck.
courage|noun|the strength to do something although you are afraid|It takes courage to tell the truth.
wisdom|noun|knowing what is right and good because you have learned much|Grandmother is full of wisdom.
freedom|noun|being able to do and say what you want|The bird flew to freedom.
hope|noun|a feeling that something good can happen|Never give up hope.
shadow|noun|a dark shape made where something blocks the light|My shadow is long in the evening.
dream|noun|pictures and stories in your mind while you sleep|I had a strange dream.
recipe|noun|a list of steps that tells how to cook something|This recipe needs three eggs.
triangle|noun|a shape with three sides|Draw a triangle.
weather|noun|how it is outside: sunny, rainy, windy, hot or cold|The weather is nice today.
museum|noun|a building where old or interesting things are shown|We saw a dinosaur in the museum.
library|noun|a place where you can read and borrow books|The library opens at nine.
hospital|noun|a place where sick or hurt people are cared for|She was in hospital for a week.
computer|noun|a machine that stores and works with information|I write letters on my computer.
robot|noun|a machine that can do jobs by itself|The robot sweeps the floor.
energy|noun|what makes things move, grow, heat up or work|The sun gives us energy.
gravity|noun|the force that pulls things down to the earth|Gravity makes the apple fall.
oxygen|noun|a gas in the air that we need to breathe|Plants give off oxygen.
insect|noun|a small animal with six legs|A bee is an insect.
mammal|noun|an animal that feeds its young with milk|A whale is a mammal.
reptile|noun|an animal with dry scales, such as a snake or a lizard|A turtle is a reptile.
vegetable|noun|a plant or a part of a plant that is eaten, often cooked|A carrot is a vegetable.
noun|noun|a word for a person, a place or a thing|House is a noun.
verb|noun|a word for something that you do|Run is a verb.
adjective|noun|a word that describes a person or a thing|Red is an adjective.
vowel|noun|one of the letters a, e, i, o and u|The word cat has one vowel.
synonym|noun|a word that means the same as another word|Big is a synonym of large.
century|noun|one hundred years|The house is a century old.
decade|noun|ten years|They have lived here for a decade.
dozen|noun|a group of twelve|I bought a dozen eggs.
capital|noun|the city where the government of a country sits|Paris is the capital of France.
continent|noun|one of the seven large areas of land on the earth|Africa is a continent.
"""

UNUSUAL_FIRST_SENSE = set("""account airs arm art article avail award bale balance band bar bark batch battle batter bearing beau bed being bend bent bid
bidding bill blast bleach blessing block blossom board boast booking bounce brain brandy breeding bug build bunk bushel cab cable case cast cause channel
chap charge charm clap claim clatter cloak code colors combine concentrate condition conduct coop cop counsel countenance couple course court craft crush
cushion daring dash deck shower slip slide soaking spade sparkle spirit spirits spray spread spur squire stain stake stand standing step sting stooped
strain streak strike stroke stuff sum surf surrender sweep swelling swoop tear terms thrill tick tip tissue toll touch trading trap trust try tug twinkling
values wake want ward warrant wash watch weeds while whipping wings wink works yoke hoop fireman flats figure force fielding grate sash craftsman python
potato picture scope being bubble spot draft drag draw drop dump edge face field file fit fix flash flat floor flow fly fold foot form frame gear grain
grip ground hand head heat hold host house issue jam join judge key kick knot land last lead leave left level lift light line load lock look lot mark mass
match mate matter mean meat mind model mold note number order pace pack paper part pass patch peak pick piece pin pitch place plant plate play plot point
pool pop pose post pound power press print process pull punch purse push race rack range rate record reserve rest ring rise roll root round row rule run
rush sail saw scale score screen seal season second sense sentence series set shade shape shift shot show side signal sink sound space stage subject
suit swing track turn wage wear will man woman mother father god boy girl nut nurse hog mule rat shark pig dog cat bitch cock cunning gag gang gallop game
agent appeal aim beads suffering text advertising training trail advantages offspring bearer elder dear darling honey sweetheart sake soaking wick pot
grass weed hash dope coke crack high stoned marijuana tobacco cigar cigarette pipe beer wine whiskey rum vodka liquor cheer cow beef executive politician
""".split())
