"""The cue phrases of commands in messages: those of Moltbot 8.1 and 14 and of MUMA 12.2.

They are patterns over text with straight quotes; none looks at more than a sentence."""

import re

_PAUSE = r"[\s,.!:;-]+"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


# ------------------------------------------------------------------ around a trigger

POLITE = re.compile(
    r"(?:(?:please|pls|kindly|hey|hi|hello|ok|okay|right|so|well|oh|also|and|but|then|now|actually"
    r"|just|yes|no(?! longer)|sorry|thanks|thank you|(?:can|could|would|will) you|i'd like you to"
    r"|i would like you to|i (?:want|need) you to|you (?:should|must|can|may)|let's|let us)\b"
    + _PAUSE
    + r")*",
    re.IGNORECASE,
)
CALLED = re.compile(r"@?\w{1,30},\s+")  # a name that the message addresses
SENTENCE = re.compile(
    r"[.!?;][\"')]*\s+|\n\s*|[,-]\s+(?=(?:please|and|but|so|also)\b)", re.IGNORECASE
)
THANKS = re.compile(r"[\s,.!?;:-](?:please|pls|thanks|thank you|thx|okay|ok)$", re.IGNORECASE)

# ------------------------------------------------------------------ remember and forget

_THAT = r"(?:\s+that\b(?!'))?"
_LEADS_ON = r"(?:\s+(?:that|to|about)\b(?!')|\s+this\b(?=\s*[:,-]|\s*$))?"
REMEMBER = _any(
    rf"(?:do not|don't|dont) (?:ever )?forget\b{_LEADS_ON}",
    rf"(?P<lasting>never forget|(?:permanently|always) remember"
    rf"|remember (?:permanently|forever|for ever|always))\b{_LEADS_ON}",
    rf"remember\b(?![-']){_LEADS_ON}",
    rf"keep (?:it |this |that )?in mind\b{_THAT}",
    r"(?:take )?note that\b(?!')",
    r"make a note(?: of)?\b" + _THAT,
    r"important\s*:",
    rf"for future reference\b{_THAT}",
    rf"fyi for later\b{_THAT}",
    r"(?P<vault>(?:keep|put|store|save) (?:this|that|it) in (?:the|your|my) vault)\b",
    r"save this\b(?!\s+(?:file|document|page|image|photo|picture|draft|change|changes|project|as"
    r"|on|under|by|time|money)\b)(?: (?:for later|(?:to|in) (?:your |my |the )?memory))?",
)
REMEMBER_LAST = re.compile(
    r"(?:[,;.:!-]\s*(?:please\s|so\s|and\s)*(?:(?:don't|dont|do not) forget(?: (?:that|this|it))?"
    r"|remember (?:that|this|it)|keep (?:that|this|it) in mind|(?:note|save) (?:that|this|it))"
    r"|[\s,;.:-](?:for future reference|fyi for later))$",
    re.IGNORECASE,
)
FORGET = _any(
    r"(?P<permanent>(?:permanently|irrevocably) (?:delete|erase|destroy|forget|remove))\b",
    r"forget\b(?![-'])",
    r"never ?mind\b",
    r"disregard\b",
    r"scratch that\b",
    r"ignore (?:what|everything|all|that) i(?:'ve| have)? (?:said|told you|wrote|written)\b"
    r"(?: earlier| before)?",
    r"remove (?P<first>[^.!?\n]{1,300}? )?from (?:your |my |the )?memory\b",
    r"(?:delete|remove|erase|drop) (?:(?:the|my|your|all|any|every|that|this|those|these)\s+){0,4}"
    r"(?:memory|memories)\b",
    r"(?:(?:that|this|it)(?:'s| is) )?(?:no longer relevant|not relevant any ?more)\b",
)
FORGET_LAST = re.compile(
    r"(?:[\s,;:-](?:which|that|this|it))?(?:'s| is| are| was| were)?"
    r"[\s,:-](?:no longer relevant|not relevant any ?more)$",
    re.IGNORECASE,
)
FOR_GOOD = re.compile(r"[\s,](?:permanently|for good|forever|for ever)$", re.IGNORECASE)
FILLERS = re.compile(  # words between "forget" and its subject
    r"[\s,:;-]*(?:(?:everything|anything|all|what|that|i|you|we|said|told|wrote|know|knew|have"
    r"|remember|stored|saved|the|my|your|our|any|a|an|those|these|this|it|memory|memories|notes?"
    r"|about|of|on|regarding|concerning)(?![\w'-])[\s,:;-]*)*",
    re.IGNORECASE,
)
PREFERENCE = re.compile(  # DIFF-21, how the user wants things
    r"\b(?:i|we)(?:'d| would)?(?: (?:really|strongly|much|generally|usually|also|still))? prefer\b"
    r"|\bmy prefer|\b(?:the )?user prefers\b"
    r"|\b(?:i|we)(?:'d| would)?(?: (?:want|like|need)(?: you)? to)? (?:always|never)\b"
    r"|\byou (?:should |must |may |can )?(?:always|never)\b"
    r"|(?:^|[.;,:]\s)(?:please )?(?:always|never)\b",
    re.IGNORECASE,
)

