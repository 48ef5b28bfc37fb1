"""Secrets of many kinds, made while a test runs: no file holds anything that looks like one."""

import base64
import random
import string
from collections.abc import Callable, Mapping

HEX = "0123456789abcdef"
WORD = string.ascii_letters + string.digits
IBANS = {"DE": 22, "GB": 22, "FR": 27, "NL": 18, "ES": 24, "CH": 21, "AT": 20, "BE": 16, "PL": 28}
CARDS = ((("4",), 16), (("51", "55", "2221"), 16), (("34", "37"), 15), (("6011",), 16))


class Maker:
    """Makes secrets by chance."""

    def __init__(self, seed: int) -> None:
        """Begin with a seed."""
        self.chance = random.Random(seed)

    def some(self, count: int, letters: str = WORD) -> str:
        """Return so many letters, of each kind if there are several."""
        while True:
            made = "".join(self.chance.choices(letters, k=count))
            if letters is not WORD or count < 16 or self._is_mixed(made):
                return made

    @staticmethod
    def _is_mixed(made: str) -> bool:
        return all(any(map(kind, made)) for kind in (str.isupper, str.islower, str.isdigit))

    def iban(self) -> str:
        """Return an account number with a right checksum."""
        country = self.chance.choice(sorted(IBANS))
        account = self.some(IBANS[country] - 4, string.digits)
        number = "".join(str(int(each, 36)) for each in f"{account}{country}00")
        whole = f"{country}{98 - int(number) % 97:02d}{account}"
        if self.chance.random() < 0.5:
            whole = " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))
        return whole

    def card(self) -> str:
        """Return the number of a card with a right last digit."""
        starts, length = self.chance.choice(CARDS)
        start = self.chance.choice(starts)
        body = start + self.some(length - 1 - len(start), string.digits)
        total = 0
        for place, digit in enumerate(reversed(body)):
            double = int(digit) * (2 if place % 2 == 0 else 1)
            total += double - 9 if double > 9 else double
        whole = f"{body}{-total % 10}"
        between = self.chance.choice(("", " ", "-")) if length == 16 else ""
        return between.join(whole[i : i + 4] for i in range(0, 16, 4)) if between else whole

    def jwt(self) -> str:
        """Return a signed token."""
        head = base64.urlsafe_b64encode(b'{"alg":"HS256"}').decode().rstrip("=")
        return f"{head}.{self.some(40)}.{self.some(43)}"

    def pem(self, kind: str) -> str:
        """Return a private key."""
        lines = "\n".join(self.some(64) for _ in range(6))
        return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def kinds(m: Maker) -> Mapping[str, Callable[[], tuple[str, str]]]:
    """Return, by kind, what makes a text and the secret in it."""

    def plain(make: Callable[[], str]) -> Callable[[], tuple[str, str]]:
        def made() -> tuple[str, str]:
            secret = make()
            return m.chance.choice(AROUND).format(secret), secret

        return made

    def within(text: str, make: Callable[[], str]) -> Callable[[], tuple[str, str]]:
        def made() -> tuple[str, str]:
            secret = make()
            return text.format(secret), secret

        return made

    def word() -> str:
        return m.chance.choice(("Harbour", "sun", "winter", "Tiger")) + m.some(4, string.digits)

    return {
        "RSA key": plain(lambda: m.pem("RSA PRIVATE KEY")),
        "SSH key": plain(lambda: m.pem("OPENSSH PRIVATE KEY")),
        "PGP key": plain(lambda: m.pem("PGP PRIVATE KEY BLOCK")),
        "age": plain(lambda: "AGE-SECRET-KEY-1" + m.some(58, string.ascii_uppercase)),
        "bearer": within("curl -H 'Authorization: Bearer {}'", lambda: m.some(32)),
        "basic": within("Authorization: Basic {}", lambda: m.some(24)),
        "OpenAI": plain(lambda: "sk-" + "proj-" + m.some(48)),
        "Anthropic": plain(lambda: "sk-" + "ant-api03-" + m.some(60)),
        "Stripe": plain(lambda: "sk_" + "live_" + m.some(24)),
        "webhook": plain(lambda: "whsec_" + m.some(32)),
        "GitHub": plain(lambda: m.chance.choice(("ghp", "gho", "ghs")) + "_" + m.some(36)),
        "GitHub, fine": plain(lambda: "github_" + "pat_" + m.some(22) + "_" + m.some(59)),
        "GitLab": plain(lambda: "gl" + "pat-" + m.some(20)),
        "graphmem": plain(lambda: "gm_" + m.some(40)),
        "Slack": plain(lambda: "xox" + "b-" + m.some(12, string.digits) + "-" + m.some(24)),
        "Slack hook": within(
            "https://hooks.slack.com/services/{}",
            lambda: "T" + m.some(8) + "/B" + m.some(8) + "/" + m.some(24),
        ),
        "AWS id": plain(lambda: "AK" + "IA" + m.some(16, string.ascii_uppercase + string.digits)),
        "AWS key": within("AWS_SECRET_ACCESS_KEY={}", lambda: m.some(40)),
        "Google": plain(lambda: "AI" + "za" + m.some(35)),
        "Google OAuth": plain(lambda: "GOC" + "SPX-" + m.some(28)),
        "Hugging Face": plain(lambda: "hf_" + m.some(34)),
        "npm": plain(lambda: "npm_" + m.some(36)),
        "PyPI": plain(lambda: "py" + "pi-" + m.some(120)),
        "RubyGems": plain(lambda: "ruby" + "gems_" + m.some(48, HEX)),
        "SendGrid": plain(lambda: "SG." + m.some(22) + "." + m.some(43)),
        "Mailgun": plain(lambda: "key-" + m.some(32, HEX)),
        "Mailchimp": plain(lambda: m.some(32, HEX) + "-us" + m.some(2, "123")),
        "Twilio": plain(lambda: "SK" + m.some(32, HEX)),
        "Square": plain(lambda: "sq0" + "atp-" + m.some(22)),
        "Shopify": plain(lambda: "shp" + "at_" + m.some(32, HEX)),
        "DigitalOcean": plain(lambda: "dop" + "_v1_" + m.some(64, HEX)),
        "Telegram": plain(lambda: m.some(9, "123456789") + ":AA" + m.some(33)),
        "Databricks": plain(lambda: "da" + "pi" + m.some(32, HEX)),
        "Linear": plain(lambda: "lin_" + "api_" + m.some(40)),
        "Notion": plain(lambda: "ntn_" + m.some(46)),
        "Docker": plain(lambda: "dckr_" + "pat_" + m.some(27)),
        "Vault": plain(lambda: "hv" + "s." + m.some(24)),
        "Grafana": plain(lambda: "gl" + "sa_" + m.some(32) + "_" + m.some(8, HEX)),
        "New Relic": plain(lambda: "NR" + "AK-" + m.some(27)),
        "Postman": plain(lambda: "PM" + "AK-" + m.some(24, HEX) + "-" + m.some(34, HEX)),
        "Supabase": plain(lambda: "sb" + "p_" + m.some(40, HEX)),
        "Groq": plain(lambda: "gs" + "k_" + m.some(52)),
        "Airtable": plain(lambda: "pat" + m.some(14) + "." + m.some(64, HEX)),
        "Azure": within("AccountName=x;AccountKey={}==;", lambda: m.some(86)),
        "JWT": plain(m.jwt),
        "login in an address": within(
            "postgres://{}@db.example.org/x", lambda: "ann:" + m.some(12)
        ),
        "card": plain(m.card),
        "IBAN": plain(m.iban),
        "password": within('password = "{}"', lambda: m.some(14)),
        "password in a file": within("DB_PASSWORD={}\n", lambda: m.some(16)),
        "password in a sentence": within("My password for the bank is {}.", word),
        "password in a chat": within("the wifi password: {} ok?", word),
        "PIN": within("The PIN is {}.", lambda: m.some(4, string.digits)),
        "named key": within("api_key: {}", lambda: m.some(32)),
        "named in JSON": within('{{"client_secret": "{}"}}', lambda: m.some(40)),
        "chance": plain(lambda: m.some(48)),
    }


AROUND = ("It is {} as I said.", "{}", "Use {}, please.", "key\n{}\n", "(`{}`)", "Here: {}.")
