"""Stories about school, home, play and growing up."""

TABLE = """
@first_day_at_school
hero: child
topic: school; the first day of school; making a friend; being shy
title: The First Day; A Seat Next to {hero}
$common = both drew dinosaurs; both loved cheese; both had a red bag; both collected stones; both liked frogs
feel: nervous; shy; lonely
pal: stranger
$pal_note = smiled; waved; nodded
moral: a friendly word can start a friendship; others may be just as shy as you; it is worth saying hello first
what: {Hero} was new at school and knew nobody.
how: {Hero} talked to {pal}, and they found out that they {common}.
advice: said hello to the child beside me
next: On the second day, {hero} ran to school so fast that {they} was there before the bell.
q: What did {hero} and {pal} have in common? / What did they find out? => They {common}. => {common}
q: Why was {hero} nervous? => It was {their} first day at school, and {they} knew nobody. => first day; knew nobody
setup:
- It was the first day of school, and {hero} held {their} bag very tight.
- {They} was going to school for the very first time.
problem:
- In the big classroom there were many children, but {hero} did not know a single one.
- Everyone seemed to know each other. Only {hero} stood alone at the door.
try:
- {They} looked at the floor and hoped that nobody would see {them}.
- {They} wanted to run home again.
help:
- Then {hero} saw {pal_intro}, who was sitting alone too. {Pal} {pal_note}.
- The teacher showed {them} a seat next to {pal_intro}. {Pal} did not say a word either.
fix:
- "My name is {hero}," said {hero} in a small voice. They began to talk, and it turned out that they {common}.
- {Hero} took all {their} courage and said hello. Soon they were talking, and they {common}!
end:
- At lunch they sat side by side, and the day was over much too soon.
- When school was out, {hero} did not want to go home yet.

@bicycle
hero: child
topic: riding a bicycle; a bike; learning something new; falling down
title: {hero} Learns to Ride; Up Again
pal: elder
place: the park; the schoolyard; the quiet street; the path by the river
$times = three; five; six; ten
feel: discouraged; cross; frustrated
moral: you learn by trying again; falling down is part of learning; practice makes hard things easy
what: {Hero} kept falling off the bicycle.
how: {Pal} told {them} to look ahead and not at the wheels, and {hero} tried again.
advice: practised a little every day
next: A week later {hero} rode all the way to the lake, and {pal} could hardly keep up.
q: How many times did {hero} fall? => {Hero} fell {times} times. => {times}
q: What did {pal} say? / What advice did {pal} give? => {Pal} said that {hero} should look ahead and not at the wheels. => ahead
q: What did {hero} want to learn? => {Hero} wanted to learn to ride a bicycle. => bicycle; bike
setup:
- {They} had a new bicycle and wanted to ride it at once.
- All {their} friends could ride a bicycle, and {hero} wanted to learn it too.
problem:
- But as soon as {they} sat on it, it tipped over. {Hero} fell {times} times that morning.
- {They} wobbled to the left, wobbled to the right and fell. {They} fell {times} times.
try:
- "I will never ride that silly thing again!" {they} shouted.
- {They} kicked a stone and wanted to put the bicycle away for good.
help:
- {Pal_intro} had seen it all. "Do not look at the wheels," said {pal}. "Look ahead, at where you want to go."
- "I fell too when I was small," said {pal_intro}. "Here is my secret: look ahead, not down."
fix:
- {Hero} tried once more and looked ahead. {Pal} held the seat, and then let go without a word.
- So {hero} got up, looked straight ahead and pushed off. The bicycle rolled, and it kept rolling!
end:
- "I am riding!" called {hero}, all around {place}.
- {They} rode around {place} until it was dark.

@school_play
hero: child
topic: a school play; the theatre; stage fright; being nervous
title: {hero} on the Stage; The Forgotten Words
$role = a tree; a king; the moon; a lion; a pirate; a snowflake
feel: nervous; terrified; frozen with fear
moral: a mistake is not the end of the world; it helps to take a deep breath; courage means going on
what: {Hero} forgot {their} words on the stage.
how: {Pal} whispered the first word, and {hero} took a deep breath and went on.
advice: taken a deep breath and smiled
next: The next year {hero} asked for the longest part in the play and knew it by heart in a week.
q: What part did {hero} play? / What was {hero} in the play? => {Hero} played {role}. => {role}
q: What did {pal} do? => {Pal} whispered the first word. => whisper
setup:
- The school was putting on a play, and {hero} was {role}.
- For weeks {hero} had practised in front of the mirror, because {they} was going to be {role} in the school play.
problem:
- On the big evening, {hero} looked at all the people, and suddenly every word was gone.
- The curtain opened. {Hero} stepped forward, but {they} could not remember a single word.
try:
- {They} opened {their} mouth and closed it again. It was very quiet in the room.
help:
- Behind the curtain stood {pal_intro}. Softly, {pal} whispered the first word.
- Then {pal_intro}, who stood beside {them}, took {their} hand and whispered the first word.
fix:
- {Hero} took a deep breath, and all the other words came back.
- {Hero} breathed in and out, smiled and began to speak, louder and louder.
end:
- At the end, everybody clapped, and {hero} bowed three times.
- "You were wonderful!" people said afterwards. Only {pal} knew how close it had been.

@tidy_room
hero: child
topic: a messy room; tidying up; a mess; a game
title: The Great Mess; {hero} Tidies Up
pal: sibling
$thing = left shoe; school bag; swimming bag; library book; favourite teddy bear; warm hat
feel: cross; overwhelmed; grumpy
moral: work is fun if you make a game of it; a tidy room saves time; many hands make light work
what: {Hero}'s room was such a mess that {they} could not find {their} {thing}.
how: {Pal} turned the tidying into a game, and under the last heap they found the {thing}.
advice: sorted one small corner at a time
next: Every Saturday after that, they played the tidying game for ten minutes, and nothing was ever lost again.
q: What could {hero} not find? / What was {hero} looking for? => {Hero} was looking for {their} {thing}. => {thing}
q: How did they tidy the room? => They made a game of it. => game
setup:
- In {hero}'s room, toys, socks and books lay everywhere.
- {Hero} never put anything away. "Later," {they} always said.
problem:
- One morning {they} needed {their} {thing}, and it was nowhere to be found.
- Then came the day when {hero} could not find {their} {thing} in all that mess.
try:
- {They} threw everything from the left side to the right side, and the mess only grew.
- {They} kicked a box, sat down on the floor and did not know where to begin.
help:
- {Pal_intro} looked in. "Let us play a game," said {pal}. "Who can put away ten things first?"
- "I have an idea," said {pal_intro}. "We are pirates, and everything on the floor is treasure for our chests!"
fix:
- They ran, laughed and sorted. Under the very last heap lay the {thing}.
- In half an hour the floor was empty, and there was the {thing}, right in the middle.
end:
- {Hero} looked around. "I did not know that my room was so big!" {they} said.
- Then they lay down on the clean floor and laughed.

@night_monster
hero: child; rabbit; kitten; mouse; puppy; bear
topic: the dark; the night; a monster; being afraid; bedtime
title: The Shadow on the Wall; {hero} and the Dark
$shape/thing = a big claw/branch of a tree; a giant head/coat on a hook; a long snake/scarf on a chair; a wolf/basket of toys; a ghost/white curtain
pal: elder
feel: afraid; scared; frightened
moral: things look different when you turn on the light; many fears disappear when you look closely; it is good to talk about your fears
what: {Hero} was afraid of a shadow that looked like {shape}.
how: {Pal} turned on the light, and they saw that it was only {a_thing}.
advice: turned on a small light and looked closely
next: The next evening, {hero} made shadow animals on the wall and was not afraid at all.
q: What did the shadow look like? => It looked like {shape}. => {shape}
q: What was it really? / What was the shadow really? => It was only {a_thing}. => {thing}
setup:
- It was late, and {hero} was lying in bed. The moon shone through the window.
- One night {hero} woke up. It was very dark and very quiet.
problem:
- Then {they} saw something on the wall. It looked like {shape}, and it moved!
- On the wall there was a shadow that looked like {shape}.
try:
- {They} pulled the blanket over {their} head and did not dare to breathe.
- {They} closed {their} eyes and counted to ten, but it was still there.
help:
- "Help!" called {hero}, and {pal_intro} came in.
- {Hero} called out softly. {Pal_intro} came and sat down on the bed. "Let us look at it together," said {pal}.
fix:
- {Pal} turned on the light. It was only {a_thing}!
- They lit a small lamp and looked. "That is nothing but {a_thing}," said {pal}.
end:
- {Hero} had to laugh, and soon {they} was fast asleep.
- "Good night, {thing}," said {hero}, and {they} fell asleep with a smile.

@new_baby
hero: child
topic: a new baby; a little brother; a little sister; a family; being jealous
title: The New Baby; The Big {child}
pal: none
$pal/pal_intro/p_they/p_them/p_their = baby Ida/a baby called Ida/she/her/her; baby Paul/a baby called Paul/he/him/his; baby Nina/a baby called Nina/she/her/her; baby Otto/a baby called Otto/he/him/his
helper: no
$act = sang a little song; made funny faces; played with a sock as a puppet; shook a bunch of keys
feel: jealous; left out; a bit sad
moral: love grows when it is shared; there is enough love for everyone; it is nice to be the big one
what: There was a new baby, and {hero} thought that nobody had time for {them} any more.
how: {Hero} {act}, and the baby laughed for the first time.
advice: told my parents how I felt
next: Years later, {hero} taught {pal} to ride a bicycle and told the story of the very first laugh.
q: What made the baby laugh? / What did {hero} do? => {Hero} {act}. => {act}
q: What was the baby's name? => The baby was called {pal}. => {pal}
setup:
- One day, mother and father brought home {pal_intro}.
- There was somebody new in the house: {pal_intro}.
problem:
- Now everyone looked only at the baby, and nobody had time to play with {hero}.
- "Shh, the baby is asleep," they said all day. {Hero} sat alone in {their} room.
try:
- {They} was very loud on purpose, but that only made everyone cross.
- {They} packed a bag and wanted to move to Grandma's house.
help:
- Then the baby began to cry, and nobody could calm it, not even mother.
- One afternoon, {pal} cried and cried, and mother was so tired.
fix:
- {Hero} leaned over the little bed and {act}. The baby stopped crying and laughed!
- Without thinking, {hero} {act}. Suddenly it was quiet, and then came a tiny laugh.
end:
- "Nobody else can do that," said mother and hugged {hero} for a long time.
- From then on, {hero} was the one who could always make {pal} laugh.

@moving_house
hero: child
topic: moving house; a new town; a new friend; feeling homesick
title: The New House; {hero} in the New Town
$thing/game = football/played a match; chess set/played chess; skipping rope/jumped rope; guitar/made music; kite/flew it on the hill
feel: lonely; homesick; sad
pal: stranger
moral: a new place can become a home; friends can be found anywhere; it helps to go outside and do what you love
what: {Hero} had moved to a new town and missed {their} old friends.
how: {Hero} took {their} {thing} outside, met {pal}, and together they {game}.
advice: gone outside and looked for other children
next: In the summer {hero}'s old friends came to visit, and {pal} showed them the whole town.
q: What did {hero} take outside? => {Hero} took {their} {thing}. => {thing}
q: What did they do together? => Together they {game}. => {game}
setup:
- The family had just moved, and the new house was full of boxes.
- In spring {hero} had to say goodbye to all {their} friends, because the family was moving.
problem:
- Everything was strange here, and {hero} did not know anybody.
- {Hero} sat at the window and thought of {their} old friends far away.
try:
- {They} wrote a long letter to {their} old friends, but the days were still long.
help:
- "Go out and take something that you love," said mother. So {hero} took {their} {thing}, and at the corner stood {pal_intro}.
- {Hero} found {their} {thing} in the last box and took it outside. Soon {pal_intro} came closer.
fix:
- "Is that yours?" asked {pal}. "I like that too!" They {game} until evening.
- {Pal} asked, "May I join in?" They {game}, and the time flew by.
end:
- That night, {hero} said, "I think I like it here."
- From that day on they met every afternoon, and the new house began to feel like home.

@lemonade_stand
hero: child
topic: lemonade; a hot day; earning money; working together; helping others
title: The Lemonade Stand; Cold Lemonade
$goal = new books for the school; food for the animal home; a new bench in the park; a present for the old gardener
$trick = painted a big, bright sign; moved the table into the shade of a tree; put mint leaves into every glass; sang a funny song
feel: disappointed; sad; discouraged
moral: a good idea is worth more than luck; it pays to try something new; working together brings success
what: {Hero} sold lemonade, but nobody came.
how: {Pal} and {hero} {trick}, and then many people came.
advice: asked people what they would like
next: The next summer, the whole street helped, and there were four tables with lemonade and cake.
q: What was the money for? / Why did {hero} sell lemonade? => The money was for {goal}. => {goal}
q: What did {hero} sell? => {Hero} sold lemonade. => lemonade
q: What did they do to get more people to come? => They {trick}. => {trick}
setup:
- It was a hot day. {Hero} put a table in front of the house and sold lemonade to pay for {goal}.
- {They} wanted to earn money for {goal}, so {they} made a big jug of lemonade.
problem:
- But hour after hour went by, and nobody stopped.
- People walked past without looking, and the ice melted.
try:
- "Lemonade!" {they} called, but {their} voice was too quiet.
- {They} drank one glass, and then another one, and was very bored.
help:
- {Pal_intro} came by and looked at the table. "I have an idea," said {pal}.
- "Nobody notices you here," said {pal_intro}. "Let us change something."
fix:
- Together they {trick}. Soon there was a long line of thirsty people.
- They {trick}, and suddenly everybody wanted a glass.
end:
- In the evening, the jug was empty and the jar was full of coins for {goal}.
- They counted the money twice. It was enough for {goal}!

@library_card
hero: child
topic: books; a library; reading; learning to read
title: {hero} and the Big Book; The Reading Club
pal: elder
$book = pirates; stars; horses; trains; dinosaurs; whales
feel: ashamed; discouraged; sad
moral: reading opens a whole world; a little each day takes you far; nobody is born knowing how to read
what: {Hero} wanted to read a book about {book}, but the words were too hard.
how: {Pal} read one page with {them} every day until {hero} could read alone.
advice: read a little bit every day
next: Soon {hero} read stories to the smaller children, and they sat around {them} with wide eyes.
q: What was the book about? => The book was about {book}. => {book}
q: How did {hero} learn to read? => {Pal} and {hero} read one page every day. => page; every day
setup:
- In the library, {hero} found a thick book about {book}.
- {They} wanted to know everything about {book}, and the library had a wonderful book.
problem:
- But when {they} opened it, the letters danced before {their} eyes, and {they} could not read the long words.
- But there were so many hard words in it that {hero} did not understand a single line.
try:
- {They} only looked at the pictures and pretended to read.
- {They} put it back on the shelf, and took it out again, and put it back.
help:
- {Pal_intro} saw it. "Shall we read one page together every day?" asked {pal}.
- "Even the longest book is read one word at a time," said {pal_intro} and sat down beside {them}.
fix:
- Every afternoon they read one page. At first it was slow, but each week {hero} read a bit faster.
- They met day after day. First {pal} read and {hero} listened, and then it was the other way round.
end:
- On the last day of summer, {hero} read the last page all alone and closed the book with a happy sigh.
- When the book was finished, {hero} asked at once, "Which one is next?"

@snow_day
hero: child; bear; penguin; fox; rabbit; puppy
topic: snow; a snowman; winter; building a snowman
title: The Snowman's {thing}; A Day in the Snow
place: the garden; the park; the meadow; the yard
$thing/stand_in = nose/a long carrot; hat/an old pot; scarf/a strip of red cloth; mouth/a row of black stones; broom/a branch with dry leaves
feel: disappointed; puzzled; unhappy
moral: with a little imagination, anything can be useful; friends have the best ideas; two can build what one cannot
what: {Hero}'s snowman was missing something: there was no {thing}.
how: {Pal} had the idea to use {stand_in}.
advice: looked around for something to use
next: When the sun came back and the snowman melted, they kept {stand_in} for the next winter.
q: What did they use? / What did {pal} bring? => They used {stand_in}. => {stand_in}
q: What did {hero} build? => {Hero} built a snowman. => snowman
q: Where did {hero} build the snowman? => {Hero} built it in {place}. => {place}
setup:
- In the night it had snowed, and {place} was white and soft. {Hero} began to build a snowman.
- The first snow of the year had come! {Hero} ran to {place} to build a big snowman.
problem:
- The snowman was almost done, but something was missing. It had no {thing}!
- Soon a fine snowman stood there. "But where is the {thing}?" said {hero}. There was none.
try:
- {They} made one out of snow, but it fell off again and again.
- {They} looked for something under the snow, but {their} feet only got cold.
help:
- {Pal_intro} walked around the snowman twice. "Wait," said {pal}, "I know what we can take."
- Just then {pal_intro} came with a sledge. "I have an idea!" said {pal}.
fix:
- {Pal} came back with {stand_in}. It fitted perfectly!
- A minute later, {pal} brought {stand_in}, and the snowman was complete.
end:
- They danced around it until their noses were red, and then they drank hot chocolate.
- Everybody who came by had to smile at the snowman.

@music_lesson
hero: child; frog; bear; musician; mouse; rabbit
topic: music; practising; learning an instrument; a concert; {a_thing}
title: {hero} and the {thing}; The First Concert
$thing = violin; flute; trumpet; drum; guitar; piano; cello
feel: ashamed; discouraged; annoyed
moral: practice makes the music; every master was once a beginner; patience turns noise into music
what: When {hero} played the {thing}, it sounded terrible.
how: {Pal} helped {hero} to practise slowly, a few notes at a time.
advice: practised slowly, just a few notes a day
next: Now others wanted to learn too, and {hero} became a patient teacher.
q: Which instrument did {hero} play? / What did {hero} play? => {Hero} played the {thing}. => {thing}
q: How did {hero} practise? => {Hero} practised slowly, a few notes at a time. => slowly; few notes
setup:
- More than anything, {hero} wanted to play the {thing}.
- {They} had been given {a_thing} and dreamed of playing in front of a big crowd.
problem:
- But when {they} began to play, it sounded so terrible that the birds flew away.
- The first sounds were awful. The neighbours closed their windows.
try:
- {They} played faster and louder, and it became even worse.
- {They} put the {thing} under the bed and did not look at it for a week.
help:
- "You are going too fast," said {pal_intro}. "Let us play just three notes, very slowly."
- {Pal_intro} sat down beside {them}. "Nobody can do it on the first day," said {pal}. "Let us begin with three notes."
fix:
- Day after day, they practised slowly. Three notes became six, and six notes became a song.
- {Hero} practised a little every evening, and {pal} listened. Slowly it turned into music.
end:
- In spring, {hero} gave a small concert, and the birds sang along.
- When {hero} played at the summer party, everybody was silent, and then they clapped.

@team_game
hero: child; fox; rabbit; bear; penguin; otter; squirrel
topic: a game; a team; winning and losing; football; being a good loser
title: The Lost Game; More Than Winning
$score = three to one; five to two; four to nothing; two to one
feel: angry; disappointed; cross
pal: stranger
moral: playing together matters more than winning; a good loser is a winner too; you can learn from losing
what: {Hero}'s team lost the game {score}.
how: {Hero} shook hands with {pal} from the other team, and they practised together.
advice: congratulated the other team
next: In the next game they won by one goal, and {hero} shook hands with everyone again.
q: What was the score? / How did the game end? => {Hero}'s team lost {score}. => {score}
q: Who was on the other team? => {Pal} was on the other team. => {pal}
setup:
- The big game had come at last. {Hero} had been looking forward to it for weeks.
- {Hero} and {their} team wanted to win the cup more than anything.
problem:
- But everything went wrong, and {their} team lost {score}.
- They ran and they fought, but in the end they lost {score}.
try:
- "It is not fair!" {they} shouted and threw {their} cap on the ground.
- {They} wanted to go home without a word.
help:
- Then {pal_intro}, who played for the other team, came over. "You ran like the wind," said {pal}.
- "That was a great pass of yours," said {pal_intro} from the other team. "Can you show me how you do it?"
fix:
- {Hero} took a deep breath and shook {pal}'s hand. "Well played," {they} said. Then they practised together until dark.
- {Hero} had to smile. "You played better today," {they} said, and they practised side by side.
end:
- "See you tomorrow," said {pal}. It did not feel like losing at all.
- On the way home, {hero} whistled a song, although {they} had lost.
"""
