"""Stories about sea, sky, seasons, space and weather."""

TABLE = """
@message_in_bottle
hero: child; sailor; crab; seal; otter; lighthouse keeper; captain
home: by the wide sea; on a small island; in a hut on the beach
topic: the sea; a bottle; a letter; an island; a friend far away
title: The Letter in the Bottle; A Message from the Sea
pal: stranger
$wish = a drawing of a house; a song; a story; a shell from another beach; a map of the island
helper: no
feel: lonely; bored; sad
moral: a friend can be far away and still be close; it is worth reaching out; the sea joins what it parts
what: {Hero} had nobody to talk to by the sea.
how: {Hero} answered a letter in a bottle from {pal}, who wished for {wish}, and they became friends.
advice: written a letter too
next: In the third summer {pal} came by ship, and they knew each other at once.
q: What did {hero} find? => {Hero} found a bottle with a letter. => bottle; letter
q: What did {pal} wish for? => {Pal} wished for {wish}. => {wish}
setup:
- The waves came and went, and {hero} walked along the beach every morning.
- From the window {hero} could see nothing but water.
problem:
- It was beautiful, but there was nobody to talk to.
- Sometimes no one came by for weeks.
try:
- {They} talked to the gulls, but they only cried and flew away.
help:
- One day a bottle lay in the sand, and in it was a letter. It was from {pal_intro}, from the other side of the sea.
- Then the waves brought a green bottle. There was a letter inside, from {pal_intro}. "I would like a friend," it said.
fix:
- At the end of the letter {pal} wished for {wish}. {Hero} sat down at once, put it all into a bottle and threw it far out.
- {Pal} wished for {wish}, and {hero} sent it back with the next tide.
end:
- Weeks later, a new bottle came. And so it went on for many years.
- Since then, {hero} looks at the sea and knows that there is a friend behind it.

@stranded_whale
hero: child; fisherman; sailor; seal; crab; dolphin; lighthouse keeper
home: by the wide sea; in a village by the sea; on a rocky coast
topic: a whale; the sea; saving an animal; teamwork
title: The Whale on the Beach; {hero} and the Whale
$plan = poured buckets of water over it all day; covered it with wet blankets; dug a channel to the water
feel: shocked; worried; helpless
moral: together we can do what seems impossible; big problems need many helpers; nobody can do everything alone
what: A whale lay on the beach and could not get back into the sea.
how: {Hero} and {pal} called everybody, and they {plan} until the tide came.
advice: called for help right away
next: Every spring a whale swims past the village and blows a high fountain, and {hero} waves.
q: What animal was on the beach? => It was a whale. => whale
q: What did they do for the whale? / How did they help the whale? => They {plan}. => {plan}
setup:
- After a wild night {hero} went down to the water.
- One morning the sea was calm, and the birds were strangely quiet.
problem:
- There on the sand lay a young whale that could not get back into the sea.
- A small whale had been washed onto the beach, and the water was far away.
try:
- {They} pushed with all {their} strength, but the whale did not move.
help:
- {Hero} called {pal_intro}. "It must not get dry," said {pal}. "We need everybody!"
- {Pal_intro} came running. "I will fetch the others," called {pal}, "you stay here and talk to it."
fix:
- They all came, and they {plan}. In the evening the tide rose, and with one big push the whale was free.
- The whole village helped. They {plan} until the water came back and lifted the whale.
end:
- It swam a circle, blew water into the air and was gone.
- Out at sea it jumped once, as if it wanted to say thank you.

@moon_stairs
hero: child; mouse; owl; kitten; fox; hare; princess
topic: the moon; a dream; the night; the stars; bedtime
title: The Moon in the Bucket; {hero} and the Moon
$vessel = bucket; bowl of water; pond; washing tub; puddle
pal: elder
feel: sad; disappointed; full of longing
moral: some things are lovely even if you cannot own them; beauty can be shared by all; you can be close to what you love
what: {Hero} wanted to have the moon, but it was too far away.
how: {Pal} showed {hero} the moon shining in the {vessel}.
advice: enjoyed looking at it
next: Every full moon, {hero} puts out the {vessel}, says good night and sleeps very well.
q: What did {hero} want? => {Hero} wanted to have the moon. => moon
q: Where did {hero} see the moon in the end? / Where was the moon? => {Hero} saw the moon in the {vessel}. => {vessel}
setup:
- Every night {hero} looked at the moon and thought that there was nothing more beautiful.
- {They} loved the moon more than anything else.
problem:
- "I want to have it," said {hero}. But the moon was much too far away.
- {Hero} wanted to hold it, just once, but nobody can reach that high.
try:
- {They} climbed on the roof and stretched out {their} arms.
- {They} threw a rope at it, but the rope fell down again.
help:
- {Pal_intro} watched for a while. "Come with me," said {pal}, "and be very quiet."
- "The moon belongs to nobody," said {pal_intro}, "but it visits everybody. Come and see."
fix:
- They went to the {vessel} and waited until the water was still. There was the moon, round and bright!
- {Pal} pointed at the {vessel}. In the dark water lay the moon, so close that {hero} could have touched it.
end:
- {Hero} looked at it until {their} eyes fell shut.
- "Good night, moon," whispered {hero}, and the moon trembled a little, as if it were laughing.

@star_robot
hero: astronaut; robot; captain; pilot; child
home: on a small space station; on a silver space ship; in a round house on the moon
topic: space; a rocket; a planet; the stars; a robot
title: Trouble in Space; {hero} among the Stars
pal: none
$pal/pal_intro/p_they/p_them/p_their = Bolt/a small robot called Bolt/he/him/his; Zip/a little robot called Zip/she/her/her; Dot/a round robot called Dot/she/her/her
$part/tool = radio/an old spoon; engine/a piece of chewing gum; heating/a rubber band; door/a long hairpin; water pump/a bicycle tube
feel: worried; nervous; alone
moral: a small idea can solve a big problem; it pays to stay calm and think; teamwork works in space too
what: The {part} was broken, far out in space.
how: {Pal} had an idea, and they repaired the {part} with {tool}.
advice: looked at everything we had and tried it out
next: Back home they hung {tool} on the wall in a golden frame.
q: What was broken? => The {part} was broken. => {part}
q: What did they use to repair it? / How did they repair the {part}? => They used {tool}. => {tool}
setup:
- With {pal_intro}, {hero} flew past red and blue planets.
- {Hero} worked there together with {pal_intro}. Outside, a million stars were shining.
problem:
- Suddenly there was a crack, and the {part} stopped working. The nearest help was far away.
- Then a red lamp blinked. The {part} was broken!
try:
- {They} pressed all the buttons, but nothing happened.
- {They} read the thick book of rules from the first page to the last, but it did not help.
help:
- "Beep," said {pal}, "I can reach the place, but I need something to fix it with."
- {Pal} rolled through the room and looked into every drawer. "Maybe this?" asked {pal}.
fix:
- They looked at each other. With {tool}, it could work! {Hero} held the light, and {pal} repaired the {part}.
- It was {tool}. Carefully they repaired the {part} with it, and it worked.
end:
- The ship flew on, and behind the window the Earth shone, small and blue.
- "Well done, my friend," said {hero}, and {pal} blinked happily.

@rainbow_end
hero: any
topic: a rainbow; the rain; a treasure; the colours
title: At the End of the Rainbow; {hero} and the Rainbow
$found = a lake that they had never seen; a tree full of ripe cherries; a field of blue flowers; a family of baby ducks
feel: disappointed; puzzled; a little sad
moral: the way can be better than the goal; there are treasures everywhere if you look; walking with a friend is a treasure
what: {Hero} wanted to reach the end of the rainbow, but it always moved away.
how: {Pal} showed {hero} what they had found on the way: {found}.
advice: enjoyed the walk
next: They went there many times, rain or shine, and told nobody but their best friends.
q: What did they find? / What did they find on the way? => They found {found}. => {found}
q: What did {hero} want to reach? => {Hero} wanted to reach the end of the rainbow. => rainbow
setup:
- After a warm rain there was a rainbow over the hills. "There is a treasure at its end!" said {hero}.
- {They} had heard that there is gold at the end of the rainbow. And one day there it was, bright and near.
problem:
- {Hero} called {pal_intro}, and they ran and ran, but the rainbow always moved away.
- Together with {pal_intro}, {hero} ran over fields and hills. But it never came any closer, and then it was gone.
try:
- They tried to run faster, and then to walk slowly, but it did not help.
help:
- "Now we have no treasure," said {hero}. "Look around," said {pal}.
- {Hero} kicked a stone. But {pal} stood still and said, "Look!"
fix:
- In front of them was {found}. They would never have come here without the rainbow.
- Before them lay something wonderful: {found}.
end:
- They stayed until evening and went home with happy hearts.
- "That is better than gold," said {hero}.

@cloud_friend
hero: child; farmer; gardener; sheep; goat; scarecrow
topic: a cloud; dry fields; rain; the weather; a thank you
title: The Little Cloud; Rain at Last
pal: none
$pal/pal_intro/p_they/p_them/p_their = Fluff/a small cloud called Fluff/she/her/her; Puff/a little white cloud called Puff/he/him/his; Drop/a tiny cloud called Drop/she/her/her
$cheer = told it the funniest joke in the world; sang it a song; told it that it was beautiful; asked it how it was feeling
feel: worried; sad; helpless
moral: a kind word works better than shouting; kindness makes others strong; it helps to ask how someone feels
what: It had not rained for weeks, and {pal} could not rain.
how: {Hero} {cheer}, and {pal} began to rain.
advice: spoken kindly to it as well
next: Since then {pal} comes by once a week, and {hero} always has a kind word ready.
q: Why was {hero} worried? => It had not rained for weeks. => rain
q: What did {hero} do for the cloud? / How did {hero} help {pal}? => {Hero} {cheer}. => {cheer}
setup:
- The fields were dry, and {hero} looked up at the sky every day.
- It had not rained for weeks, and all the plants let their heads hang.
problem:
- Then {pal_intro} came over the hill, but not a drop fell.
- There was only one cloud, {pal_intro}, and it did not rain.
try:
- "Rain!" people shouted at the cloud. It only became smaller.
help:
- "Why do you not rain?" asked {hero}. "Everyone shouts at me," said {pal} softly. "I am too small."
- {Hero} climbed on a hill, quite close to it. {Pal} looked pale. "They say that I am good for nothing," said {pal}.
fix:
- So {hero} {cheer}. {Pal} grew and grew, turned grey, and then soft rain began to fall.
- {Hero} {cheer}. It made {pal} so happy that the first drops fell, and then it poured.
end:
- The flowers lifted their heads, and {hero} danced in the rain.
- Everyone ran outside, got wet and laughed.

@shooting_star
hero: any
topic: a star; a wish; the night sky; a shooting star
title: One Wish; The Wish for {pal}
pal: friend
helper: no
feel: sad; thoughtful; sorry
moral: you do not need a star to help a friend; the best wishes are those for others; love is stronger than magic
what: {Pal} was in trouble, and {hero} did not know what to wish for.
how: {Hero} gave {their} only wish to {pal}.
advice: wished for something for my friend as well
next: A year later they saw another shooting star. "I do not need a wish," said {pal}. "I have you."
q: Who was the wish for? => The wish was for {pal}. => {pal}
q: What did {hero} see in the sky? => {Hero} saw a shooting star. => star
setup:
- On a clear night {hero} lay in the grass and looked up. Suddenly a shooting star flew by!
- {They} saw a shooting star, and everybody knows that you may make a wish then.
problem:
- {Hero} wanted to wish for a big cake. But then {they} thought of {pal_intro}, who was ill and sad.
- "What shall I wish for?" {they} thought. A boat? A bag of gold? Then {they} remembered {pal_intro}, who was lying in bed, ill and alone.
try:
- {They} thought for a long time, because there was only one wish.
help:
- Then {they} knew what to do. {They} closed {their} eyes.
- {They} looked up once more and took a deep breath.
fix:
- "I wish that {pal} gets well again," {they} said. And because you never know with stars, {hero} also went to see {pal} with a bunch of flowers.
- "Let {pal} be well and happy," said {hero}. And the next morning {they} brought {pal} some warm bread, to help the star a little.
end:
- Soon {pal} was well. Was it the star, or was it the visit? Nobody knows.
- {Pal} smiled, and day by day {p_they} got better.

@winter_stores
hero: squirrel; hedgehog; mouse; badger; mole; rabbit
topic: autumn; winter; being lazy; working hard; storing food
title: Before the Snow; {hero} and the Empty Pantry
$food = nuts; dried apples; seeds; mushrooms; grain
$fun = danced in the leaves; slept in the sun; floated on the pond; played the flute
feel: cold and hungry; ashamed; worried
moral: it is wise to prepare in time; first work and then play; good neighbours share and then teach
what: {Hero} had {fun} all autumn and had no food for the winter.
how: {Pal} shared {p_their} {food}, and {hero} promised to help with the next harvest.
advice: worked a little each day and played afterwards
next: The next autumn {hero} was up before everyone else, and there was still time to have fun in the evening.
q: What did {hero} do all autumn? => {Hero} {fun}. => {fun}
q: What did {pal} share? => {Pal} shared {p_their} {food}. => {food}
setup:
- All autumn, when the others gathered food, {hero} {fun}.
- "Winter is far away," said {hero} and {fun}.
problem:
- Then the snow came over night, and the pantry was empty.
- But one morning everything was white, and {hero} had nothing to eat.
try:
- {They} dug in the snow, but {they} found only an old cone.
help:
- {They} knocked at the door of {pal_intro}. "I have nothing to eat," said {hero} in a low voice.
- {Pal_intro} saw the tracks in the snow. "Are you hungry?" asked {pal}.
fix:
- "Come in," said {pal}. "I have enough {food} for two. But next autumn you will help me." "I promise!" said {hero}.
- {Pal} put a big bowl of {food} on the table. "Eat, and next year we will gather together," said {pal}.
end:
- {Hero} kept {their} word, and the next year both pantries were full.
- They told each other stories all winter long, and it was warm by the stove.

@lighthouse_night
hero: lighthouse keeper; child; sailor; seal; mouse
home: in a white lighthouse; on a rocky island; in a little house beside a lighthouse
topic: a lighthouse; fog; ships; the night; courage
title: The Light in the Fog; The Night the Lamp Went Out
$way = beat a big drum; rang an old bell; lit a fire on the rocks; blew a horn; swung a lantern
feel: alarmed; frightened; worried
moral: a small light can save many; there is always another way; courage finds a way in the dark
what: In thick fog the lamp of the lighthouse went out, and a ship was coming.
how: {Hero} and {pal} {way} until the ship was safe.
advice: looked for another way to warn the ship
next: The captain of the ship sent a new lamp and a barrel of oranges, and came to visit every year.
q: What happened to the lamp? / What went out? => The lamp of the lighthouse went out. => lamp; out
q: How did they warn the ship? => They {way}. => {way}
setup:
- Every evening the great lamp was lit, so that the ships would find their way.
- One evening the fog was so thick that you could not see your own feet.
problem:
- Suddenly the lamp went out. And out there in the fog, a ship was coming!
- Then there was a crack, and the lamp was dark. A ship's horn sounded in the fog.
try:
- {They} tried to light the lamp again, but it was broken.
help:
- {Hero} woke {pal_intro}. "If they cannot see us, they must hear us or see a fire," said {pal}.
- "We need another sign!" called {pal_intro}, who had come running.
fix:
- They ran down the stairs and {way}, again and again. At last the ship turned away from the rocks.
- Together they {way}, until their arms hurt. The ship heard and saw it, and turned in time.
end:
- In the morning the fog was gone, and the ship lay safe in the harbour.
- The sailors waved and called, "Thank you!"
"""
