"""The word lists behind the reading of facts: calendar, negation, hedges, and words that carry little.

English in full; negations and the commonest small words of other languages too, since speech changes
language. A word missing here makes the reading more careful, not wrong: two facts stay two, a name is asked
for in the evidence. Pure data.
"""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _numbered(listed: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(listed.split(), 1)}


ORDINALS = {
    **_numbered(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    ),
    "thirtieth": 30,
}
SCALES = {"million": 10**6, "millions": 10**6, "billion": 10**9, "billions": 10**9}
UNCLAIMED = _words("one first second a")
"""Number words that are more often a pronoun, an order or a unit of time than a number somebody claims."""

SYMBOLS = {
    **{"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "<": "below", ">": "above"},
    **{"≤": "at most", "≥": "at least", "+": "plus", "=": "equals", "~": "about", "/": "per", "#": "hash"},
}
"""Signs that tell one fact from another, as words."""

MINUS = _words("minus negative")

_MONTHS = _numbered("january february march april may june july august september october november december")
_DAYS = _numbered("monday tuesday wednesday thursday friday saturday sunday")
CALENDAR = {
    **{name: name for name in (*_MONTHS, *_DAYS)},
    **{name + "s": name for name in _DAYS},
    **{name[:3]: name for name in (*_MONTHS, *_DAYS)},
    **{"sept": "september", "tues": "tuesday", "thur": "thursday", "thurs": "thursday"},
}
"""Months and days by every form that is written."""

DOUBTFUL_DATES = _words(
    "may march mar jan jun jul aug sep sept oct nov dec apr feb mon tue wed thu fri sat sun"
)
"""Of these only the ones with a capital letter, or next to a number, are dates."""

RELATIVE_DATES = _words("today tonight tomorrow yesterday noon midnight weekend")

NEGATIONS = _words(
    "no not never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt wont isnt "
    "arent wasnt werent shouldnt wouldnt couldnt hasnt havent hadnt "
    "nicht kein keine keinen keinem keiner nie niemand nichts ohne ne pas jamais aucun aucune rien sans "
    "nunca nadie nada ningún ninguna sin non mai nessuno senza niet geen nooit não nem sem "
    "не нет ни никто ничего никогда 不 没 沒 无 無 未 非 ない ません 안 못"
)
OPPOSED = _words(
    "blocked block blocks blocker fails failed failing cancelled canceled unable lacks lack missing refused "
    "rejected delayed postponed declined denied dropped stopped unavailable impossible off avoid against "
    "problem issue unclear unknown open"
)
"""Words by which a fact can say without a negation what was said with one."""

HEDGES = _words(
    "might may could should maybe perhaps possibly probably likely consider considers considering "
    "considered propose proposes proposed proposal suggest suggests suggested suggestion if unless "
    "whether wonder thinking tentative tentatively option optional idea possibility unsure undecided "
    "vielleicht könnte könnten sollte sollten würde wäre eventuell peut-être pourrait devrait quizás "
    "podría debería forse potrebbe dovrebbe misschien zou talvez poderia возможно может бы"
)
ASSENTS = _words(
    "yes yeah yep sure ok okay agreed deal done fine right exactly absolutely definitely perfect great will "
    "ja genau oui sí si da"
)
"""A line that begins with one of these takes up what was asked before it."""

DECISIONS = _words(
    "decide decided decides decision agree agreed agreement approve approved approves confirm confirmed "
    "chose choose chosen settled final finalise finalize finalised finalized commit committed cancel "
    "cancelled canceled reject rejected promise promised beschlossen entschieden einigen vereinbart "
    "décidé accord decidido acordado deciso besloten решили"
)

LIGHT = _words(
    "a an the this that these those is are be been being am has have having do does will shall to of on "
    "in at by for with and it its there here as so just also then which s date dates day due set "
    "scheduled planned says say said mentions mentioned mention notes noted states stated reports "
    "reported der die das den dem des ein eine einen und ist sind wird le la les un une des et est el "
    "los las una y es il lo gli e è de het een en o os as um uma é"
)
"""Words two tellings of one fact may differ in: nothing that tells when, where, who, how or in what state.

"Planned" and its like are what a note taker adds to a date.
"""

TRIAL = _words(
    "test testing tests check checking mic mike microphone hello hi hey um uh uhm er erm hmm hm mm mhm"
)
"""One of these has to be there for a line to be no more than a trial of the microphone, or a hesitation."""

FILLERS = _words("yes yeah ok okay ah oh can you me my us i we hear sound audio working work now please good")
"""What may stand beside it."""

COMMON = _words(
    "i i'm i'll i've i'd we we'll we're we've you your he he's she she's they they'll it it's its this "
    "that these those there here the a an and but or so if when while once until since because before "
    "after during at on in by for from with without about over under into to of as not no yes none what "
    "who where why how which whose all any both each every everyone everybody nobody someone somebody "
    "most many much more some several few other another one two three four five six seven eight nine "
    "ten first second third last next new old done open closed please let let's maybe perhaps also only "
    "still now today tomorrow yesterday tonight however action actions agenda agreement agreed answer "
    "answers approval approved attendees bug bugs budget call client clients code company completed "
    "concern concerns confirmed contract cost costs current customer customers data date deadline "
    "deadlines decided decision decisions delivery demo department deploy deployment design designs "
    "details development discussed discussion document documents draft due email employees engineers "
    "error errors estimate estimates event everything expected fact feature features feedback final "
    "finance fix follow follow-up goal goals group hiring idea important information initial invoice "
    "issue issues item items job key launch lead legal main management manager marketing meeting "
    "meetings members message migration minutes money move moved need needs note notes number office "
    "opportunity option options order owner owners participants parties payment people phase plan "
    "planned plans possible potential price prices pricing priority problem problems process product "
    "production progress project proposal question questions quarter rate reason release released "
    "report reports request requirements resolved responsible result results review revenue risk risks "
    "rollout sale sales schedule scheduled scope security server servers service session shipping "
    "shipment site software solution speaker sprint staff start started status step steps summary "
    "supplier suppliers support system systems target task tasks team teams test testing tests time "
    "timeline topic total training trip update updated updates user users vendor vendors version week "
    "work workers der die das ein eine wir ich er sie es und nicht kein für am im bei nach vor mit le "
    "la les un une nous je il elle ils et pas pour el los las una nosotros yo y para lo gli noi e non "
    "per de het een wij ik en niet voor o os um uma nós eu não good great fine okay ok right well "
    "thanks thank hello hi yeah sure perfect excellent wonderful alright wow oh ah hm understood anyway"
)
"""Words that begin a sentence with a capital letter without being a name."""
