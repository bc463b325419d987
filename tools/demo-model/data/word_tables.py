"""Word tables, typed by hand: opposites, irregular forms, words that mean the same, and things by category."""
from __future__ import annotations


def _pairs(text: str) -> list[tuple[str, str]]:
    return [tuple(item.split("/")) for item in text.split()]  # type: ignore[misc]


OPPOSITES = _pairs("""
hot/cold big/small tall/short long/short fast/slow high/low old/young new/old happy/sad good/bad up/down in/out on/off open/closed
day/night light/dark black/white left/right right/wrong true/false yes/no full/empty wet/dry hard/soft easy/difficult clean/dirty loud/quiet
strong/weak rich/poor near/far early/late first/last before/after above/below over/under inside/outside front/back top/bottom start/finish
begin/end come/go give/take push/pull buy/sell win/lose love/hate laugh/cry live/die sit/stand sleep/wake ask/answer arrive/leave find/lose
remember/forget teach/learn throw/catch enter/exit borrow/lend save/spend build/destroy grow/shrink rise/fall stop/go float/sink freeze/melt
heavy/light thick/thin wide/narrow deep/shallow sharp/blunt smooth/rough sweet/sour fresh/stale raw/cooked cheap/expensive safe/dangerous
brave/cowardly kind/cruel polite/rude honest/dishonest lazy/hardworking clever/stupid careful/careless patient/impatient calm/nervous shy/bold
proud/humble generous/selfish friendly/unfriendly beautiful/ugly healthy/sick alive/dead awake/asleep busy/idle hungry/full thirsty/quenched
noisy/silent bright/dim boring/interesting simple/complicated common/rare usual/unusual possible/impossible public/private same/different
equal/unequal together/apart always/never everything/nothing everyone/nobody everywhere/nowhere more/less most/least many/few all/none
man/woman boy/girl king/queen brother/sister mother/father son/daughter uncle/aunt husband/wife prince/princess hero/villain friend/enemy
summer/winter spring/autumn morning/evening sunrise/sunset north/south east/west heaven/hell peace/war victory/defeat success/failure
beginning/ending entrance/exit question/answer ceiling/floor problem/solution profit/loss question/reply truth/lie courage/fear joy/sorrow
pleasure/pain strength/weakness wisdom/folly youth/age past/future birth/death arrival/departure increase/decrease add/subtract multiply/divide
accept/refuse agree/disagree allow/forbid appear/disappear attack/defend blame/praise break/fix bless/curse create/destroy cool/warm
cover/uncover deny/admit encourage/discourage expand/contract fail/succeed fill/empty follow/lead gather/scatter hide/show hit/miss
hurry/wait include/exclude inhale/exhale join/separate lock/unlock tie/untie load/unload maximum/minimum major/minor male/female
married/single modern/ancient natural/artificial normal/strange obey/disobey optimist/pessimist permanent/temporary plural/singular
positive/negative powerful/weak present/absent quick/slow raise/lower rapid/slow real/fake relax/worry reward/punishment ripe/unripe
rural/urban satisfied/unsatisfied senior/junior solid/liquid sober/drunk straight/crooked stretch/shrink sunny/cloudy tame/wild tight/loose
tiny/huge useful/useless vacant/occupied visible/invisible wise/foolish within/without worse/better best/worst worthless/valuable
backward/forward backwards/forwards upstairs/downstairs indoors/outdoors bitter/sweet blunt/sharp bottom/top careless/careful child/adult
cruel/kind dark/light dirty/clean down/up dry/wet empty/full enemy/friend evil/good far/near fat/thin female/male few/many forget/remember
go/come guilty/innocent hate/love huge/tiny ill/well innocent/guilty junior/senior last/first late/early lead/follow less/more lose/win
loose/tight lower/raise low/high melt/freeze miss/hit narrow/wide nasty/nice night/day nobody/everybody noise/silence none/all old/new
out/in off/on outside/inside poor/rich pull/push rough/smooth rude/polite sad/happy sell/buy shallow/deep short/long shut/open sick/healthy
silent/noisy sink/float slow/fast small/big soft/hard sour/sweet stale/fresh stand/sit take/give thin/thick ugly/beautiful under/over
weak/strong wild/tame winter/summer wrong/right young/old odd/even clear/cloudy cloudy/clear exact/rough fair/unfair lucky/unlucky
tidy/messy messy/tidy known/unknown able/unable sure/unsure seen/unseen necessary/unnecessary comfortable/uncomfortable
difficult/easy expensive/cheap dangerous/safe interesting/boring different/same quiet/loud white/black south/north west/east
girl/boy queen/king sister/brother father/mother daughter/son aunt/uncle wife/husband evening/morning death/life life/death war/peace
cold/hot bad/good end/beginning finish/start answer/question false/true closed/open asleep/awake dead/alive cry/laugh
""")
OPPOSITE: dict[str, str] = {}
for _word, _other in OPPOSITES:
    OPPOSITE.setdefault(_word, _other)

