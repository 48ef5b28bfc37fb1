"""Words that mean the same, and words that carry meaning by what they are: the vocabulary with
which `statements` reads a sentence. What is missing costs a merge, never makes a wrong one."""

from types import MappingProxyType
from typing import Final


def _grouped(text: str) -> MappingProxyType[str, str]:
    """Each word of a line, and the first word of the line for it."""
    lines = [line.split() for line in text.strip().splitlines()]
    return MappingProxyType({word: line[0] for line in lines for word in line})


SYNONYMS: Final = _grouped(
    """
    like love enjoy adore
    dislike hate loathe
    live reside dwell
    buy purchase
    start begin commence
    end cease conclude
    close shut
    sick ill unwell
    bike bicycle
    photo photograph picture
    car automobile
    big large
    small little
    quick fast rapid
    need require
    fix repair
    get receive obtain
    tell inform
    help assist
    answer reply
    child kid
    movie film
    phone telephone
    use utilise utilize employ
    boss supervisor
    firm company
    metre meter
    litre liter
    colour color
    centre center
    favourite favorite preferred
    euro eur €
    dollar usd $
    pound gbp £
    percent %
    done finished finish complete completed
    about regarding concerning
    via through
    teach instruct
    every each
    all everyone everybody
    email e-mail
    allow permit
    want desire
    used second-hand secondhand
    """
)
IRREGULAR: Final = MappingProxyType(
    {
        form: base
        for line in """
        be am is are was were been being
        have has had having
        do does did doing
        go goes went gone
        get gets got gotten
        give gives gave given
        take takes took taken
        make makes made
        come comes came
        see sees saw seen
        know knows knew known
        think thinks thought
        tell tells told
        say says said
        find finds found
        buy buys bought
        bring brings brought
        teach teaches taught
        sell sells sold
        send sends sent
        build builds built
        leave leaves
        meet meets met
        pay pays paid
        run runs ran
        write writes wrote written
        speak speaks spoke spoken
        drive drives drove driven
        fly flies flew flown
        eat eats ate eaten
        drink drinks drank drunk
        begin begins began begun
        break breaks broke
        choose chooses chose chosen
        fall falls fell fallen
        rise rises rose risen
        grow grows grew grown
        keep keeps kept
        lose loses lost
        hold holds held
        win wins won
        stand stands stood
        wear wears wore worn
        catch catches caught
        sleep sleeps slept
        spend spends spent
        become becomes became
        lie lies lay lain lying
        forget forgets forgot forgotten
        understand understands understood
        lead leads led
        throw throws threw thrown
        """.strip().splitlines()
        for base, *forms in [line.split()]
        for form in (base, *forms)
    }
)
PAST_FORMS: Final = frozenset(
    "was were did had went got gave took made came saw knew thought told said found bought brought "
    "taught sold sent built met paid ran wrote spoke drove flew ate drank began broke chose fell "
    "rose grew kept lost held won stood wore caught slept spent became lay forgot understood led "
    "threw born".split()
)
NUMBERS: Final = MappingProxyType(
    {
        word: str(value)
        for value, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen twenty".split()
        )
    }
    | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
)
MONTHS: Final = MappingProxyType(
    {
        form: f"{number:02}"
        for number, name in enumerate(
            "january february march april may june july august september october november "
            "december".split(),
            1,
        )
        for form in (name, name[:3])
    }
    | {"sept": "09"}
)
WEEKDAYS: Final = MappingProxyType(
    {
        form: name[:3]
        for name in "monday tuesday wednesday thursday friday saturday sunday".split()
        for form in (name, f"{name}s")
    }
)
SEASONS: Final = frozenset("spring summer autumn winter weekday weekdays weekend weekends".split())
DROPPED: Final = frozenset(
    "a an the please just really also that there so then simply indeed".split()
)
NEGATORS: Final = frozenset("not no never neither nor none cannot hardly n't".split())
NEGATIVE_SUBJECTS: Final = frozenset("nobody nothing nowhere".split())
MODALS: Final = frozenset("can may must should shall will would could might always".split())
MARKERS: Final = frozenset(
    "in on at to from by for with over than under above below between before after until since "
    "into onto via as about against during near behind beside inside outside across along "
    "because when while if unless although though whether where which who so_that "
    "except only but instead without".split()
)
CLAUSES: Final = frozenset("because when while if unless although though".split())
RESTRICTING: Final = frozenset(
    "only except unless but if until up most least almost nearly partly sometimes usually often "
    "rarely instead not no never when while without against allegedly maybe perhaps probably "
    "possibly nicht kein keine nie niet geen pas jamais non nunca mai ikke inte ej ne".split()
)
PLACELESS: Final = frozenset("in on at".split())  # before a date they say nothing
DETERMINERS: Final = frozenset("the a an my our your his her their its this these".split())
DEFINITE: Final = frozenset("the my our your his her their its".split())
NOW: Final = frozenset("now again currently nowadays meanwhile henceforth already".split())
CHANGES: Final = frozenset(
    "move switch migrate upgrade update change postpone rise raise increase drop fall reduce lower "
    "rename reschedule extend relocate grow cut downgrade transfer shift convert return".split()
)
ENDINGS: Final = frozenset("stop quit resign retire abandon".split())
UNIQUE_EVENTS: Final = frozenset("born found establish build die".split())
CHANGING: Final = frozenset(
    """home address employer job role title manager boss lead leader status state version favourite
    email phone number branch plan password default nickname username landlord partner doctor
    dentist bank school team mood weight current mayor president ceo""".split()
)
"""What a thing has one of at a time, and another one of later."""
STATES: Final = (
    frozenset({"open", "close", "reopen", "lock", "unlock"}),
    frozenset({"up", "down", "online", "offline"}),
    frozenset({"enable", "disable", "active", "inactive", "on", "off"}),
    frozenset(
        {"pending", "approve", "reject", "decline", "grant", "withdraw", "accept", "plan", "block"}
        | {"in-progress", "done", "cancel", "ship", "release", "merge", "start", "deploy"}
    ),
    frozenset({"single", "married", "marry", "engage", "divorce", "widow"}),
    frozenset({"available", "unavailable", "sell", "for-sale", "rent", "reserve"}),
    frozenset({"broken", "fix", "work"}),
    frozenset({"alive", "dead", "die"}),
)
"""Groups of states of which a thing is in one at a time."""
ANTONYMS: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("like", "dislike"),
        ("allow", "forbid"),
        ("always", "never"),
        ("accept", "refuse"),
        ("support", "unsupported"),
        ("with", "without"),
        ("enable", "disable"),
        ("true", "false"),
    )
)
VERBS: Final = frozenset(
    "accept add agree allow answer apply arrive ask attend back belong block book borrow build buy "
    "call cancel carry change check clean close collect come contain cook cost cover create cry "
    "deal decide delete deliver depend deploy design dislike do drink drive eat end enjoy enter "
    "exist expect fail fear feel fix fly follow forget get give go grow handle happen hate have "
    "help hold hope import include increase install keep know last lead learn leave like link "
    "listen live load lock look love make manage mean measure meet merge miss move need offer open "
    "order own park pass pay plan play point prefer produce provide publish push put raise reach "
    "read receive recommend rehearse release remember remove rent repair reply report require "
    "reside return run say see seem sell send serve ship show sign sing sit sleep smoke speak "
    "spend stand start stay stop store study suffer support swim take talk teach tell test think "
    "throw train travel try turn understand use visit wait walk want wash watch wear weigh win "
    "work write".split()
)
"""Verbs whose s at the end says nothing; the s of any other word does."""
UNIQUE_ROLES: Final = frozenset(
    "owner father mother husband wife capital ceo president mayor director chair head leader "
    "lead manager boss founder author captain landlord".split()
)
NAME_NOUNS: Final = frozenset(["project"])  # "the Halden project" is Halden
