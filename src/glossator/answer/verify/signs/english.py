"""Little words of English that turn a sentence round, and pairs that mean the opposite of each other.

General words only; what a book is about must not matter here.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(words: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pair.split("/")) for pair in words.split())


FUNCTION_WORDS = _set(
    """a an the of in on at to for from by with and or but as is are was were be been being am it its this
    that these those he she they his her their them him i we you our your us me my who whom whose which what
    when where why how while than then so such also too had has have having do does did doing done can could
    will would shall may might must should into onto if there here about very just thus hence therefore
    however moreover furthermore additionally indeed because since both each other another via per up out s t
    re ve ll book chapter section text according called"""
)
"""Words whose absence says next to nothing."""

NEGATIONS = _set(
    """not no never none neither nor without cannot nothing nobody nowhere hardly rarely scarcely seldom
    unlikely unable incapable lack lacks lacked lacking absence"""
)
SHORT_NEGATIONS = _set("without no lack lacks lacked lacking absence instead rather")
"""Those that reach no farther than the next few words."""
NOT_NEGATIONS = _set("only just merely simply matter sooner least")
"""Behind "not" or "no", these take its edge off."""
CONTRASTS = _set("and but however whereas although though while because unless until except so yet then")
"""Where the reach of a "not" ends."""

ARTICLES = _set("a an the this that these those it they you we i he she its their your")

MORE = _set(
    """increase raise rise rose risen rising elevate enhance improve improvement promote activate activation
    stimulate induce induction greater higher more larger longer stronger better faster heavier upregulate
    accelerate grow grew grown growth gain strengthen expand expansion high positive accurate effective
    efficient successful beneficial benefit facilitate favor favour enable amplify boost restore capable able
    dependent depend required require necessary essential crucial presence present cause abundant frequent
    common strong maximum maximize most safe stable possible allow permit support encourage accept succeed
    success exceed add start begin open connect up above wider deeper earlier sooner quick fast big bigger
    large wide heavy hot warm rich thick tall bright dense full sufficient always often likely related
    associated linked"""
)
LESS = _set(
    """decrease reduce reduction lower decline fall fell fallen falling drop diminish impair impairment
    inhibit inhibition inhibitor suppress suppression block prevent prevention impede disrupt disruption slow
    slower slows attenuate downregulate deactivate inactivate less fewer smaller shorter weaker worse delete
    deletion deficient deficiency deplete depletion loss lose lost low negative inaccurate ineffective
    inefficient unsuccessful harmful harm poor poorly hinder insensitive incapable unable independent
    independently unnecessary dispensable absence absent lack rare rarely scarce knockdown knockout silence
    silencing abolish abrogate eliminate remove removal fail failure limit restrict weak weaken repress halt
    delay stop minimum minimize least unsafe unstable impossible forbid prohibit discourage reject deny
    disable disconnect end close off down below narrower shallower later small light cold short thin dark
    sparse empty damage worsen insufficient never unlikely unrelated little few struggle protect
    resistant"""
)
"""Two ways in which a thing can go; most pairs of opposites have a word in each."""

OPPOSITES = _pairs(
    """before/after first/last earlier/later previous/next above/below over/under inside/outside
    internal/external inner/outer input/output left/right top/bottom front/back forward/backward
    forwards/backwards upper/lower up/down on/off open/closed open/close start/stop start/end begin/end
    enable/disable allow/forbid allow/prevent push/pull add/remove send/receive read/write load/save
    connect/disconnect attach/detach lock/unlock create/destroy create/delete accept/reject succeed/fail
    success/failure win/lose buy/sell give/take rise/fall increase/decrease raise/lower gain/loss grow/shrink
    expand/contract accelerate/decelerate faster/slower fast/slow quick/slow higher/lower high/low more/less
    more/fewer most/least larger/smaller large/small big/small longer/shorter long/short tall/short
    wide/narrow deep/shallow thick/thin heavy/light strong/weak stronger/weaker hard/soft hard/easy
    difficult/easy simple/complex better/worse best/worst good/bad cheap/expensive hot/cold warm/cool wet/dry
    light/dark full/empty dense/sparse new/old young/old early/late near/far close/far same/different
    similar/different equal/different constant/variable static/dynamic fixed/variable fixed/moving
    continuous/discrete linear/nonlinear positive/negative true/false right/wrong correct/wrong
    safe/dangerous safe/unsafe active/passive public/private local/global absolute/relative explicit/implicit
    manual/automatic online/offline synchronous/asynchronous parallel/serial parallel/sequential
    direct/indirect major/minor maximum/minimum maximize/minimize always/never
    always/sometimes often/rarely frequent/rare common/rare everyone/nobody everything/nothing all/none
    presence/absence present/absent include/exclude inclusive/exclusive optional/required
    optional/mandatory optional/necessary required/unnecessary cause/prevent promote/inhibit activate/inhibit
    stimulate/suppress help/hinder improve/worsen improve/impair strengthen/weaken support/oppose
    attract/repel rigid/flexible stiff/soft hardware/software odd/even horizontal/vertical
    clockwise/counterclockwise import/export encode/decode encrypt/decrypt compress/decompress upload/download
    ascending/descending mutable/immutable source/destination source/target supervised/unsupervised
    reliable/unreliable dependent/independent known/unknown possible/impossible deterministic/stochastic
    deterministic/random single/multiple temporary/permanent"""
)
PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de", "anti", "counter")
"""What makes the opposite of a word when it stands before it."""

TURNS = _set("before after to from because until")
"""Small words whose two sides must not change places."""

BEING = _set("is are was were be been being get gets got")

ALL = _set("all every everyone everything always entire entirely whole wholly completely fully")
EACH = ALL | _set("each any per")
MOST = _set("most mostly usually typically generally mainly primarily normally largely commonly")
SOME = _set("some sometimes several many few often can may might could partly partially occasionally certain")
ONLY = _set("only solely exclusively exactly merely sole unique uniquely")

NUMBER_WORDS = {
    pair[0]: float(pair[1])
    for pair in _pairs(
        """zero/0 one/1 two/2 three/3 four/4 five/5 six/6 seven/7 eight/8 nine/9 ten/10 eleven/11 twelve/12
        thirteen/13 fourteen/14 fifteen/15 sixteen/16 seventeen/17 eighteen/18 nineteen/19 twenty/20 thirty/30
        forty/40 fifty/50 sixty/60 seventy/70 eighty/80 ninety/90 half/0.5 twice/2 double/2 both/2 triple/3
        dozen/12 single/1"""
    )
}
MULTIPLES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
ABOUT = _set("about approximately around roughly nearly almost over under circa some least most up")
"""Before a number, these let it be a little different."""
