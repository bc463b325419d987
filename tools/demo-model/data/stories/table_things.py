"""Stories about things: lost, found, broken, shared, made."""

TABLE = """
@kite_in_tree
hero: any
topic: {a_thing}; the wind; flying a kite; asking for help
title: The {thing} in the Tree; A Windy Day
place: the park; the meadow; the hill behind the school; the field by the river
$thing = kite; red kite; paper kite; kite with a long tail
$tree = oak tree; apple tree; chestnut tree; pine tree
$tool = ladder; long pole; long rope; rake with a long handle
feel: sad; upset; disappointed
moral: asking for help is a clever thing to do; two heads are better than one; there is no shame in asking for help
what: {Hero}'s {thing} got stuck in {a_tree}.
how: {Pal} brought {a_tool}, and together they got the {thing} down.
advice: asked someone with {a_tool} for help before pulling the string
next: The next windy day, {hero} and {pal} took the {thing} to a wide field with no trees at all. It flew higher than ever.
q: Where did the {thing} get stuck? / What was the {thing} caught in? => It got stuck in {a_tree}. => {tree}
q: What did {pal} bring? / What did they use to get it down? => {Pal} brought {a_tool}. => {tool}
setup:
- {They} had {a_thing} and waited all week for a windy day. At last the wind came, and {hero} ran to {place}.
- One windy morning, {hero} took {their} {thing} to {place}.
- {They} loved the wind, because then {they} could fly {their} {thing} at {place}.
problem:
- Up and up it flew, but then the wind turned, and the {thing} got stuck in {a_tree}.
- Suddenly the wind blew hard and pushed the {thing} into the top of {a_tree}.
- It flew so well! Then the string slipped, and the {thing} was caught in the branches of {a_tree}.
try:
- {Hero} pulled at the string, but it would not come loose.
- {They} jumped as high as {they} could, but the branch was much too high.
help:
- Just then {pal_intro} came by. "I have {a_tool} at home," said {pal}. "Wait here!"
- {Hero} ran to {pal_intro} and asked for help. {Pal} thought for a moment and fetched {a_tool}.
- {Pal_intro} saw what had happened. "Do not pull, or it will tear," said {pal}. "We need {a_tool}."
fix:
- With the {tool}, they reached the branch and lifted the {thing} down without a single tear.
- {Pal} held the {tool} and {hero} held the string. Slowly, the {thing} came down.
end:
- Then they both flew it, one after the other, until the sun went down.
- "Thank you, {pal}!" said {hero}. "Now it is your turn to fly it." And up it went again.

@lost_object
hero: wide
topic: {a_thing}; a lost {thing}; losing something; looking for something
title: The Lost {thing}; Where Is the {thing}?
place: the garden; the library; the market; the park; the old barn; the beach
$thing = @objects
$spot = under a bench; behind a big stone; beside the gate; in the tall grass; under a pile of leaves; next to the well
feel: sad; worried; upset; unhappy
moral: it helps to stop and think; looking calmly works better than running about; it is best to think before you search
what: {Hero} lost {their} {thing}.
how: {Pal} asked {hero} to think back, and they found the {thing} {spot}.
advice: stood still and tried to remember where I had it last
next: From then on, {hero} kept the {thing} on a special shelf, and every evening {they} checked that it was there.
q: Where was the {thing}? / Where did they find it? / Where did {hero} find the {thing}? => It was {spot}. => {spot}
q: What did {hero} lose? / What was lost? => {Hero} lost {their} {thing}. => {thing}
setup:
- {They} had {a_thing} that {they} liked more than anything else.
- {Their} favourite thing was {a_thing}, and {they} took it everywhere.
- For {their} birthday, {hero} had been given {a_thing}, and {they} took good care of it.
problem:
- One day, {they} came home from {place} and the {thing} was gone.
- But one afternoon at {place}, {hero} looked around, and the {thing} was not there.
- Then one day {hero} went to {place}, and on the way home {they} saw that the {thing} was missing.
try:
- {They} looked in every corner at home, but it was not there.
- {They} ran up and down the path and looked everywhere, but found nothing.
help:
- {Pal_intro} came along and asked, "Where did you have it last?"
- {Pal_intro} heard about it. "Let us think," said {pal}. "Where did you sit down to rest?"
- "Do not cry," said {pal_intro}. "Close your eyes and think back. Where did you stop?"
fix:
- {Hero} thought hard and remembered. They went back to {place}, and there it was, {spot}!
- Then {hero} remembered. Together they walked back to {place} and found the {thing} {spot}.
end:
- {Hero} hugged {pal} and carried the {thing} home very carefully.
- "Thank you for helping me think," said {hero}, and they walked home together.

@found_object
hero: wide
topic: {a_thing}; finding {a_thing}; honesty; telling the truth
title: The {thing} That Was Not Mine; Finders and Keepers
place: the park; the market; the bus stop; the beach; the station; the village square
$thing = @objects
feel: torn; unsure; a little guilty
helper: no
pal: stranger
moral: giving something back feels better than keeping it; honesty makes friends; being honest is worth more than any treasure
what: {Hero} found {a_thing} that belonged to somebody else and wanted to keep it.
how: {Hero} gave the {thing} back to {pal}.
advice: looked for the owner right away
next: A week later, {pal} came to visit with a basket of warm rolls, and the two of them became good friends.
q: What did {hero} find? => {Hero} found {a_thing}. => {thing}
q: Where did {hero} find the {thing}? / Where did {they} find it? => {Hero} found it at {place}. => {place}
q: Who did the {thing} belong to? / Whose {thing} was it? => It belonged to {pal}. => {pal}
setup:
- One morning, {hero} was walking at {place} when something on the ground caught {their} eye. It was {a_thing}.
- On the way home, {hero} found {a_thing} at {place}. Nobody was there.
- "What is this?" said {hero} one day at {place}. There, all alone, lay {a_thing}.
problem:
- It was beautiful, and {hero} wanted to keep it. But a voice inside said, "It is not yours."
- {They} put it in {their} bag and walked on. But with every step {they} thought, "Somebody must be missing it."
- {Hero} had always wanted one. Still, {they} knew that it belonged to somebody.
help:
- Then {they} saw {pal_intro}, who was looking everywhere with sad eyes.
- Around the corner stood {pal_intro}, searching in the grass. "I have lost something dear to me," said {pal}.
fix:
- {Hero} took a deep breath and held out the {thing}. "I found this. Is it yours?" "Yes!" cried {pal}.
- "Is this what you are looking for?" asked {hero} and gave the {thing} back.
end:
- {Pal} was so happy that {p_they} danced, and {hero} felt light and glad all day.
- "Not everyone would have done that," said {pal}. They shared some apples and talked for a long time.

@broken_thing
hero: any
topic: {a_thing}; telling the truth; honesty; breaking something
title: The Broken {thing}; {hero} Tells the Truth
$thing = vase; teapot; blue bowl; picture frame; flower pot; big plate; lamp; music box
feel: frightened; ashamed; worried
pal: elder
moral: telling the truth makes the heart light; it is better to tell the truth than to hide a mistake; everyone makes mistakes, and owning up makes it better
what: {Hero} broke the {thing} and wanted to hide it.
how: {Hero} told {pal} the truth, and they glued the {thing} together.
advice: said sorry at once and offered to help mend it
next: The mended {thing} stood by the window, and whenever {hero} saw the thin lines of glue, {they} smiled.
q: What did {hero} break? => {Hero} broke the {thing}. => {thing}
q: How did they mend it? / How was the {thing} mended? => They glued the pieces together. => glue
q: Was {pal} angry? => No, {pal} was not angry, because {hero} told the truth. => no; not angry
setup:
- One rainy day, {hero} was playing with a ball inside the house, although that was not allowed.
- One afternoon, {hero} ran through the room with {their} arms wide open, pretending to be an eagle.
- {They} liked to dance around the table when nobody was looking.
problem:
- Crash! The {thing} fell to the floor and broke into three pieces.
- Bump! The table shook, and the {thing} fell down and broke.
- Suddenly there was a loud crash. The {thing} lay on the floor in pieces.
try:
- {They} pushed the pieces under the carpet, but that did not feel right at all.
- First {they} wanted to say that the wind had done it. But a lie would only make things worse.
help:
- Then {pal_intro} came in. {Hero} swallowed hard and said, "I broke the {thing}. I am sorry."
- {They} went to {pal_intro} and said quietly, "It was me. I broke the {thing}, and I am very sorry."
fix:
- {Pal} was not angry. "Thank you for telling me," said {pal}. They took some glue and put the pieces together.
- "Things can be mended," said {pal}, "and I am proud that you told me the truth." Together they glued it, piece by piece.
end:
- You could still see the cracks, but {hero} thought the {thing} looked even nicer than before.
- After that, {hero} only played ball outside.

@shared_toy
hero: child
topic: {a_thing}; sharing; two friends
title: One {thing} for Two; {hero} Learns to Share
place: the playground; the park; the garden; the schoolyard
$thing = swing; scooter; bucket and spade; toy boat; skipping rope; football; drum; red wagon; tricycle
feel: cross; grumpy; annoyed
helper: no
moral: sharing makes things more fun; a toy is twice as much fun with a friend; sharing is the way to make friends
what: {Hero} and {pal} both wanted the {thing}.
how: They decided to take turns.
advice: offered to take turns from the start
next: The next day, {pal} brought a toy of {p_their} own, and {hero} was the first who was allowed to play with it.
q: What did both of them want? / What did they argue about? => They both wanted the {thing}. => {thing}
q: Where were they playing? => They were playing at {place}. => {place}
setup:
- One sunny afternoon, {hero} was playing with the {thing} at {place}.
- At {place}, there was only one {thing}, and {hero} had it first.
problem:
- Then {pal_intro} came and wanted it too. "No, it is mine!" said {hero}, and {pal} began to cry.
- {Pal_intro} asked, "May I have a turn?" "Never!" said {hero}. Both of them pulled, and nobody could play.
try:
- For a while, {hero} played alone. But it was not much fun with {pal} looking so sad.
- {Hero} turned away and played alone, but soon it became boring.
help:
- {Hero} looked at {pal} and thought, "How would I feel?"
- Then {hero} remembered how it felt to be left out.
fix:
- "Let us take turns," said {hero}. "You count to fifty, and then I count to fifty."
- "You can go first," said {hero}, "and then it is my turn." {Pal} wiped {p_their} eyes and smiled.
end:
- They made up a new game for two, and they laughed until it was time to go home.
- Soon they were playing together so nicely that other children came to join them.

@too_many_apples
hero: farmer; hedgehog; badger; goat; gardener; bear; squirrel
topic: {a_thing}; sharing; autumn; a rich harvest; food
title: Too Many {things}; The Big Harvest
home: beside a big orchard; on a small farm; in a sunny valley
$thing/things = apple/apples; pear/pears; plum/plums; pumpkin/pumpkins; cherry/cherries; nut/nuts
feel: worried; helpless; troubled
moral: what you share is never wasted; sharing a harvest makes a feast; giving brings more joy than keeping
what: {Hero} had too many {things}, and they were about to spoil.
how: {Hero} invited {pal} and all the neighbours, and they ate and cooked the {things} together.
advice: invited the neighbours on the very first day
next: In winter, the neighbours came back with soup and songs, because they had not forgotten the feast.
q: What did {hero} have too many of? => {Hero} had too many {things}. => {things}
q: Who came to eat? => {Pal} and all the neighbours came. => {pal}; neighbours
setup:
- All summer {hero} had watched the {things} grow, and that autumn there were more than ever before.
- {They} loved {things} and had gathered them for days and days, until the whole house was full.
problem:
- But nobody could eat so many {things} alone, and the first ones were going soft.
- There were {things} on the table, under the bed and even in the bath. Soon they would all be spoiled.
try:
- {Hero} ate {things} for breakfast, lunch and dinner, and got a stomach ache.
- {They} tried to hide them in a cool hole, but the hole was full in no time.
help:
- Then {pal_intro} walked past and said, "How lovely! We had a poor harvest this year and have none."
- {Pal_intro} knocked at the door. "I smell {things}," said {pal}. "At my house the shelves are empty."
fix:
- {Hero} had an idea. "Come in, and call all the neighbours! Today we will cook and eat together."
- "Then take as many as you can carry," said {hero}, "and bring the neighbours too!"
end:
- They baked, cooked and sang until late at night, and not a single one was wasted.
- Soon there were pots on every fire, and everyone went home full and happy.

@magic_box
hero: wide
topic: {a_thing}; a secret; patience; a mystery
title: The Box with the {thing}; The Locked Box
place: the attic; the cellar; the old barn; the back of the shop
$thing = @objects
$key_spot = in an old boot; behind a picture; under a flower pot; inside a clock; on a nail by the door
feel: curious; impatient; restless
moral: patience opens every lock; if you take your time, you find the answer; it pays to look carefully
what: {Hero} found a locked box and could not open it.
how: {Pal} and {hero} searched with patience and found the key {key_spot}.
advice: looked for the key instead of shaking the box
next: {Hero} put a little note into the box for the next person who would find it, locked it and hung the key back in its place.
q: What was in the box? / What was inside? => In the box there was {a_thing}. => {thing}
q: Where was the key? / Where did they find the key? => The key was {key_spot}. => {key_spot}
q: Where did {hero} find the box? => {Hero} found it in {place}. => {place}
setup:
- One day, {hero} was tidying {place} and found a small wooden box.
- In {place}, behind some old chairs, {hero} discovered a dusty little box.
problem:
- It was locked, and there was no key. What could be inside?
- {They} tried to lift the lid, but it was locked. Something inside went "clonk".
try:
- {They} shook it and pulled at it, but the lid stayed shut.
- {They} wanted to break it open with a stone, but it was too pretty for that.
help:
- "If there is a lock, there is a key," said {pal_intro}. "Let us look slowly and carefully."
- {Pal_intro} came to see. "Let us search one corner at a time," said {pal}.
fix:
- They looked in every corner, and at last {pal} found a little key {key_spot}. Click! Inside lay {a_thing}.
- It took a long time, but then {hero} saw something shine. The key was {key_spot}! In the box they found {a_thing}.
end:
- It had been waiting there for many years, and now it was loved again.
- They cleaned it until it shone, and {hero} showed it to everybody.

@torn_coat
hero: child; tailor; mouse; fox; bear; shepherd
topic: {a_thing}; sewing; mending things; winter
title: The Patch on the {thing}; A Hole in the {thing}
$thing = coat; jacket; cape; sweater; blanket; backpack
$patch = a star; a heart; a little sun; a leaf; a moon
feel: upset; sad; cross
pal: elder
moral: old things can be made beautiful again; mending is better than throwing away; a little care makes old things new
what: {Hero}'s {thing} had a big hole.
how: {Pal} showed {hero} how to sew a patch with the shape of {patch} over the hole.
advice: looked for a needle and some thread
next: Soon others came with torn clothes of their own, and {hero} sewed a different patch for each of them.
q: What shape was the patch? / What did the patch look like? => The patch had the shape of {patch}. => {patch}
q: What was torn? / What had a hole? => {Hero}'s {thing} had a hole. => {thing}
setup:
- {They} had one {thing} that was warm and soft, and {they} used it every day.
- Winter was near, and {hero} was glad to have a good strong {thing}.
problem:
- But one day, it caught on a nail, and with a loud rip there was a big hole in it.
- One morning, a thorn bush tore a hole in the {thing}.
try:
- {They} tried to hold it together with a pin, but the pin fell out.
- {They} wanted to throw it away, but a new one cost too much.
help:
- {Hero} showed it to {pal_intro}. "Fetch a needle and some thread," said {pal}.
- "That is nothing to cry about," said {pal_intro}. "I will teach you how to sew."
fix:
- Stitch by stitch, {hero} sewed a patch over the hole. It had the shape of {patch}.
- {Pal} cut out a patch that looked like {patch}, and {hero} sewed it on with careful stitches.
end:
- Now the {thing} was nicer than any new one, and everyone asked where they could get one like it.
- {Hero} showed everyone the patch with pride, for {they} had sewn it all alone.

@missing_piece
hero: any
topic: {a_thing}; a puzzle; finishing something; not giving up
title: The Last Piece; {hero} and the {thing}
$thing = puzzle; toy train; wooden bridge; model ship; birdhouse; bookshelf
$piece_spot = under the carpet; in {their} own pocket; behind the curtain; inside a shoe; in the toy chest
feel: disappointed; frustrated; cross
moral: it is worth finishing what you start; you should not give up right before the end; patience gets the job done
what: One piece of the {thing} was missing.
how: {Pal} helped {hero} search, and they found the piece {piece_spot}.
advice: tidied the room and looked for the piece
next: When it was finished, {hero} and {pal} gave the {thing} to the children next door, with every single piece.
q: Where was the missing piece? / Where did they find the piece? => The piece was {piece_spot}. => {piece_spot}
q: What was {hero} making? / What was {hero} building? => {Hero} was working on {a_thing}. => {thing}
setup:
- On a rainy Sunday, {hero} sat on the floor and put together {a_thing}.
- {They} had worked for three whole days on {a_thing}.
problem:
- It was almost ready, but the very last piece was missing!
- Only one piece was left to add, and it was nowhere to be seen.
try:
- {They} counted all the pieces again, but one was still missing.
- "Then I will never finish it," said {hero} and wanted to put everything away.
help:
- "Do not give up now," said {pal_intro}. "I will help you look."
- {Pal_intro} knelt down on the floor too. "Four eyes see more than two," said {pal}.
fix:
- They turned the whole room upside down, and there was the piece, {piece_spot}!
- After a long search, they found it {piece_spot}. {Hero} had to laugh.
end:
- With a soft click, the last piece fitted, and the {thing} was done.
- {Hero} let {pal} put in the last piece, and they both clapped.

@birthday_gift
hero: any
topic: a birthday; a gift; {a_thing}; making a present
title: The Best Present; A Gift for {pal}
$thing = wooden whistle; necklace of shells; painted stone; woollen scarf; book of drawings; bird feeder; paper lantern; song
feel: worried; embarrassed; unhappy
helper: no
moral: a gift from the heart is the best gift; a present does not have to cost money; what you make yourself is worth the most
what: {Hero} had no money to buy {pal} a birthday present.
how: {Hero} made {a_thing} as a present.
advice: made something with my own hands too
next: The next year, {pal} made something for {hero}: a card with a picture of the two of them.
q: What did {hero} make? / What was the present? => {Hero} made {a_thing}. => {thing}
q: Whose birthday was it? => It was {pal}'s birthday. => {pal}
q: Did {pal} like the present? => Yes, {pal} loved it. => yes
setup:
- {Pal_intro} was having a birthday party, and {hero} was invited.
- The next day was the birthday of {pal_intro}, and everybody was talking about presents.
problem:
- But {hero} had no money to buy anything. The jar of coins was empty.
- {Hero} looked into the shop windows, but everything cost far too much.
try:
- {They} thought about staying at home and pretending to be ill.
- {They} looked through all {their} toys, but none of them was right.
help:
- Then {they} had an idea. "{Pal} likes things that nobody else has. I will make something!"
- That night {they} looked at {their} own two hands and smiled. "I can make something," {they} said.
fix:
- All evening {hero} worked, and in the morning {a_thing} was ready, wrapped in blue paper.
- It took a long time, and twice {they} had to start again. But then {they} had made {a_thing} for {pal}.
end:
- At the party, {pal} opened it last. "This is the best of all," said {pal}, "because you made it."
- {Pal}'s eyes shone. "Nobody has ever made me anything so lovely!" said {pal}.
"""