SYNONYMS = _pairs("""
big/large small/little happy/glad sad/unhappy fast/quick begin/start end/finish smart/clever angry/mad tired/sleepy scared/afraid pretty/beautiful
rich/wealthy quiet/silent shout/yell jump/leap look/watch speak/talk hard/difficult easy/simple cold/chilly hot/boiling strange/odd funny/amusing
nice/pleasant brave/courageous mistake/error gift/present house/home rock/stone road/street sick/ill large/huge tiny/little close/shut help/assist
buy/purchase repair/fix answer/reply choose/pick hurry/rush think/believe wonderful/marvelous good/fine awful/terrible silly/foolish kind/gentle
fight/battle friend/pal job/work kid/child ship/boat forest/woods autumn/fall noise/sound smell/odor cry/weep laugh/giggle let/allow gather/collect
build/construct leave/depart arrive/come throw/toss hide/conceal find/discover show/display join/connect copy/imitate save/rescue scare/frighten
strong/powerful weak/feeble thin/slim correct/right wrong/false neat/tidy dirty/filthy wet/damp whole/entire empty/vacant famous/well-known lucky/fortunate
dangerous/risky secret/hidden calm/peaceful busy/occupied delicious/tasty bright/shiny story/tale trip/journey picture/image doctor/physician money/cash
""")

IRREGULAR_PAST = _pairs("""
go/went come/came see/saw eat/ate drink/drank run/ran swim/swam sing/sang ring/rang begin/began give/gave take/took make/made get/got have/had
do/did say/said tell/told think/thought buy/bought bring/brought catch/caught teach/taught fight/fought seek/sought find/found stand/stood
understand/understood know/knew grow/grew throw/threw blow/blew fly/flew draw/drew write/wrote ride/rode drive/drove rise/rose speak/spoke
break/broke steal/stole wake/woke choose/chose freeze/froze wear/wore tear/tore sleep/slept keep/kept feel/felt leave/left meet/met feed/fed
lead/led read/read bleed/bled hold/held hear/heard build/built send/sent spend/spent lend/lent lose/lost sit/sat win/won hang/hung dig/dug
stick/stuck swing/swung cut/cut put/put hit/hit let/let shut/shut hurt/hurt cost/cost set/set sell/sold pay/paid lay/laid fall/fell hide/hid
bite/bit forget/forgot forgive/forgave become/became shine/shone shake/shook wind/wound bend/bent mean/meant dream/dreamed light/lit
sweep/swept weep/wept kneel/knelt shoot/shot sink/sank spring/sprang stink/stank swear/swore be/was can/could
walk/walked play/played talk/talked look/looked help/helped jump/jumped call/called ask/asked work/worked live/lived love/loved open/opened
close/closed stop/stopped plan/planned try/tried cry/cried carry/carried study/studied hurry/hurried dance/danced smile/smiled cook/cooked
clean/cleaned wash/washed watch/watched paint/painted plant/planted wait/waited visit/visited listen/listened answer/answered climb/climbed
""")

COMPARATIVES = [tuple(item.split("/")) for item in """
big/bigger/biggest small/smaller/smallest tall/taller/tallest short/shorter/shortest long/longer/longest fast/faster/fastest slow/slower/slowest
good/better/best bad/worse/worst far/farther/farthest many/more/most little/less/least happy/happier/happiest sad/sadder/saddest easy/easier/easiest
hot/hotter/hottest cold/colder/coldest old/older/oldest young/younger/youngest new/newer/newest strong/stronger/strongest weak/weaker/weakest
rich/richer/richest poor/poorer/poorest high/higher/highest low/lower/lowest deep/deeper/deepest wide/wider/widest thin/thinner/thinnest
fat/fatter/fattest heavy/heavier/heaviest light/lighter/lightest pretty/prettier/prettiest funny/funnier/funniest busy/busier/busiest
early/earlier/earliest late/later/latest nice/nicer/nicest kind/kinder/kindest brave/braver/bravest wise/wiser/wisest loud/louder/loudest
clean/cleaner/cleanest dirty/dirtier/dirtiest soft/softer/softest hard/harder/hardest bright/brighter/brightest dark/darker/darkest
warm/warmer/warmest cool/cooler/coolest sweet/sweeter/sweetest clever/cleverer/cleverest sunny/sunnier/sunniest wet/wetter/wettest dry/drier/driest
""".split()]

