"""Stories about courage, patience, anger, pride and hope."""

TABLE = """
@thunderstorm
hero: any
topic: a thunderstorm; thunder; being afraid; courage; a storm
title: The Night of Thunder; {hero} and the Storm
$count = counted the seconds between lightning and thunder; sang a loud song after every clap of thunder; told each other jokes; beat on pots like drums
feel: afraid; terrified; very small
moral: fear gets smaller when you share it; storms pass; it is easier to be brave together
what: {Hero} was afraid of the thunder.
how: {Hero} and {pal} {count} until the storm was over.
advice: stayed inside and sung a song
next: When the next storm came, {hero} was the one who comforted the little ones.
q: What was {hero} afraid of? => {Hero} was afraid of the thunder. => thunder
q: What did they do during the storm? => They {count}. => {count}
setup:
- In the evening dark clouds came over the hills.
- It had been hot all day, and now the air was still and heavy.
problem:
- There was a flash, and then thunder so loud that the windows shook. {Hero} hid under the table.
- Boom! The thunder rolled, and {hero} crawled under the blanket.
try:
- {They} held {their} ears, but the thunder was louder.
help:
- Under the table sat {pal_intro} as well. "Are you afraid too?" asked {hero}. "A little," said {pal}.
- {Pal_intro} crept in beside {them}. "Shall we be afraid together?" asked {pal}.
fix:
- So they {count}, and with every clap it was less frightening.
- Then they {count}. Before long they were laughing.
end:
- When it was quiet again, they almost wished that the storm would come back.
- The rain grew softer, and they fell asleep side by side.

@angry_day
hero: any
topic: being angry; anger; saying sorry; a quarrel; making up
title: The Angry Day; How {hero} Cooled Down
$cause = {pal} had knocked over {their} tower; {pal} had laughed at {their} drawing; {pal} had eaten the last piece of cake; {pal} had forgotten their meeting
$calm = took ten deep breaths; walked once around the pond; counted slowly to twenty; drew {their} anger as a big red cloud
feel: angry; furious; hot with anger
helper: no
moral: it is better to calm down before you speak; anger passes but words stay; saying sorry mends a lot
what: {Hero} was angry because {cause}, and {they} shouted at {pal}.
how: {Hero} {calm}, and then they both said sorry.
advice: taken a few deep breaths before saying anything
next: They made a secret sign: whoever felt angry would touch {their} nose. It made them laugh every time.
q: Why was {hero} angry? => {Hero} was angry because {cause}. => {cause}
q: How did {hero} calm down? / What did {hero} do to calm down? => {Hero} {calm}. => {calm}
setup:
- {Pal_intro} came to play, as on every Saturday.
- {Hero} spent the afternoon with {pal_intro}. At first everything went well.
problem:
- But then {hero} got angry, because {cause}. "Go away!" {they} shouted.
- Then {hero} shouted loud, mean words, because {cause}.
try:
- {Hero} stamped {their} foot, but the anger did not go away.
help:
- {Pal} had tears in {p_their} eyes and walked to the door. Then {hero} was sorry.
- It was suddenly very quiet. {Hero} saw how sad {pal} was.
fix:
- {They} went outside and {calm}. Then {they} said, "I am sorry that I shouted." "I am sorry too," said {pal}.
- {Hero} {calm}. When {they} was calm, {they} said sorry, and {pal} said sorry too.
end:
- They sat down together and ate some bread with honey. It tasted better than ever.
- Then they began a new game, and the quarrel was forgotten.

@impatient_gardener
hero: child; rabbit; mouse; mole; bear; gardener; pig; hedgehog
topic: a garden; patience; a seed; growing a plant; {a_thing}
title: The {thing} That Took Its Time; {hero} Waits
$thing = sunflower; tomato plant; bean; pumpkin; strawberry plant; tulip; melon
feel: impatient; disappointed; annoyed
pal: elder
moral: good things need time; patience makes things grow; some things cannot be hurried
what: {Hero} planted {a_thing}, but nothing came up, and {they} could not wait.
how: {Pal} taught {hero} to water it a little each day and to wait.
advice: watered it a little every day and waited
next: {Hero} saved the seeds in a paper bag, and the next spring {they} gave one to every neighbour.
q: What did {hero} plant? => {Hero} planted {a_thing}. => {thing}
q: What did {hero} have to do every day? => {Hero} had to give it a little water every day. => water
setup:
- In spring {hero} put a seed into the ground. It was going to be {a_thing}.
- {They} had been given a seed. "This will be {a_thing}," said the old seller.
problem:
- The next morning {they} ran outside, but there was nothing to see. And the day after, there was nothing either.
- {They} sat down in front of it and waited. One hour, two hours, but nothing happened.
try:
- {They} dug the seed up to see if it was growing, and put it back again.
- {They} shouted at the ground, "Grow!" But it did not help.
- {They} poured three big cans of water over it, and almost washed it away.
help:
- {Pal_intro} smiled. "It is sleeping and drinking. Give it a little water each day, and wait."
- "It cannot go faster," said {pal_intro}. "A little water every day, some sun, and time."
fix:
- So {hero} came every morning with a small can of water. After two weeks, a green tip looked out of the earth.
- {Hero} gave it water, pulled the weeds and waited. One morning there was a tiny leaf!
end:
- By the end of summer it was the finest {thing} in the whole street.
- In August {they} stood beside {their} {thing}, as proud as could be.

@climbing_hill
hero: any
topic: a mountain; climbing; not giving up; a long walk
title: To the Top; Step by Step
$hill = Windy Hill; Eagle Rock; the Blue Mountain; Stone Peak; the Green Hill
$view = the sea, shining like silver; the whole valley and their own little house; three lakes and a castle; a rainbow over the fields
feel: tired; discouraged; weak
moral: a long way is made of small steps; you should not give up too early; together the steepest path is easier
what: The way up {hill} was so steep that {hero} wanted to turn back.
how: {Pal} had the idea to walk only from one tree to the next.
advice: taken a rest and then gone on slowly
next: They put a small stone on the top, and every year they came back and added another one.
q: Which hill did they climb? / What did they climb? / Where did they go? => They climbed {hill}. => {hill}
q: What did they see from the top? / What could they see? => They saw {view}. => {view}
setup:
- {They} had always wanted to stand on the top of {hill}. One morning {they} set out with {pal_intro}.
- "Today we will climb {hill}," {hero} said to {pal_intro}, and they set out with bread and water.
problem:
- Half way up, the path became very steep. {Hero}'s legs hurt, and the top was still far away.
- But the sun was hot and the way was long. "I cannot go on," said {hero}.
try:
- {They} sat down on a stone and did not want to take another step.
help:
- "Do not look at the top," said {pal}. "Do you see that tree? Let us only walk to that tree."
- {Pal} gave {them} some water. "We only have to get to the next tree," said {pal}.
fix:
- They walked to the tree, and then to the next one, and so on. Suddenly there were no more trees. They were at the top!
- From tree to tree they went, and at each one they rested. And before they knew it, they stood at the top.
end:
- From there they saw {view}. They forgot how tired they were.
- "Look!" said {hero}. Before them lay {view}.

@wish_to_be_big
hero: mouse; ant; hedgehog; mole; kitten; puppy; snail; robin
topic: being small; being too little; growing up; a rescue
title: Small but Useful; The Smallest Helper
$task/spot = key/under the floor; ring/in a narrow crack; coin/behind the heavy cupboard; letter/in a thin pipe
feel: useless; sad; unhappy
helper: no
moral: being small can be a great thing; everyone is useful in their own way; size does not matter when you want to help
what: {Hero} was sad because {they} was so small.
how: {Hero} was the only one small enough to fetch the {task} that {pal} had lost {spot}.
advice: thought about what only I can do
next: {Pal} told everyone about it, and soon all those who had lost something came to {hero}.
q: What had {pal} lost? => {Pal} had lost {a_task}. => {task}
q: Where was the {task}? => It was {spot}. => {spot}
setup:
- {They} was smaller than all the others and could not reach anything.
- "If only I were big!" {hero} said every morning.
problem:
- "You are too small to help," the others always said.
- When the others carried wood and stones, {hero} could only watch.
try:
- {They} stretched and stretched, but {they} did not grow.
- {They} stood on {their} toes all day, and in the evening {their} feet hurt.
help:
- One day {pal_intro} was very upset. "My {task} has fallen down, and now it is {spot}. Nobody can reach it!"
- Then {pal_intro} came and cried, "My {task} is {spot}, and we are all too big to get in there!"
fix:
- "I can!" called {hero}. {They} slipped in and came back with the {task}.
- {Hero} looked at it. "That is easy for me," {they} said, slipped inside and brought out the {task}.
end:
- "What luck that you are so small!" cried {pal}, and everybody cheered.
- Now {hero} stood tall and did not want to be any bigger.

@telling_lies
hero: child; fox; shepherd; rabbit; kitten; crow
topic: lying; telling the truth; a joke that went wrong; trust
title: The False Alarm; Nobody Believed {hero}
$alarm = "Fire!"; "The river is rising!"; "A bear is coming!"; "The barn is falling down!"
feel: desperate; frightened; sorry
moral: if you often lie, nobody believes you when you tell the truth; trust is easy to lose and slow to win back; honest words are trusted words
what: {Hero} had called {alarm} so often as a joke that nobody believed {them} when it was true.
how: {Hero} promised {pal} never to lie again, and {pal} believed {them} and called for help.
advice: told the truth from the beginning
next: It took a whole year until everyone trusted {hero} again, but {hero} never told another lie.
q: What did {hero} shout? => {Hero} shouted {alarm} => {alarm}
q: Why did nobody believe {hero}? => Nobody believed {hero}, because {they} had lied too often. => lie; joke
setup:
- {They} liked to play jokes. Again and again {they} shouted {alarm} and laughed when everyone came running.
- For fun, {hero} often called {alarm} And when the others came, {they} laughed at them.
problem:
- But one day it was really true. {Hero} shouted {alarm} but nobody came.
- Then it really happened. {Hero} ran and called {alarm} "Just another joke," said the others.
try:
- {They} shouted until {their} voice was gone.
help:
- At last {hero} found {pal_intro}. "Please believe me," said {hero}. "I will never lie again!"
- {Hero} ran to {pal_intro} with tears in {their} eyes. "This time it is true, I promise!"
fix:
- {Pal} looked at {them} for a long time, nodded and called the others. Together they were just in time.
- {Pal} saw the tears and believed {them}. They rang the big bell, and everyone came just in time.
end:
- In the evening, {hero} said sorry to everyone, one after another.
- Nobody was hurt. {Hero} went from door to door and said sorry.

@lost_in_forest
hero: child; fox; rabbit; puppy; deer; kitten; princess; prince
topic: the forest; getting lost; being lost; finding the way
title: Lost in the Forest; The Way Home
$lure = picking berries; following a butterfly; looking for mushrooms; chasing a ball; listening to a bird
$sign = the sound of the stream; the smoke from a chimney; the evening star; the sound of the church bell
feel: afraid; lost and lonely; frightened
moral: staying calm helps more than running; it is wise to stay together; keeping calm shows you the way
what: {Hero} got lost in the forest while {lure}.
how: {Pal} stayed calm, and they followed {sign} out of the forest.
advice: stayed where I was and called for help
next: The next time they went into the forest, they tied a red ribbon to every tenth tree.
q: How did {hero} get lost? / What was {hero} doing when {they} got lost? => {Hero} got lost while {lure}. => {lure}
q: What did they follow? / How did they find the way home? => They followed {sign}. => {sign}
setup:
- One afternoon {hero} was {lure} and did not notice how deep the forest was.
- {They} had gone into the forest and was busy {lure}.
problem:
- When {they} looked up, there was no path, and it was getting dark.
- Suddenly every tree looked the same, and {hero} did not know the way back.
try:
- {They} ran this way and that way, and only went deeper into the forest.
- {They} called, but only an echo answered.
help:
- Behind a bush {they} met {pal_intro}, who was lost as well. "Let us sit down and listen," said {pal}.
- Then {pal_intro} came through the trees. "I have lost my way too," said {pal}, "but we must stay calm."
fix:
- They were very quiet, and then they noticed {sign}. They followed it, hand in hand.
- They waited and looked around. "There!" said {hero}. It was {sign}, and they followed it step by step.
end:
- Before it was night they stood in front of the first house.
- Soon they were home, with warm soup and dry socks.

@lonely_dragon
hero: dragon; giant; wizard; robot; bear; lion
topic: being lonely; making friends; being different; a scary face
title: The Lonely {kind}; Who Is Afraid of {hero}?
home: in a cave high above a village; in an old castle; on a lonely mountain
$skill = warm the oven of the baker; lift a tree from the road; light the lamps in the street; carry water up the hill; clear the snow from the street
feel: lonely; sad; left out
pal: stranger
moral: you should not judge others by their looks; a kind heart is stronger than a scary face; nobody should be left alone
what: Everybody was afraid of {hero}, so {they} had no friends.
how: {Pal} talked to {hero}, and {hero} showed that {they} could {skill}.
advice: said hello in a soft voice
next: Every winter after that, the whole village had a feast at {hero}'s door.
q: Why was {hero} lonely? / Why did {hero} have no friends? => Everybody was afraid of {hero}. => afraid
q: What could {hero} do? / How did {hero} help the village? => {Hero} could {skill}. => {skill}
setup:
- {They} was big and strong, but {they} would never hurt anyone.
- From up there {they} saw the lights of the village every night and heard the songs.
problem:
- But everybody was afraid and ran away as soon as {they} came near.
- When {hero} wanted to say hello, people locked their doors.
try:
- {They} tried to smile, but with all those teeth it looked even worse.
- {They} tried to make {their} voice soft, but the windows still shook.
help:
- One evening {pal_intro} lost the way and stood in front of {them}. "You do not look bad," said {pal}, "only sad."
- Only {pal_intro} was not afraid. "What is your name?" asked {pal}. Nobody had ever asked that before.
fix:
- "Come with me," said {pal}. "I know somebody who needs help." And so {hero} went to the village to {skill}.
- The next day the village had a problem, and {pal} had an idea. {Hero} came down to {skill}, and everyone was amazed.
end:
- Since then nobody runs away any more, and the children play between {hero}'s big feet.
- That night {hero} sat in the middle of the village and sang along, very softly.

@jealous_friend
hero: any
topic: jealousy; three friends; friendship; a new friend
title: Room for Three; The New Friend
pal: friend
$game = a game of hide and seek; a tower of stones; a play with puppets; a boat made of bark; a dance
feel: jealous; hurt; left out
helper: no
moral: friendship is not smaller when there are more friends; there is room for three; a new friend can become your friend too
what: {Pal} had found a new friend, and {hero} felt left out.
how: {Hero} told {pal} how it felt, and then all three played together.
advice: told {pal} how I felt
next: Soon they were called "the three", because nobody ever saw one of them alone.
q: Why was {hero} jealous? / Why did {hero} feel left out? => {Pal} had found a new friend. => new friend
q: What did the three of them make or play? => They made {game}. => {game}
setup:
- {Hero} and {pal_intro} did everything together.
- Nobody could laugh with {hero} like {pal_intro}.
problem:
- But one day {pal} came with somebody new, and the two of them laughed about things that {hero} did not understand.
- Then {pal} found a new friend, and {hero} sat alone on the wall.
try:
- {Hero} acted as if {they} did not care, but it hurt inside.
- For three days {hero} did not say a word to {pal}.
help:
- "What is wrong?" asked {pal} at last. {Hero} swallowed. "I am afraid that you do not need me any more," {they} said.
- Then {hero} took heart and said, "I miss you, {pal}."
fix:
- "But you are my oldest friend!" said {pal}. "Come, we need a third one." And they made {game}, all three together.
- {Pal} took {their} hand. "It is more fun with you." With three of them, {game} was twice as good.
end:
- It turned out that the new friend was really very nice.
- In the evening {hero} thought, "How silly I was!"

@trying_new_food
hero: any
topic: food; trying something new; {a_thing}; a soup
title: Only One Spoon; {hero} and the {thing}
$thing = green soup; pumpkin pie; mushroom stew; carrot cake; bean soup; spinach pancake
pal: elder
feel: unsure; disgusted; stubborn
moral: you should try something before you say no; new things can be a nice surprise; one little taste cannot hurt
what: {Hero} did not want to try the {thing}.
how: {Pal} asked {hero} to help in the kitchen and to try just one spoon.
advice: tried one very small spoon
next: The week after, {hero} cooked the {thing} for all {their} friends and said to each one, "Only one spoon!"
q: What did {hero} not want to eat? => {Hero} did not want to eat the {thing}. => {thing}
q: Did {hero} like it in the end? => Yes, in the end {hero} liked the {thing} very much. => yes; liked
setup:
- {They} ate bread with butter every single day, and nothing else.
- {Hero} knew exactly what {they} liked, and that was not much.
problem:
- One day there was {thing} for lunch. "I will not eat that," said {hero}.
- Then {thing} was put on the table. It looked strange. "No!" said {hero} and closed {their} mouth.
try:
- {They} pushed the plate away and sat there with crossed arms, and {their} stomach growled.
help:
- {Pal_intro} did not get cross. "Come and help me cook," said {pal}, "and then try one spoon. Only one."
- "You can stir the pot," said {pal_intro}, "and then you take one little spoon. If you do not like it, you may stop."
fix:
- {Hero} stirred, smelled and closed {their} eyes. One spoon. Then another one. And then the plate was empty!
- {They} took the smallest spoon in the house and tried. {Their} eyes grew wide. It was delicious!
end:
- "Is there any more?" asked {hero}, and {pal} had to laugh.
- {Hero} licked the spoon and asked what was for lunch tomorrow.
"""
