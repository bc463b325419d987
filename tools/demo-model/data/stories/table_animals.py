"""Stories about animals and their troubles."""

TABLE = """
@fox_thirsty_well
hero: fox; wolf; hare; goat; deer; bear; donkey; squirrel
pal: none
$pal/pal_intro/p_they/p_them/p_their = the crow/an old crow/she/her/her; the frog/a small green frog/he/him/his; the turtle/a slow turtle/she/her/her
topic: a hot summer; water; being thirsty; kindness
title: The Dry Summer; Water for {hero}
$path = behind the big rock; at the end of the dark cave; under the old willow; between two tall pines
feel: tired and thirsty; worried; weak
moral: being kind to small creatures is never wasted; a small friend can be a big help; it pays to be polite to everyone
what: It was so hot that the stream had dried up, and {hero} could find no water.
how: {Pal} showed {hero} a hidden spring {path}.
advice: asked the animals who know the forest best
next: When the rain came back, {hero} and {pal} met at the stream every evening and talked about the long dry summer.
q: Where was the spring? / Where was the water? => The spring was {path}. => {path}
q: Why was there no water? => It was so hot that the stream had dried up. => dried; hot
setup:
- It was the hottest summer that anyone could remember.
- Day after day the sun burned, and not a drop of rain fell.
problem:
- The stream had dried up, and {hero} could not find any water.
- All the ponds were empty, and {hero} had not had a drink for a whole day.
try:
- {They} dug a hole with {their} feet, but there was only dust.
- {They} walked over three hills, but every stream was dry.
help:
- On the way, {hero} met {pal_intro} who lay in the hot sun. {Hero} gently moved {p_them} into the shade.
- {Hero} found {pal_intro} caught in a thorn bush, and although {they} was so tired, {they} stopped to help.
fix:
- "You are kind," said {pal}. "I will show you a secret." And {pal} led {hero} to a cool spring {path}.
- "Now let me help you," said {pal}. "There is a spring {path}. Come with me!"
end:
- {Hero} drank and drank, and then {they} called all the other animals to share the water.
- The water was cold and sweet, and there was enough for everybody.

@hibernation
hero: bear; hedgehog; badger; squirrel; mole
topic: winter; snow; sleep; not being able to sleep; a bedtime
title: The {kind} Who Could Not Sleep; Too Awake for Winter
$noise/cure = the wind that howled/hung a thick blanket over the door; a drop that fell from the roof/put a bowl of moss under the drop; a branch that tapped on the wall/tied the branch back with a string
feel: tired and grumpy; restless; sleepy but wide awake
moral: a good friend is better than a soft pillow; small problems have small answers; there is always a friend who can help
what: {Hero} could not fall asleep for the winter because of {noise}.
how: {Pal} {cure}, and then it was quiet.
advice: found out where the noise came from
next: In spring, {hero} woke up rested and brought {pal} the first flowers of the year.
q: Why could {hero} not sleep? / What kept {hero} awake? => {Hero} could not sleep because of {noise}. => {noise}
q: What did {pal} do? => {Pal} {cure}. => {cure}
setup:
- The days grew short and the first snow fell. It was time for {hero} to sleep until spring.
- Winter was coming, and {hero} had made a soft bed of leaves.
problem:
- But {they} could not sleep because of {noise}.
- {They} turned to the left and turned to the right, but there was {noise}, all night long.
try:
- {They} counted snowflakes up to a hundred, but it did not help.
- {They} put leaves into {their} ears, but {they} could still hear it.
help:
- Then there was a knock. Outside stood {pal_intro}. "Why is your light still on?" asked {pal}.
- {Pal_intro} came by on the way home. "You should have been asleep long ago," said {pal}.
fix:
- {Pal} listened for a moment, nodded and {cure}. Suddenly it was quiet.
- "I know what to do," said {pal}, and {pal} {cure}. Then there was not a sound.
end:
- {Hero} yawned, pulled up the blanket of leaves and slept until the first flower of spring.
- "Good night," whispered {pal}, but {hero} was already snoring.

@lost_duckling
hero: duck; goose; swan; hen; penguin
topic: getting lost; a family; finding the way home; a mother
title: {hero} Finds the Way; Lost at the Pond
home: on a wide pond with five brothers and sisters; by a quiet lake with a big family
$lure = a shiny dragonfly; a floating feather; a yellow butterfly; a red leaf on the water
$sign = the tall white tree; the old wooden bridge; the blue boat; the red mill
feel: frightened; lonely; very small
moral: it is best to stay close to the family; it helps to remember what you saw on the way; it is good to look where you are going
what: {Hero} followed {lure} and got lost.
how: {Pal} asked what {hero} had seen on the way, and they followed {sign} back home.
advice: stayed in one place and called loudly
next: The next day, {hero} wanted to explore again, but this time the whole family came along.
q: What did {hero} follow? / How did {hero} get lost? => {Hero} followed {lure}. => {lure}
q: What did {hero} remember? / What helped them find the way? => {Hero} remembered {sign}. => {sign}
setup:
- Every morning the family swam in a long line, and {hero} was always the last one.
- {They} was the smallest and the most curious of them all.
problem:
- One day {they} saw {lure} and followed it, and when {they} looked up, everybody was gone.
- "What is that?" said {hero} and followed {lure}, further and further, until {they} did not know the place any more.
try:
- {They} called as loudly as {they} could, but only the wind answered.
- {They} went left, and then right, but everything looked the same.
help:
- {Pal_intro} heard the crying. "What did you see on your way here?" asked {pal}.
- "Do not be afraid," said {pal_intro}. "Try to remember. What did you pass?"
fix:
- "I passed {sign}," said {hero}. "I know where that is!" said {pal}, and soon they saw the whole family.
- {Hero} thought of {sign}. {Pal} knew the way there, and from there {hero} could see home.
end:
- Mother opened her wings wide, and {hero} slipped under them.
- "We looked for you everywhere!" cried the family, and they all went home together, with {hero} in the middle.

@slow_turtle
hero: turtle; snail; hedgehog; mole
topic: being slow; a race; patience; being different
title: Slow and Steady; The Slowest One in the Forest
place: the meadow; the forest; the valley; the park
$goal = the big oak; the end of the meadow; the old bridge; the top of the hill
feel: small and sad; left out; unhappy
moral: everyone has something they are good at; being slow and careful can be a strength; it does not matter how fast you are
what: The others laughed at {hero} because {they} was so slow.
how: {Pal} and the fast ones ran past the right path, and slow, careful {hero} saw it and led them all to {goal}.
advice: gone my own way, slowly and carefully
next: After that, whenever somebody had to find a hidden thing, they asked {hero} to come along.
q: Why did the others laugh? / Why did they laugh at {hero}? => They laughed because {hero} was so slow. => slow
q: Where did they want to go? / Where was the race going? => They wanted to reach {goal}. => {goal}
setup:
- All the animals of {place} wanted to run a race to {goal}.
- One day there was a treasure hunt in {place}. The way led to {goal}.
problem:
- "You are much too slow!" they laughed at {hero}, and off they ran.
- "Stay at home, {hero}," said the others. "You are too slow for this."
try:
- {Hero} went as fast as {they} could, but soon the others were out of sight.
help:
- {Hero} set off all the same, one step at a time. On the way {they} met {pal_intro}, out of breath and quite lost.
- {They} walked slowly and looked at everything. Suddenly {pal_intro} came running back. "We cannot find the way!" cried {pal}.
fix:
- "You ran past it," said {hero}. "There is a small path behind the ferns." And so {they} led them all to {goal}.
- Because {hero} went slowly, {they} had seen a little sign in the grass. "It is this way," {they} said, and soon they stood at {goal}.
end:
- Nobody laughed any more. They lifted {hero} up and cheered.
- "Next time we will all walk with you," said {pal}, and everyone agreed.

@bird_with_hurt_wing
hero: any
topic: a bird; a hurt animal; helping animals; letting go
title: The Little {bird}; {hero} and the {bird}
place: the garden; the forest; the park; the yard
pal: elder
$bird = sparrow; robin; blackbird; swallow; finch
$food = seeds; crumbs; berries; small worms
feel: sorry for the bird; worried; sad
moral: helping also means letting go; wild animals belong outside; care and time can heal
what: {Hero} found {a_bird} with a hurt wing.
how: {Pal} showed {hero} how to care for the {bird} with a warm box and {food}, until it could fly again.
advice: put the bird in a quiet box and asked someone who knows about birds
next: Next spring, a {bird} built its nest right under {hero}'s window. {Hero} was sure that it was the same one.
q: What kind of bird was it? / Which bird did {hero} find? => It was {a_bird}. => {bird}
q: What did the bird eat? => It ate {food}. => {food}
q: Where did {hero} find the bird? => {Hero} found it in {place}. => {place}
setup:
- After a stormy night, {hero} went out into {place}.
- One cold morning, {hero} heard a soft peep in {place}.
problem:
- There, under a bush, sat {a_bird} that could not fly. Its wing was hurt.
- On the ground lay {a_bird} with a hurt wing. It was shaking.
try:
- {They} wanted to throw it up into the air, but the poor bird was too weak.
help:
- {Hero} carried it carefully to {pal_intro}. "It needs rest, warmth and food," said {pal}.
- {Pal_intro} knew what to do. "We need a box with soft hay," said {pal}.
fix:
- They made a bed in a box, and every day {hero} brought {food} and water. After two weeks, the {bird} could move its wing again.
- {Hero} gave it {food}, spoke to it softly and kept it warm. Day by day, the {bird} grew stronger.
end:
- At last {hero} opened the window. It was hard to say goodbye, but the {bird} flew up into the blue sky and sang.
- Then came the day when it flew away. {Hero} waved for a long time and was glad and a little sad.

@new_nest
hero: squirrel; mouse; owl; sparrow; robin; rabbit; beaver
topic: a storm; a new home; building a house; teamwork
title: A New Home for {hero}; After the Storm
$old/new = nest in the birch/hollow in the strong oak; little house by the river/house on the hill; home under the old fence/home under the stone wall; home in the haystack/home in the warm barn
feel: sad and cold; helpless; shocked
moral: together, we can build things up again; many helpers make light work; after every storm there is a new start
what: A storm destroyed {hero}'s {old}.
how: {Pal} and the other animals helped {hero} build a new {new}.
advice: asked all my friends to help
next: When the next storm came, {hero} opened the door for everyone who was cold, and there was room for all.
q: What happened to the {old}? / What did the storm do? => The storm destroyed {hero}'s {old}. => storm; destroyed
q: What is the new home? / Where does {hero} live now? => {Hero} now has {a_new}. => {new}
setup:
- {Hero} had a cosy {old}, just big enough for one.
- {They} loved {their} {old} and thought that it would last forever.
problem:
- But one night a storm blew so hard that nothing was left of it.
- Then a great storm came, and in the morning everything was broken and wet.
try:
- {They} tried to build it again alone, but the pieces were too heavy.
help:
- {Pal_intro} came to see if everything was all right. "You can stay with me tonight," said {pal}, "and tomorrow we will build."
- "Cheer up," said {pal_intro}. "I will call the others."
fix:
- The next day all the animals came. One carried sticks, one brought moss, and soon there was a new {new}.
- Together they carried, pushed and pulled. By evening {hero} had {a_new}, and it was much stronger than before.
end:
- They danced in front of the door, and {hero} made tea for everyone.
- That night {hero} slept dry and warm, and dreamed of nothing but friends.

@proud_peacock
hero: peacock; swan; parrot; horse; lion; cat
topic: being proud; beauty; friendship; showing off
title: The Proud {kind}; What {hero} Could Not Do Alone
$part/cover = beautiful tail/mud; fine looks/sticky honey; shining eyes/thorns and leaves
home: in a king's garden; in a wide green park; near a rose garden
feel: helpless; ashamed; lonely
moral: kindness is more beautiful than fine looks; it is not good to look down on others; friends matter more than beauty
what: {Hero} was too proud, and when {they} was stuck and covered with {cover}, nobody was there to help.
how: {Pal} forgave {hero}, cleaned off the {cover}, and {hero} said sorry.
advice: said sorry to the others
next: The next day, {hero} used {their} time to help {pal} carry twigs, and {they} did not look in the water once.
q: What was {hero} covered with? => {Hero} was covered with {cover}. => {cover}
q: What was {hero} proud of? => {Hero} was proud of {their} {part}. => {part}
setup:
- All day long {hero} looked at {their} {part} in the pond. "Nobody is as beautiful as I am," {they} said.
- {They} was very proud of {their} {part} and did not want to play with the others.
problem:
- One day {they} slipped, fell into a ditch and was covered with {cover}. {They} could not get out alone.
- Then {they} fell backwards into a hole. Now {their} {part} was full of {cover}, and {they} was stuck.
try:
- {They} called for help, but the others thought, "We are not good enough for {hero}."
help:
- Only {pal_intro} stopped. "You were not nice to me," said {pal}, "but I will help you."
- At last {pal_intro} heard {them} and came closer. "Hold on to this branch," said {pal}.
fix:
- {Pal} pulled {them} out and washed off the {cover}. "I am sorry that I was so proud," said {hero}.
- It took an hour until all the {cover} was gone. "You are a better one than I am," said {hero}. "I am sorry."
end:
- From then on, {hero} played with the others every day and forgot to look into the pond.
- They became friends, and {hero} was happier than ever before.

@cat_and_mouse_truce
hero: cat; kitten; owl; fox; dog
pal: none
$pal/pal_intro/p_they/p_them/p_their = Pip/a tiny mouse called Pip/he/him/his; Nib/a brave mouse called Nib/she/her/her; Tup/a quick little vole called Tup/he/him/his
topic: a mouse; an unlikely friendship; friendship; making peace
title: {hero} and {pal}; An Unlikely Friend
$trap/way = an old net/bit through the threads with {p_their} sharp teeth; a rope round {their} leg/chewed through the rope; a sack that was tied up/nibbled a hole in the sack
home: in an old mill; on a big farm; behind a barn
feel: frightened; helpless; sorry
moral: nobody is too small to help; an enemy can become a friend; kindness can turn an enemy into a friend
what: {Hero} was caught in {trap}.
how: {Pal} {way} and set {hero} free.
advice: promised never to chase {pal} again
next: On the first day of spring, {hero} and {pal} had a picnic on the roof, with milk for one and cheese for the other.
q: What was {hero} caught in? / What happened to {hero}? => {Hero} was caught in {trap}. => {trap}
q: How did {pal} set {hero} free? => {Pal} {way}. => {way}
setup:
- Every day {hero} chased {pal_intro}, but never caught {p_them}.
- Near {hero} lived {pal_intro}. {Hero} often chased {p_them} around the yard.
problem:
- One night {hero} got caught in {trap}. The more {they} pulled, the worse it got.
- But then {hero} did not look where {they} was going, and {they} was caught in {trap}.
try:
- {They} cried and pulled, but it was no use.
help:
- {Pal} came out of a hole. "If I help you, will you stop chasing me?" asked {pal}. "I promise," said {hero}.
- In the dark, {hero} saw two small eyes. It was {pal}. "You look sad," said {pal}. "I will help you, if you are kind to me."
fix:
- So {pal} {way}, and {hero} was free.
- {Pal} went to work at once and {way}. It took all night, but it worked.
end:
- {Hero} kept the promise, and the two were often seen together in the sun.
- From that night on, nobody dared to chase {pal}, because {hero} was always near.

@bee_lost_in_rain
hero: bee; butterfly; ant; ladybird; spider
home: in a wild garden; in a field of clover; near a rose bush
pals: beetle; ladybird; snail; cricket; ant; moth; caterpillar; frog; mouse
topic: the rain; flowers; a small insect; shelter
title: {hero} in the Rain; The Kind Flower
$shelter = a big blue bell flower; a wide leaf; a mushroom; an old flower pot
feel: wet and cold; frightened; tired
moral: there is room for one more if you move a little closer; sharing shelter makes friends; kindness keeps you warm
what: {Hero} was caught in heavy rain far from home.
how: {Pal} made room for {hero} under {shelter}.
advice: looked at the clouds before going so far
next: The next time dark clouds came, {hero} was the first to call, "Come in, there is room for one more!"
q: Where did they hide from the rain? / Where did {hero} find shelter? => They hid under {shelter}. => {shelter}
q: What was the weather like? => It was raining heavily. => rain
setup:
- One warm morning {hero} set out, further than ever before.
- The sun was shining, and {hero} was so busy that {they} did not see the dark clouds.
problem:
- Suddenly it began to rain. Every drop was as big as {hero}, and home was far away.
- Then thunder rolled, and rain came down in buckets. {Hero} could not go on.
try:
- {They} hid under a blade of grass, but the rain came through.
help:
- "Over here!" called a voice. Under {shelter} sat {pal_intro}. "There is not much room," said {pal}, "but come in."
- Then {hero} saw {shelter}. Under it sat {pal_intro}, quite dry. "May I come in?" asked {hero}. "Of course," said {pal}.
fix:
- They moved close together, and {pal} told stories until the rain stopped.
- It was a tight fit, but it was warm and dry. They sang a song against the thunder.
end:
- When the sun came out, there was a rainbow, and they both looked at it for a long time.
- After the rain, {pal} showed {hero} the short way home.

@penguin_afraid_of_water
hero: penguin; otter; seal; frog; duck; beaver
home: by the cold blue sea; beside a clear lake; near a river
topic: swimming; being afraid; courage; water
title: {hero} Learns to Swim; The First Swim
$step = put one foot into the water; let the water touch {their} toes; stood in the shallow water; splashed at the edge
feel: afraid; scared; ashamed
moral: courage grows with small steps; being brave means trying although you are afraid; you can learn anything little by little
what: {Hero} was afraid of the water.
how: {Pal} helped {hero} to begin with small steps: on the first day {hero} only {step}.
advice: started with something very small, too
next: In the summer, {hero} taught the little ones to swim, and {they} always said, "Only one small step a day."
q: What was {hero} afraid of? => {Hero} was afraid of the water. => water
q: What did {hero} do first? / What was the first step? => First, {hero} {step}. => {step}
setup:
- All the others loved to swim and jumped in with a big splash.
- Every day the others went swimming, and every day {hero} had an excuse.
problem:
- But {hero} stayed on the shore, because the water looked so deep and dark.
- Nobody knew that {hero} was afraid of the water.
try:
- "I have a cold," {they} said on Monday. "My foot hurts," {they} said on Tuesday.
- Once {they} closed {their} eyes and wanted to jump, but {their} legs would not move.
help:
- {Pal_intro} sat down next to {them}. "I was afraid too," said {pal}. "Let us begin with something small."
- One evening, {hero} told {pal_intro} the truth. "Then we will go in slowly," said {pal}, "and I will stay beside you."
fix:
- On the first day {hero} only {step}. The next day {they} went in up to the knees, and on the fifth day {they} swam.
- So {they} {step}, and that was enough for one day. Each day {they} went a little further, and one morning {they} was swimming!
end:
- "Look at me!" called {hero}, and everybody cheered.
- Now {hero} is the first one in the water every morning.
"""