# category: (article and name, plural) -> members
CATEGORIES: dict[tuple[str, str], list[str]] = {
    ("a bird", "birds"): "robin sparrow eagle owl penguin duck swan crow pigeon parrot ostrich hen goose stork seagull peacock flamingo woodpecker raven hawk".split(),
    ("a fish", "fish"): "shark salmon tuna goldfish trout carp herring cod sardine eel seahorse pike".split(),
    ("an insect", "insects"): "ant bee butterfly beetle fly mosquito wasp moth ladybird grasshopper cricket dragonfly termite flea".split(),
    ("a mammal", "mammals"): "dog cat horse cow whale dolphin bat lion tiger elephant mouse rabbit bear monkey kangaroo pig sheep goat fox wolf".split(),
    ("a reptile", "reptiles"): "snake lizard turtle crocodile alligator tortoise gecko iguana".split(),
    ("a fruit", "fruits"): "apple banana pear orange peach plum cherry grape mango lemon strawberry pineapple kiwi melon apricot raspberry fig lime".split(),
    ("a vegetable", "vegetables"): "carrot potato onion cabbage radish turnip leek beet parsnip lettuce cauliflower spinach".split(),
    ("a tool", "tools"): "hammer saw screwdriver wrench drill shovel rake ax chisel file".split(),
    ("an instrument", "instruments"): "piano guitar violin drum flute trumpet cello harp clarinet saxophone banjo tuba".split(),
    ("a color", "colors"): "red blue green yellow orange purple pink brown black white grey".split(),
    ("a vehicle", "vehicles"): "car bus truck train bicycle motorcycle tram van tractor taxi".split(),
    ("a piece of furniture", "pieces of furniture"): "chair table bed sofa desk wardrobe bookcase stool bench cupboard".split(),
    ("a piece of clothing", "pieces of clothing"): "shirt coat sock skirt hat scarf glove sweater jacket dress cap shoe".split(),
    ("a flower", "flowers"): "rose tulip daisy lily sunflower violet daffodil orchid poppy carnation".split(),
    ("a tree", "trees"): "oak pine birch maple willow beech elm fir palm ash".split(),
    ("a sport", "sports"): "soccer tennis hockey basketball swimming golf rugby volleyball skiing boxing".split(),
    ("a drink", "drinks"): "water milk tea coffee lemonade juice cocoa".split(),
    ("a metal", "metals"): "iron gold silver copper tin lead zinc aluminum nickel platinum".split(),
    ("a planet", "planets"): "Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune".split(),
    ("a month", "months"): "January February March April May June July August September October November December".split(),
    ("a day of the week", "days of the week"): "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    ("a part of the body", "parts of the body"): "arm leg head hand foot knee elbow nose ear shoulder finger toe".split(),
    ("a shape", "shapes"): "circle square triangle rectangle oval hexagon pentagon".split(),
    ("a number", "numbers"): "one two three four five six seven eight nine ten twenty hundred".split(),
    ("a season", "seasons"): "spring summer autumn winter".split(),
    ("a job", "jobs"): "teacher doctor baker farmer pilot nurse plumber carpenter cook tailor gardener dentist".split(),
    ("a building", "buildings"): "house church school castle barn hotel museum hospital library tower".split(),
    ("a language", "languages"): "English French Spanish German Italian Chinese Japanese Arabic Russian Hindi".split(),
    ("a continent", "continents"): "Africa Asia Europe Antarctica Australia".split(),
    ("a feeling", "feelings"): "joy anger fear sadness pride shame love surprise".split(),
    ("a spice", "spices"): "pepper cinnamon ginger nutmeg cumin paprika saffron".split(),
}
NO_ARTICLE = {"a color", "a sport", "a drink", "a metal", "a planet", "a month", "a day of the week", "a number", "a season", "a language", "a continent", "a feeling", "a spice"}
NO_ARTICLE_WORDS = {"lettuce", "spinach", "soccer"}

HOMOPHONES = _pairs("sea/see son/sun two/too one/won hear/here know/no write/right mail/male meat/meet pair/pear flower/flour knight/night eight/ate blue/blew "
                    "hole/whole road/rode sail/sale tail/tale week/weak wood/would bear/bare buy/by deer/dear hour/our new/knew piece/peace plain/plane red/read rain/reign")

CONTRACTIONS = _pairs("don't/do_not can't/can_not won't/will_not isn't/is_not aren't/are_not wasn't/was_not didn't/did_not doesn't/does_not I'm/I_am you're/you_are "
                      "he's/he_is she's/she_is it's/it_is we're/we_are they're/they_are I've/I_have you've/you_have we've/we_have I'll/I_will you'll/you_will let's/let_us "
                      "couldn't/could_not shouldn't/should_not wouldn't/would_not haven't/have_not hasn't/has_not that's/that_is there's/there_is who's/who_is what's/what_is")