# ------------------------------------------------------------------ whole sentences

_MEMORIES = r"(?:memory|memories|notes?)"
_ABOUT = r"(?:about|of|on|regarding|concerning)"
_WHAT = r"(?:what|when|where|who|whom|which|how|why|if|whether)\b"
_ALL_AGENTS = (
    r"(?:all|every|everyone|everybody|each|any)(?: of)?(?: (?:my|the|other))?(?: agents?| one)?"
)
REFLECT = _any(
    r"reflect on\b",
    r"(?:consolidate|review|clean up)(?: (?:your|my|the|our|all|of)){0,3} (?:memory|memories)\b",
)
RECALL = _any(
    r"what (?:else )?(?:do|did|can) (?:you|we) (?:still |actually )?"
    rf"(?:remember|recall|have in memory) (?:{_ABOUT}|from) (?P<subject>.+)",
    r"(?:tell|show) me (?:everything|all|what|all that) (?:that )?you (?:still )?"
    rf"(?:remember|recall) {_ABOUT} (?P<subject2>.+)",
    rf"(?:(?:tell|show) me|list) (?:(?:all|your|my|the|every|of)\s+){{0,3}}(?:memories|notes)"
    rf" {_ABOUT} (?P<subject3>.+)",
)
ASKED = _any(  # with a question mark only
    r"do you (?:still )?(?:remember|recall)\b(?P<subject>.*)",
    rf"remember (?P<subject2>{_WHAT}.*)",
)
VISIBILITY = _any(
    r"(?:keep|make|set|mark|treat|leave) (?P<subject>.{1,300}?) (?:as |to (?:be )?)?(?:"
    r"(?P<private>private|confidential|secret|to yourself)"
    r"|(?P<user_only>user[- ]only|for (?:me|my eyes) only|only for me)|(?P<scoped>scoped)"
    r"|(?P<open>(?:open|public|available|visible|readable|accessible)"
    rf"(?: (?:to|for|by) {_ALL_AGENTS})?))(?: (?:from now on|always|again|now))?",
    rf"(?P<open2>share) (?P<subject2>.{{1,300}}?) with {_ALL_AGENTS}",
    rf"(?P<private2>hide) (?P<subject3>.{{1,300}}?) from {_ALL_AGENTS}",
)
_ANYBODY = (
    r"(?:anyone|anybody|any ?one|other people|others|strangers|people|somebody else|someone else"
    r"|everyone|everybody|the world|(?:any|all|other|the other|all other|all the other|my other)"
    r"(?: of)?(?: my| the| other)* agents?)(?: else)?"
)
_CLOSED = (
    r"(?:(?P<private{n}>private|confidential|secret|a secret|hidden|closed|to yourself|off limits"
    r"|under wraps|(?:just |only )?between (?:us|you and me)|undisclosed)"
    r"|(?P<user_only{n}>user[- ]only|for (?:me|my eyes) (?:only|alone)|(?:only|just) for"
    r" (?:me|my eyes)|for myself|to myself))"
)
_STAYS = r"(?:(?:be|stay|remain)(?: kept| held| treated as)?|kept|held)"
_AGAIN = r"(?:,? (?:from now on|always|again|now|for ever|forever|at all times|at all))?"
WISH = _any(  # about a subject of the user's own life, in any wording
    rf"(?:keep|make|set|mark|treat|leave|consider|hold|store) (?P<subject>.{{1,300}}?)"
    rf" (?:as |to be )?{_CLOSED.format(n=1)}{_AGAIN}",
    rf"(?:keep|make|mark|treat|leave) (?:as )?{_CLOSED.format(n=2)}[:,]? (?P<subject2>.{{1,300}}?)"
    rf"{_AGAIN}",
    rf"(?P<private3>(?:don't|dont|do not|never|stop|no longer|avoid|refrain from) (?:ever )?"
    r"(?:share|sharing|tell|telling|reveal|revealing|disclose|disclosing|show|showing|mention"
    r"|mentioning|expose|exposing|give out|giving out|give away|giving away|pass on|passing on"
    rf"|leak|leaking|spread|spreading|publish|publishing|talk about|talking about))"
    rf"(?: (?:with |to )?{_ANYBODY})?(?: about| of)? (?P<subject3>.{{1,300}}?)"
    rf"(?: (?:with|to|by|from|among) {_ANYBODY})?{_AGAIN}",
    rf"(?P<private4>(?:don't|dont|do not|never) let {_ANYBODY} (?:see|know|read|learn|access"
    rf"|find)(?: out)?)(?: about| of)? (?P<subject4>.{{1,300}}?){_AGAIN}",
    rf"(?P<private5>hide|conceal|protect|lock(?: down| away)?|withhold|guard)"
    rf" (?P<subject5>.{{1,300}}?)(?: from {_ANYBODY})?{_AGAIN}",
    rf"(?P<private6>(?:no one|nobody|no ?body|none of (?:my|the) agents|no agent)(?: else)?"
    r" (?:should|may|must|can|is to|is allowed to|needs to|gets to) (?:ever )?(?:know|see|read"
    rf"|learn|access|find)(?: out)?)(?: about| of)? (?P<subject6>.{{1,300}}?){_AGAIN}",
    rf"(?P<user_only7>only I (?:should|may|must|can|am to|am allowed to|want to) (?:be able to )?"
    rf"(?:know|see|read|access))(?: about| of)? (?P<subject7>.{{1,300}}?){_AGAIN}",
    rf"(?:I (?:want|would like|need|wish|prefer)|I'd (?:like|prefer)) (?P<subject8>.{{1,300}}?)"
    rf"(?: to)?(?: {_STAYS})? {_CLOSED.format(n=8)}{_AGAIN}",
    rf"(?P<subject9>.{{1,300}}?) (?:should|must|has to|have to|is to|are to|needs to|need to|shall"
    rf"|ought to) {_STAYS} {_CLOSED.format(n=9)}{_AGAIN}",
    rf"(?P<subject10>.{{1,300}}?) (?:is|are|stays|remains)"
    rf" (?:strictly |absolutely |to {_STAYS} )?{_CLOSED.format(n=10)}{_AGAIN}",
    r"(?P<subject11>.{1,300}?) (?P<private11>(?:is|are) (?:nobody's|no one's|none of (?:their|your|"
    rf"anyone's)) business){_AGAIN}",
)
OWN = re.compile(  # beginnings of names for one's own things
    r"(?:(?:all|everything|anything|about|of|on|what you know|the fact|information|details"
    r"|data)\s+)*(?:my|our|where i|how much i|what i|how to reach me|that i)\b|[^\s/]+/\S+$",
    re.IGNORECASE,
)
THAT = re.compile(r"it|this|that|all (?:of )?(?:it|this|that)", re.IGNORECASE)
MINE = re.compile(r"(?:(?:all|everything|anything|about|of)\s+){0,3}(?:my|our)\b", re.IGNORECASE)
NAMES_NOTES = re.compile(  # what can have a visibility; "the door" can't
    r"^(?:my|our|everything|all|anything)\b|/|^\w+$"
    r"|\b(?:information|info|data|details|memories|notes|records)$",
    re.IGNORECASE,
)
STATS = _any(
    r"(?:(?:show|give|tell|get|display)(?: me)? |what (?:are|is) )?(?:(?:your|my|the|our)\s+)?"
    r"memory (?:stats|statistics|usage)",
    r"(?:show|give)(?: me)? (?:the |your |my )?(?:stats|statistics) (?:of|about|on) (?:your|my|the)"
    r" memory",
    r"how (?:many|much) (?:memories|notes|memory) (?:do|have|are|does) .{1,40}",
)
EXPORT = _any(
    r"(?:export|dump|download|back ?up) (?:(?:me|all|of|everything|the|my|your|our|in)\s+){0,4}"
    rf"(?:{_MEMORIES}|data)(?: (?:to|as|into|in|from) .{{1,40}})?"
)
SHARED = _any(
    rf"(?:which|what)(?: of)?(?: (?:my|the|our))? {_MEMORIES}(?: of mine)? (?:are|is|were"
    r"|have been) (?:shared|visible|readable|available|open|accessible)"
    r"(?: (?:with|to|by|for) (?P<subject>.{1,200}))?",
    rf"(?:which|what)(?: of)?(?: (?:my|the|our))? {_MEMORIES} (?:can|may|do)"
    r" (?P<subject2>.{1,200}?) (?:see|read|access|share)",
)
DECIDE = _any(
    r"(?P<subject>(?:approve|reject)(?: (?:it|all|everything"
    r"|(?:the )?(?:pending |last |latest )?reflection(?: #?\d{1,6})?))?)",
    r"(?P<subject2>(?:approve|accept|reject)(?: items?| numbers?)? #?\d"
    r"(?:[\d ,&#-]|and|to|but|not|reject|approve|accept|items?)*)",
    r"(?P<subject3>(?:approve|accept) (?:all|everything) (?:but|except(?: for)?|without)\b.*)",
    r"(?P<subject4>(?:partial(?:ly)? approve|approve with changes)\b.*)",
)
AUDIT = _any(
    r"what(?:'s| has|'s been)? changed (?:recently|lately|(?P<subject4>today|yesterday)"
    r"|since (?P<subject5>.+)"
    r"|in (?:your|my|the) memory.*)",
    r"(?P<why>why) did you forget(?: about)? (?P<subject>.+)",
    r"(?P<reflection>what happened (?:during|in|at) the (?:last|latest|previous) reflection)",
    r"(?P<file>has) (?P<subject2>\S+\.(?:md|json)) (?:ever )?(?:been )?changed",
    r"(?P<file2>who) (?:changed|edited|modified|wrote) (?P<subject3>\S+\.(?:md|json))",
)
REVERT = _any(
    r"(?:revert|roll ?back|restore|reset|take)(?: back)? (?:(?:your|my|the|our|all)\s+){0,3}"
    r"(?:memory|memories) (?:back )?to (?P<subject>.+)"
)
