"""Stories about work, tools, clever ideas and old tales' kind of people."""

TABLE = """
@baker_and_smell
hero: baker; cook; miller; princess; child; bear
topic: bread; a bakery; baking; a good smell; a new recipe
title: The Bread That Nobody Bought; A New Kind of Bread
home: in a small town; in a village between two hills; in a town by a river
$extra = nuts and honey; dried tomatoes; seeds and herbs; raisins and apple; cheese and onion
feel: sad; worried; discouraged
moral: a new idea can change everything; it helps to listen to others; you should dare to try something new
what: Nobody bought {hero}'s bread any more.
how: {Pal} gave {hero} the idea to bake bread with {extra}.
advice: asked people what kind of bread they like
next: They named the new bread after {pal}, and it is baked there to this day.
q: What was in the new bread? => It was bread with {extra}. => {extra}
q: What did {hero} bake? => {Hero} baked bread. => bread
setup:
- Every morning {hero} baked bread, always the same kind.
- {Hero} had a small shop where {they} sold bread.
problem:
- But people were tired of it, and in the evening all the loaves were still there.
- One day nobody came, and the day after, nobody came either.
try:
- {They} made the loaves bigger, but that did not help.
- {They} sold it for half the price, but still nobody wanted it.
help:
- Then {pal_intro} came in, tasted a piece and said, "It is good, but I wish there were something in it."
- {Pal_intro} asked, "What would happen if you put something into the dough?"
fix:
- {Hero} thought of {extra}. That night {they} baked a new bread, and in the morning the whole street smelled of it.
- They tried it together with {extra}. It smelled so good that people opened their windows.
end:
- By noon the shop was empty, and there was a long line for the next day.
- From far and near people came to taste it.

@clockmaker
hero: clockmaker; mouse; inventor; child; robot; teacher
topic: a clock; time; a tower; repairing something
title: The Clock That Stood Still; The Little Wheel
$cause/cure = a bird had built its nest inside/made a new house for the bird; a tiny wheel was missing/made a new wheel from a coin; there was dust in every wheel/cleaned every wheel with a feather; a spider had made a web inside/carried the spider into the garden
feel: puzzled; worried; helpless
moral: small things can stop big things; you must look closely to find the cause; patience finds the fault
what: The big clock had stopped because {cause}.
how: {Hero} and {pal} {cure}, and the clock ran again.
advice: looked for the cause before changing anything
next: The town gave {hero} the key to the tower, and on every first of the month the clock was looked after.
q: Why did the clock stop? / What was wrong with the clock? => The clock stopped because {cause}. => {cause}
q: What did they do to repair it? => They {cure}. => {cure}
setup:
- In the middle of the town there was a tower with a big clock, and {hero} looked after it.
- {Hero} loved the big clock on the town hall and listened to it every hour.
problem:
- One morning the clock stood still. The children came late for school, and the bread burned in the oven.
- Then one day it stopped, and nobody knew what time it was.
try:
- {They} pushed the hands with all {their} strength, but they stopped again.
- {They} oiled everything twice, but the clock stayed still.
help:
- {Pal_intro} climbed up the tower too. "Let us look very closely," said {pal}.
- "Do you hear that?" asked {pal_intro}. "There is something inside."
fix:
- With a lamp they looked into the clock and saw that {cause}. Carefully they {cure}.
- Soon they found it: {cause}! So they {cure}.
end:
- Tick, tock! The clock ran again, and the whole town cheered.
- At noon it rang twelve times, clear and loud.

@king_who_could_not_laugh
hero: king; queen; princess; prince
home: in a castle with a hundred rooms; in a golden castle; in a castle on a hill
topic: laughing; a castle; being sad; a joke
title: The {kind} Who Could Not Laugh; A Laugh for {hero}
pal: stranger
$funny = slipped on a banana skin and landed in a cake; danced with a broom; tried to catch a runaway hen; put the crown on a goat; sneezed so hard that the curtains came down
feel: sad; bored; gloomy
moral: joy cannot be bought; laughter comes when you do not look for it; a simple life can be a merry one
what: {Hero} could not laugh any more.
how: {Pal} {funny}, and {hero} laughed out loud.
advice: spent the day with cheerful people
next: {Pal} was made the castle's master of laughing, and there was a joke with every breakfast.
q: What made {hero} laugh? / What did {pal} do? => {Pal} {funny}. => {funny}
q: What was wrong with {hero}? => {Hero} could not laugh any more. => laugh
setup:
- {They} had gold and jewels and a hundred servants.
- In the castle there was everything that one could wish for.
problem:
- But {hero} could not laugh any more, not even a little.
- But for a whole year nobody had seen {hero} laugh.
try:
- Clowns came from far away, and doctors with bitter drinks, but nothing helped.
- {They} bought a thousand toys, but they soon became boring.
help:
- One day {pal_intro} came to bring eggs to the kitchen.
- Then {pal_intro} came to the castle to clean the windows.
fix:
- {Pal} did not see {hero} at all and {funny}. {Hero} began to giggle, and then {they} laughed until the tears came.
- Right in front of the throne, {pal} {funny}. Everybody was silent. Then {hero} laughed so loud that the windows shook.
end:
- The bells rang, and that day nobody in the land had to work.
- "Please stay for dinner," said {hero}, still laughing.

@painter_without_blue
hero: painter; child; mouse; rabbit; bear; potter
topic: painting; colours; a picture; the colour {colour}
title: The Picture Without {colour}; Where Is the {colour}?
$colour/source = blue/cornflowers and blueberries; red/cherries and poppies; green/grass and spinach; yellow/dandelions and saffron; brown/earth and walnut shells
feel: desperate; upset; disappointed
moral: nature has everything you need; when something is missing, you can make it yourself; a gap can lead to a new discovery
what: {Hero} had no {colour} paint left for {their} picture.
how: {Pal} helped {hero} to make {colour} paint from {source}.
advice: looked for the colour in nature
next: Soon {hero} had a whole shelf of paints made from plants, and {pal} had the first box as a gift.
q: Which colour was missing? / What colour did {hero} need? => The colour {colour} was missing. => {colour}
q: How did they make the paint? / What did they make the paint from? => They made it from {source}. => {source}
setup:
- {Hero} was painting the biggest picture of {their} life for the village fair.
- On a white wall, {hero} painted a picture as big as a house.
problem:
- It was almost finished, but there was no {colour} paint left.
- Only one colour was still missing, and that was {colour}. The jar was empty!
try:
- {They} mixed all the other colours, but only got a muddy grey.
- {They} went to the shop, but it was closed.
help:
- "Come outside," said {pal_intro}. "The whole world is full of colours."
- {Pal_intro} looked at the picture and then out of the window. "I know where there is {colour}," said {pal}.
fix:
- They gathered {source}, crushed them in a bowl, and soon they had the finest {colour}.
- With {source} and a little water, they made their own {colour} paint.
end:
- The picture won first prize, and everybody asked about the wonderful {colour}.
- When the last spot was painted, they stepped back and were amazed.

@rope_and_well
hero: child; goat; fox; dog; farmer; kitten; puppy; lamb
topic: a well; a rescue; a rope; being careful
title: Down in the Well; The Rescue
$pit = dry well; deep hole; old cellar; trench
$means = let down a rope with a basket; pushed a long branch down; tied sheets together; built steps out of stones
feel: frightened; helpless; alone
moral: it is wise to look before you leap; calm friends are the best help; clever thinking can save the day
what: {Hero} fell into {a_pit} and could not get out.
how: {Pal} {means}, and {hero} got out.
advice: walked around it with care
next: The next day they built a fence around the {pit}, so that nobody would ever fall in again.
q: Where did {hero} fall? / What did {hero} fall into? => {Hero} fell into {a_pit}. => {pit}
q: How did {pal} get {hero} out? / How did {hero} get out? => {Pal} {means}. => {means}
setup:
- One fine day {hero} ran across the field and looked only at the birds in the sky.
- {Hero} was playing tag and did not look where {they} was going.
problem:
- Suddenly there was no ground under {their} feet. {They} had fallen into {a_pit}!
- With a thump {they} landed at the bottom of {a_pit}. Luckily {they} was not hurt.
try:
- {They} tried to climb up, but the walls were too steep.
- {They} jumped and jumped, but the edge was too high.
help:
- "Help!" {they} called. {Pal_intro} heard it and looked over the edge.
- After a while {pal_intro} came by. "Stay calm," called {pal}. "I will get you out!"
fix:
- {Pal} thought for a moment. Then {pal} {means}, and bit by bit {hero} came up.
- It was not easy. But {pal} {means}, and in the end {hero} was out.
end:
- They sat in the grass, out of breath and happy.
- {Hero} hugged {pal} and did not want to let go.

@noisy_inventor
hero: inventor; robot; child; wizard; mole; badger
topic: an invention; a machine; noise; neighbours
title: The Noisy Machine; {hero} Has an Idea
$machine/silence = washing machine made of a barrel/put it on soft cushions; machine that peeled apples/filled it with cotton; automatic broom/gave it rubber wheels; machine that made pancakes/built a wooden box around it
feel: sorry; disappointed; misunderstood
moral: it is good to think of others; listening leads to better ideas; a good invention makes everyone happy
what: {Hero}'s {machine} was so loud that nobody could sleep.
how: {Hero} listened to {pal}, and they {silence}.
advice: tested it during the day and asked the neighbours
next: The neighbours ordered ten of them, and {hero} had work for the whole winter.
q: What did {hero} invent? / What did {hero} build? => {Hero} built {a_machine}. => {machine}
q: How did they make it quiet? => They {silence}. => {silence}
q: Why were the neighbours angry? => The machine was so loud that nobody could sleep. => loud; sleep
setup:
- Day and night {hero} hammered in the workshop, and at last a new {machine} was ready.
- {Hero} had invented {a_machine} and was very proud of it.
problem:
- But it was so loud that nobody in the street could sleep.
- It rattled and banged, and all the neighbours stood at the door in their pyjamas.
try:
- "You do not understand anything about inventions!" called {hero} and shut the door.
help:
- {Pal_intro} stayed. "Your machine is wonderful," said {pal}, "but we are all so tired."
- Only {pal_intro} did not shout. "Let us find out where the noise comes from," said {pal}.
fix:
- {Hero} thought about it and nodded. Together they {silence}. It was as quiet as a mouse!
- They looked at it from all sides, and then they {silence}. Now it only hummed.
end:
- Now everybody wanted to see it, and the neighbours slept well.
- "Bravo!" called the neighbours, this time in the middle of the day.

@postman_letter
hero: postman; bus driver; train driver; pigeon; dog; donkey; sailor
topic: a letter; the post; a long way; keeping a promise; not giving up
title: The Last Letter; A Letter for {pal}
home: in a small town; in a village between two hills; at the end of the railway line
pal: stranger
helper: no
$block/way = the bridge was broken/crossed the river in a washing tub; snow lay on the road/put on a pair of old skis; the map was wet and could not be read/asked the way at every door; a fallen tree lay across the road/climbed over it with the bag on {their} back
feel: tired; worried; unsure
moral: it is worth keeping your word; where there is a will there is a way; a small duty can mean a lot to somebody
what: {Hero} had to bring a letter to {pal}, but {block}.
how: {Hero} {way} and brought the letter in time.
advice: looked for another way as well
next: A week later {hero} got a letter too. It was from {pal}, and it said "thank you" ten times.
q: What was in the way? / Why was it hard to bring the letter? => It was hard because {block}. => {block}
q: How did {hero} get there? / What did {hero} do? => {Hero} {way}. => {way}
q: Who was the letter for? => The letter was for {pal}. => {pal}
setup:
- One evening there was one last letter in the bag. It was for {pal_intro}, far outside of the town.
- "This letter must arrive today," they said to {hero}. It was for {pal_intro}, who lived far away.
problem:
- But {block}, and it was getting dark.
- {Hero} set out at once. But then {block}.
try:
- {They} thought of turning back. Nobody would have noticed.
help:
- {They} looked at the letter. "Somebody is waiting for this," {they} thought.
- Then {hero} thought of the promise that {they} had made.
fix:
- So {hero} {way}. Late at night {they} knocked at the door, and {pal} opened it.
- {Hero} {way} and went on and on until {they} saw a light in the window. It was the house of {pal}.
end:
- {Pal} read the letter and cried for joy. "My brother is coming home!" said {pal}, and made hot soup for {hero}.
- It was good news, and {pal} danced around the table with {hero}.

@scarecrow_birds
hero: scarecrow; snowman; giant; robot
home: in a field of corn; at the edge of a village; behind a farm
topic: birds; a field; being alone; an unusual friend
title: {hero} and the Birds; The Kind {kind}
pal: none
$pal/pal_intro/p_they/p_them/p_their = Tilly/a little sparrow called Tilly/she/her/her; Rook/a black crow called Rook/he/him/his; Bim/a tiny wren called Bim/he/him/his
$offer = the pocket of {their} coat; {their} big hat; {their} warm sleeve; the space under {their} arm
feel: lonely; sad; left out
moral: you can choose to be kind; there is a friend for everyone; you are more than what others say you are
what: All the birds were afraid of {hero}, and {they} was alone.
how: {Hero} let {pal} stay in {offer} during a cold night, and then the birds were not afraid any more.
advice: spoken softly to the birds
next: In spring there was a nest with four eggs in {offer}, and {hero} did not move for three weeks.
q: Where did {pal} sleep? / Where did {pal} stay? => {Pal} stayed in {offer}. => {offer}
q: Why was {hero} alone? => The birds were afraid of {hero}. => afraid
setup:
- Day and night {they} stood there and looked over the land.
- {They} could see far, and {they} loved to listen to the birds.
problem:
- But all the birds were afraid and flew away when they saw {them}.
- But no bird ever came near. "We must be careful," the birds said.
try:
- {They} tried to sing like a bird, but it sounded like a squeaking door.
help:
- One icy night {pal_intro} fell out of the wind, too weak to fly on. "Please do not hurt me," said {pal}.
- Then a storm came, and {pal_intro} landed right at {their} feet, wet and shaking.
fix:
- "You may sleep here," said {hero} and made room in {offer}. In the morning {pal} told all the others about it.
- {Hero} kept {pal} warm in {offer} until the storm was over. Then {pal} flew from tree to tree and told everyone.
end:
- Now birds sit on {their} shoulders every day, and there is singing from morning till night.
- Since then {hero} has never been alone for a single day.

@treasure_map
hero: child; captain; sailor; fox; mouse; princess; prince
topic: a treasure; {a_thing}; pirates; an old map; an adventure
title: The Old Map; The Treasure under the {mark}
$mark = old oak; white rock; broken mill; stone bridge; tall pine
$thing = box of old coins; golden bell; bag of glass marbles; silver cup; chest of books
$riddle/answer = what has hands but cannot clap/a clock; what has a neck but no head/a bottle; what has teeth but cannot bite/a comb; what gets wetter the more it dries/a towel; what has one eye but cannot see/a needle
feel: puzzled; impatient; unsure
moral: a clear head is better than strong arms; two can solve what one cannot; a shared treasure is worth more
what: {Hero} found a treasure map, but could not solve the riddle on it.
how: {Pal} and {hero} found the answer, {answer}, and dug up the treasure under the {mark}.
advice: read the riddle aloud and thought about it
next: On the back of the map there was a second riddle. But that is another story.
q: What was the treasure? / What did they find? => They found {a_thing}. => {thing}
q: Where was the treasure? / Where did they dig? => It was under the {mark}. => {mark}
q: What was the riddle? => The riddle was: {riddle}? => {riddle}
q: What was the answer to the riddle? => The answer was {answer}. => {answer}
setup:
- In an old book {hero} found a map with a red cross under {a_mark}.
- One rainy day {hero} found a yellow map. There was a cross under {a_mark}.
problem:
- Beside it stood a riddle: "{Riddle}? Only those who know may dig." {Hero} had no idea.
- "Solve the riddle first," it said. "{Riddle}?" {Hero} thought until {their} head hurt.
try:
- {They} just began to dig, but the ground was as hard as stone.
- {They} guessed a dog, a cloud and a shoe, but nothing fitted.
help:
- {They} asked {pal_intro} for help. "Read it to me slowly," said {pal}.
- {Pal_intro} loved riddles. They sat down and thought about it together.
fix:
- "It is {answer}!" they cried at the same time. They dug under the {mark} and found {a_thing}.
- Suddenly {pal} laughed. "{Answer}!" And under the {mark} they found {a_thing}.
end:
- They shared everything in two equal parts.
- "Half for you and half for me," said {hero}, and so it was done.

@honest_woodcutter
hero: carpenter; farmer; child; beaver; bear; fisherman
topic: honesty; a river; {a_thing}; a fairy; telling the truth
title: The Honest {kind}; The {thing} in the River
pal: none
$pal/pal_intro/p_they/p_them/p_their = the fairy/a fairy with silver hair/she/her/her; the water man/a water man with a green beard/he/him/his; the big fish/a big golden fish/he/him/his
$thing = axe; hammer; fishing rod; bucket; knife; bell
feel: desperate; sad; worried
moral: honesty is rewarded; it is better to be honest than rich; you should not take what is not yours
what: {Hero} dropped {their} {thing} into the river.
how: {Pal} offered {hero} a golden one, but {hero} told the truth, and so {they} got {their} own {thing} back and the golden one too.
advice: told the truth as well
next: {Hero} sold the golden {thing}, bought a cow for every poor family and went on working with {their} old {thing}.
q: What fell into the river? / What did {hero} lose? => {Hero}'s {thing} fell into the river. => {thing}
q: Who came out of the water? => {Pal} came out of the water. => {pal}
q: Did {hero} take the golden {thing} at first? => No, {hero} said that it was not {their} {thing}. => no; not
setup:
- {They} had only one good {thing} and needed it for {their} work every day.
- {Hero} worked by the river with {their} old {thing}.
problem:
- One day {they} slipped, and the {thing} fell into the deep water.
- Then the {thing} slipped out of {their} hands, and splash! It was gone in the river.
try:
- {They} reached into the water with a stick, but the river was too deep.
help:
- Then {pal_intro} came up out of the water, holding a golden {thing}. "Is this yours?" asked {pal}.
- Suddenly the water shone, and there was {pal_intro}. "Does this golden {thing} belong to you?" asked {pal}.
fix:
- "No," said {hero}, "mine is old and made of iron." {Pal} smiled and gave {them} both, the old one and the golden one.
- It would have been easy to say yes. But {hero} said, "No, that is not mine." "Because you are honest, you may have both," said {pal}.
end:
- {Hero} thanked {p_them} and went home with two of them.
- With a bow and a splash, {pal} was gone.
"""
