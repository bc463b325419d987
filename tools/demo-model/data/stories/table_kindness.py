"""Stories about friendship, helping, neighbours and feasts."""

TABLE = """
@soup_for_sick_friend
hero: any
topic: being ill; a sick friend; soup; friendship; caring for somebody
title: Soup for {pal}; A Visit to {pal}
pal: friend
helper: no
$gift = vegetable soup; hot tea with honey; warm apple cake; a pot of noodle soup
$fun = told funny stories; sang old songs; played cards on the blanket; read a whole book aloud
feel: worried; alone; sorry
moral: a visit can be the best medicine; caring for a friend helps both of you; friends are there in bad times too
what: {Pal} was ill and had to stay in bed.
how: {Hero} brought {gift}, and they {fun}.
advice: visited {pal} with something warm
next: A month later {hero} had a cold. Who knocked at the door, with a pot in both hands? It was {pal}, of course.
q: What did {hero} bring? => {Hero} brought {gift}. => {gift}
q: What did they do together? => They {fun}. => {fun}
q: Who was ill? => {Pal} was ill. => {pal}
setup:
- Every afternoon {hero} met {pal_intro} at the old gate.
- {Hero} and {pal_intro} wanted to go to the fair together.
problem:
- But one day {pal} did not come. {Pal} was ill and lay in bed with a fever.
- Then a note came: "{Pal} is ill and must stay in bed."
try:
- {Hero} waited alone for a while, but it was no fun at all.
help:
- "What would I like if I were ill?" thought {hero}, and went into the kitchen.
- {Hero} looked at the empty seat and had an idea. {They} put on an apron.
fix:
- Soon {they} knocked at the door with {gift}. {Pal} sat up and smiled, and they {fun}.
- With {gift} in a basket, {hero} went to see {pal}. They {fun} until the evening.
end:
- "I feel better already," said {pal}. Three days later, {pal} was well again.
- When {hero} went home, {pal} was asleep with a smile.

@old_bench
hero: child
topic: an old neighbour; growing old; kindness; loneliness; a visit
title: The Man on the Bench; {hero} and the Old Neighbour
pal: none
$pal/pal_intro/p_they/p_them/p_their = Mr Wood/an old man called Mr Wood/he/him/his; Mrs Lake/an old lady called Mrs Lake/she/her/her; Mr Moon/an old man called Mr Moon/he/him/his; Mrs Reed/an old lady called Mrs Reed/she/her/her
helper: no
$skill = play chess; carve animals from wood; name all the stars; make paper boats; whistle like a bird
feel: sorry; sad; thoughtful
moral: a little time is a big gift; old people have much to give; it is good to look after each other
what: {Pal} sat alone on the bench every day, and nobody talked to {p_them}.
how: {Hero} sat down with {pal}, and {pal} taught {hero} to {skill}.
advice: said hello and sat down for a while
next: By summer, four more children came to the bench, and {pal} taught all of them to {skill}.
q: What did {pal} teach {hero}? / What did {hero} learn to do? => {Pal} taught {hero} to {skill}. => {skill}
q: Who sat on the bench? => {Pal} sat on the bench. => {pal}
setup:
- Every day, on the way home from school, {hero} saw {pal_intro} on a bench.
- In the park there was a bench, and on it sat {pal_intro}, day after day.
problem:
- Nobody ever talked to {p_them}, and {p_they} looked so alone.
- {Pal} looked at the ground, and nobody ever stopped.
try:
- {Hero} walked past quickly, because {they} did not know what to say.
help:
- One day {hero} stopped. "May I sit here?" {they} asked. {Pal} looked up, surprised.
- On Monday {hero} took heart, said hello and sat down.
fix:
- They began to talk. It turned out that {pal} could {skill}, and {p_they} showed {hero} how.
- "Do you want to see something?" asked {pal}. And so {hero} learned to {skill}.
end:
- Now there are always two on the bench, and they laugh a lot.
- "See you tomorrow," said {hero}, and {pal} smiled for the first time in weeks.

@village_feast
hero: child; baker; cook; princess; mouse; farmer; king; queen
topic: a festival; a feast; a party; bad weather at a party; lanterns
title: The Feast in the Barn; A Party Saved
$trouble/answer = a storm blew the lights away/hung lanterns in the big barn; the musicians did not come/drummed on pots and sang; rain fell on all the tables/carried the tables into the old mill; the oven was broken/baked bread on sticks over a big fire
feel: disappointed; upset; worried
moral: a party is made by the people; with good ideas, a bad day can turn out fine; it is the company that makes the feast
what: Just before the feast, {trouble}.
how: {Hero} and {pal} {answer}, and the feast became better than ever.
advice: asked everyone for ideas
next: The next year they did it the same way on purpose, because nobody had ever had such a fine feast.
q: What went wrong before the feast? / What was the trouble? => Just before the feast, {trouble}. => {trouble}
q: What did they do to save the feast? / How was the feast saved? => They {answer}. => {answer}
setup:
- Once a year there was a big feast, and {hero} looked forward to it for months.
- The whole village was getting ready for the summer feast, and {hero} helped too.
problem:
- But just before it began, {trouble}.
- Everything was ready. Then {trouble}!
try:
- "Then there will be no feast this year," people said and went home.
help:
- "Wait!" said {pal_intro}. "We do not need much to be happy. Who has an idea?"
- {Pal_intro} was not sad for long. "Come on, {hero}, we will think of something!"
fix:
- Together they {answer}. One after another, the people came back.
- They {answer}, and the others helped as well.
end:
- They sang and danced until the stars came out. It was the best feast that anyone could remember.
- Even the oldest people said that there had never been such a feast.

@borrowed_thing
hero: wide
topic: borrowing; {a_thing}; keeping a promise; giving back
title: The Borrowed {thing}; A Promise to {pal}
$thing = @objects
$until = Sunday; the first of May; Friday evening; the next full moon
feel: ashamed; guilty; embarrassed
helper: no
moral: a promise should be kept; what you borrow you must give back; trust is a treasure
what: {Hero} forgot to give back the {thing} that {they} had borrowed from {pal}.
how: {Hero} brought the {thing} back, said sorry and gave {pal} something to eat as a thank you.
advice: written a note so that I would not forget
next: After that {hero} kept a little list by the door with everything {they} had borrowed.
q: What did {hero} borrow? => {Hero} borrowed {a_thing}. => {thing}
q: Who did the {thing} belong to? / From whom did {hero} borrow it? => It belonged to {pal}. => {pal}
q: When should {hero} give it back? => {Hero} should give it back by {until}. => {until}
setup:
- One day {hero} borrowed {a_thing} from {pal_intro} and promised to bring it back by {until}.
- {Hero} needed {a_thing}, and {pal_intro} had one. "But please bring it back by {until}," said {pal}.
problem:
- But {until} came, and {hero} had forgotten all about it.
- Time flew by. When {hero} saw the {thing} in the corner, {until} was long past.
try:
- {They} thought about hiding it so that {they} would not have to say anything.
help:
- Then {they} heard that {pal} had needed it badly and had not said a word.
- Outside, {hero} met {pal}, who looked sad but said nothing.
fix:
- {Hero} ran home, fetched the {thing} and a fresh loaf of bread, and brought both to {pal}. "I am sorry. I forgot," {they} said.
- That same hour {hero} knocked at {pal}'s door with the {thing} and a jar of jam. "Please forgive me," {they} said.
end:
- "Thank you for telling me honestly," said {pal}. "You may borrow it again."
- {Pal} laughed, and they ate together at the kitchen table.

@bridge_of_planks
hero: goat; beaver; farmer; child; bear; badger; rabbit; carpenter
topic: a bridge; neighbours; a river; building something; a quarrel
title: The Bridge; Two Sides of the River
$cause = whose river it was; the noise in the morning; a lost sheep; an old apple tree
helper: no
feel: lonely; stubborn; bitter
moral: a bridge is better than a fence; somebody must take the first step; it is good to make peace
what: {Hero} and {pal} had quarrelled about {cause} and did not speak any more.
how: {Hero} began to build a bridge, and {pal} built from the other side until they met in the middle.
advice: taken the first step and said hello
next: Today there are two chairs in the middle of the bridge, and in the evening somebody always sits there.
q: What did they quarrel about? => They quarrelled about {cause}. => {cause}
q: What did they build? => They built a bridge. => bridge
q: Where did they meet? => They met in the middle of the bridge. => middle
setup:
- {Hero} lived on one side of the river, and on the other side lived {pal_intro}.
- Across the river lived {pal_intro}. Once they had been the best of friends.
problem:
- But they had quarrelled about {cause}, and for a whole year nobody had said a word.
- Then they quarrelled about {cause}. Since that day they turned away when they saw each other.
try:
- {Hero} built a high fence so that {they} would not have to see {pal}.
help:
- One winter morning {hero} saw that there was no smoke from {pal}'s chimney. Was {pal} all right?
- In spring {hero} thought, "A year is long enough. Somebody has to begin."
fix:
- So {hero} took planks and nails and began to build a bridge. Then {they} heard hammering. {Pal} was building too, from the other side!
- Plank by plank {hero} built a bridge. When {they} reached the middle, there stood {pal}, with a hammer in {p_their} hand.
end:
- They met in the middle and shook hands. Neither of them could remember why they had been so angry.
- "I missed you," said {pal}. "I missed you too," said {hero}.

@secret_helper
hero: child; mouse; elf; robot; squirrel; kitten; hedgehog
topic: a secret; doing good; helping in secret; kindness
title: The Secret Helper; Who Did It?
$job = swept the path; filled the water jar; brought in the wood; watered the flowers; fed the hens
pal: elder
helper: no
feel: sorry; thoughtful; worried
moral: doing good in secret makes the heart warm; you do not need thanks for a kind deed; kindness spreads
what: {Pal} was tired and could not do all the work.
how: Every morning {hero} secretly {job}.
advice: helped with something small every day
next: Soon other secret helpers were at work in the street, and nobody ever told who they were.
q: What did {hero} do in secret? / What did {hero} do every morning? => {Hero} {job}. => {job}
q: Who did {hero} help? => {Hero} helped {pal}. => {pal}
setup:
- Not far away there was a little garden. It belonged to {pal_intro}.
- {Hero} often watched {pal_intro} at work.
problem:
- But {pal} was tired and had a sore back, and the work was too much.
- One day {hero} heard {pal} sigh, "My back hurts so much. How shall I get it all done?"
try:
- "Can I help?" asked {hero}. "Thank you, but I can do it alone," said {pal}.
help:
- That night {hero} could not sleep. Then {they} had a plan.
- "I will help, and nobody will know," thought {hero}.
fix:
- Before the sun was up, {they} tiptoed over and {job}. And so it went, every morning.
- Early the next day, as quiet as a shadow, {hero} {job}. The day after, {they} did it again.
end:
- "Who can it be?" wondered {pal} and put a warm bun on the wall for the helper. {Hero} smiled and said nothing.
- {Pal} was so happy that {p_they} began to sing again. {Hero} heard it, and that was thanks enough.

@two_cooks
hero: cook; baker; child; bear; pig; mouse; princess; farmer
topic: cooking; baking a cake; teamwork; a cake; the kitchen
title: Too Much Salt; The Cake That Went Wrong
$dish/error/rescue = soup/put in too much salt/added potatoes and more water; cake/forgot the sugar/covered it with sweet jam; bread/burned the crust/cut off the crust and made little toasts; stew/made it much too hot/stirred in some cream; pancakes/made the batter too thick/added a little more milk
feel: upset; embarrassed; close to tears
moral: mistakes can be put right; it helps to stay calm and try something; a mistake can lead to a new idea
what: {Hero} {error} when {they} made the {dish}.
how: {Pal} stayed calm, and together they {rescue}.
advice: tasted it more often
next: They wrote down the recipe, with the mistake and all, and it became the most loved {dish} in the village.
q: What did {hero} make? / What did {hero} cook? => {Hero} made {dish}. => {dish}
q: What mistake did {hero} make? / What did {hero} do wrong? => {Hero} {error}. => {error}
q: How did they save the {dish}? => They {rescue}. => {rescue}
setup:
- Guests were coming, and {hero} wanted to make {dish}.
- It was a special day, so {hero} stood in the kitchen and made {dish}.
problem:
- But {they} was in a hurry and {error}. And the guests would be there in an hour!
- While {they} was singing and dancing, {they} {error}. What now?
try:
- {They} wanted to throw everything away, but there was nothing else in the house.
help:
- {Pal_intro} looked into the kitchen. "Do not worry," said {pal}. "Let us think."
- "It smells interesting," said {pal_intro} from the door. "I think we can still save it."
fix:
- They tasted, and they thought. Then they {rescue}.
- {Pal} put on an apron, and together they {rescue}.
end:
- The guests asked for more, and {hero} and {pal} winked at each other.
- When the guests came, every plate was soon empty.

@lost_child_at_market
hero: child
topic: a market; a crowd; losing your mother; asking for help
title: Lost at the Market; The Red Balloon
pal: stranger
$colour/seller = green/a woman who sold apples; yellow/a man who sold bread; blue/a man who sold fish; white/a woman who sold flowers
feel: frightened; lost; alone
moral: it is good to ask a kind grown-up for help; staying in one place helps others find you; it is wise to stay calm
what: {Hero} lost {their} mother in the crowd.
how: {Hero} asked {seller} for help and waited there with {pal} until {their} mother came.
advice: stayed in one place and asked somebody who works there
next: After that, {hero} and {their} mother always agreed on a meeting place before they went into a crowd.
q: Who did {hero} ask for help? => {Hero} asked {seller}. => {seller}
q: What colour was the mother's hat? => The hat was {colour}. => {colour}
q: Who did {hero} lose? => {Hero} lost {their} mother. => mother
setup:
- On Saturday {hero} went to the market with {their} mother, who wore {a_colour} hat.
- The market was full of people, and {hero} held on to {their} mother, who had {a_colour} hat on.
problem:
- {Hero} stopped to look at a puppet show, and when {they} turned around, the {colour} hat was gone.
- There was so much to see! For a moment {hero} let go of the hand, and then the {colour} hat was nowhere to be seen.
try:
- {They} ran after {a_colour} hat, but it was the wrong one.
help:
- {Hero} remembered what mother had said: stay where you are and ask for help. {They} went to {seller}. There stood {pal_intro} too.
- "Stay in one place," {hero} thought. {They} asked {seller} for help, and {pal_intro} waited with {them}.
fix:
- They called out and waved, and soon {hero} saw {a_colour} hat in the crowd. It was mother!
- {Pal} climbed on a box and looked around. "There is {a_colour} hat!" And it was the right one.
end:
- Mother hugged {hero} for a long time and bought pears for everyone.
- "You did just the right thing," said mother.

@saving_up
hero: wide
topic: {a_thing}; saving money; patience; a wish; working for something
title: {hero} Saves Up; The {thing} in the Window
$thing = @objects
$work = swept the yard; carried baskets; washed the windows; looked after the hens; sorted old books; pulled weeds
$weeks = three; four; five; six; ten
feel: sad; impatient; disappointed
moral: what you have worked for is worth twice as much; patience makes wishes come true; it is good to save a little every week
what: {Hero} wanted {a_thing}, but it cost too much.
how: {Hero} {work} for {pal} and saved money for {weeks} weeks.
advice: worked for it and saved a little every week
next: {Hero} kept on saving, for now {they} wanted to buy a present for {pal}.
q: What did {hero} want? / What did {hero} want to buy? => {Hero} wanted {a_thing}. => {thing}
q: What work did {hero} do? / How did {hero} earn the money? => {Hero} {work} for {pal}. => {work}
q: How long did {hero} save? => {Hero} saved for {weeks} weeks. => {weeks}
setup:
- In the window of a shop there was {a_thing}, and {hero} stopped in front of it every day.
- More than anything, {hero} wanted {a_thing}. There was a fine one in the little shop at the corner.
problem:
- But it cost too much, and {hero} had only two coins.
- {They} counted {their} coins three times. It was not enough.
try:
- {They} asked if it could be cheaper, but the seller shook his head.
- {They} tried not to think about it, but that did not work.
help:
- Then {pal_intro} said, "I need some help. I can pay you a coin each week."
- {Hero} asked {pal_intro} for work. "You can begin today," said {pal}.
fix:
- So {hero} {work} and put every coin into a glass. After {weeks} weeks the glass was full.
- For {weeks} weeks {hero} {work}, and each Friday there was one more coin in the glass.
end:
- Proudly {they} put the coins on the counter and carried the {thing} home.
- At last the {thing} was {their} own, and no other {thing} in the world was so dear to {them}.

@giving_away
hero: wide
topic: {a_thing}; giving something away; kindness; being generous; helping a stranger
title: {hero} Gives Away the {thing}; The {thing} and the Stranger
pal: stranger
helper: no
$thing = @objects
$return = a song that {hero} never forgot; a bag of seeds for a whole garden; a story for every night of the winter; an invitation to a feast
place: the market; the station; the bridge; the park; the crossroads
feel: torn; thoughtful; unsure
moral: who gives with joy gets joy back; giving makes you richer and not poorer; it feels good to help somebody in need
what: {Pal} needed {a_thing} badly, and {hero} did not want to give {their} own away.
how: {Hero} gave {pal} the {thing}, and got {return} in return.
advice: given it away too, although it is not easy
next: Whenever {hero} met somebody who needed something, {they} thought of {pal} and looked into {their} bag.
q: What did {hero} give away? => {Hero} gave away {their} {thing}. => {thing}
q: What did {hero} get in return? => {Hero} got {return}. => {return}
q: Where did {hero} meet {pal}? / Where did they meet? => They met at {place}. => {place}
setup:
- Once {hero} got {a_thing} as a present and did not want to be without it for a minute.
- {They} owned {a_thing} and loved it dearly.
problem:
- One day at {place} {they} met {pal_intro}. "I need {a_thing} so badly," said {pal}, "and I have none."
- Then, at {place}, {hero} met {pal_intro}, who was in tears. "Without {a_thing} I cannot go on," said {pal}.
try:
- {Hero} held the {thing} tight and walked on a few steps.
- "I only have this one," said {hero} and looked away.
help:
- But {hero} saw {pal}'s sad face and thought, "I like to have it, but {pal} needs it."
- Then {hero} stopped and turned around. It was hard, but it was right.
fix:
- "Take it," said {hero} and gave {pal} the {thing}. {Pal}'s face lit up. In return, {hero} got {return}.
- {They} put the {thing} into {pal}'s hands. "Thank you!" said {pal}, and gave {hero} something too: {return}.
end:
- {Hero} went home without the {thing}, but with a warm heart.
- On the way home {hero} whistled. {They} did not miss the {thing} at all.
"""
