"""What is destroyed for good is nowhere: not in the graph, and not in what this process keeps."""

import asyncio
import functools
import gc
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from clients import Client
from shared_server import new_user

from graphmem.app import connect_context, create_app
from graphmem.domain.ids import name_key
from graphmem.operations.presenters import as_json
from graphmem.server import ServerAddress
from graphmem.services import caches
from graphmem.services.context import Context
from graphmem.settings import Settings
from graphmem.store.graph import Step

ANYWHERE = """MATCH (x) WHERE any(k IN keys(x) WHERE CASE
  WHEN valueType(x[k]) STARTS WITH 'STRING'
    THEN any(s IN [toLower(x[k])] WHERE any(f IN $forms WHERE s CONTAINS f))
  WHEN valueType(x[k]) STARTS WITH 'LIST<STRING'
    THEN any(s IN [s IN x[k] | toLower(s)] WHERE any(f IN $forms WHERE s CONTAINS f))
  ELSE false END) RETURN labels(x) AS at, properties(x) AS what
UNION ALL
MATCH ()-[x]->() WHERE any(k IN keys(x) WHERE CASE
  WHEN valueType(x[k]) STARTS WITH 'STRING'
    THEN any(s IN [toLower(x[k])] WHERE any(f IN $forms WHERE s CONTAINS f))
  WHEN valueType(x[k]) STARTS WITH 'LIST<STRING'
    THEN any(s IN [s IN x[k] | toLower(s)] WHERE any(f IN $forms WHERE s CONTAINS f))
  ELSE false END) RETURN [type(x)] AS at, properties(x) AS what"""
# What a writer may put a word into, beside the text.
EVERYWHERE = """MATCH (n:Note {id: $id})
OPTIONAL MATCH (n)-[l:LINKS_TO]-(o:Note)
RETURN n.tags AS tags, n.context AS context, n.version AS version, collect(l.gave) AS gave"""
# As a growing note hands on a tag that it took: from `from` to a new note.
HANDED_ON = """MATCH (a:Note {id: $from}), (b:Note {id: $to})
SET b.tags = b.tags + $tag, b.context = b.context + ' (related: ' + $tag + ')',
  b.version = b.version + 1
CREATE (b)-[:HAD]->(:Revision {version: b.version, at: $now, actor: 'x', content: b.content,
  changes: $changes})
CREATE (a)-[:LINKS_TO {id: randomUUID(), kind: 'same-topic', strength: 0.9, gave: $tag, at: $now,
  by: 'x', reason: 'both are about ' + $tag}]->(b)"""
ALPHABETS = {
    "latin": "abdegiklmnoprtuvz",
    "latin with signs": "äöüßéèêñçøåłşğ",
    "turkish": "İIıiğşçöü",  # noqa: RUF001
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "cyrillic": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "devanagari": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "ideographs": "笔记本海港船城山水火木金土日月星云雨雪风",
    "hangul": "가나다라마바사아자차카타파하노트북",
    "kana": "アイウエオカキクケコサシスセソタチツテト",
    "what JSON escapes": "ab\"\\'/<>&",
}


def a_word(letters: str) -> str:
    """A word that no other test has."""
    return letters[0].upper() + "".join(secrets.choice(letters) for _ in range(6))


def forms(word: str) -> list[str]:
    """How a text in the graph may hold a word; not what is left of signs, which is anywhere."""
    spelled = {word, name_key(word), json.dumps(word)[1:-1], json.dumps(word.lower())[1:-1]}
    whole = {each for each in spelled if len(each) >= len(word)}
    return sorted({each.lower() for each in whole} | whole)


Cypher = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture(scope="module")
async def cypher(context: Context) -> Cypher:
    async def run(text: Any, **given: Any) -> list[dict[str, Any]]:
        driver = context.graph._driver  # pyright: ignore
        return [r.data() for r in (await driver.execute_query(text, given)).records]

    return run


REMEMBER = """mutation R($i: RememberInput!, $m: WriteMode) { remember(input: $i, mode: $m) {
  operation note { id tags } affected { id } } }"""
FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten permanent } }"
LINK = """mutation L($a: ID!, $b: ID!, $w: String!) {
  link(source: $a, target: $b, kind: "like", reason: $w) { id } }"""
SPREAD = """mutation S($n: ID!, $w: String!, $t: String!, $c: String!) {
  revise(id: $n, content: $t, tags: [$w, "quay"]) { id }
  setCoreBlock(name: "critical", text: $c) { text }
  addSkill(name: $w, trigger: $t, procedure: $c, tags: [$w]) { id }
  command(text: $c) { intent }
  consolidate { merged }
  reflect { id markdown } }"""
MERGE = "mutation M($k: ID!, $m: ID!) { mergeEntities(keep: $k, merge: $m) { id } }"


def everything(word: str) -> dict[str, Any]:
    """A note that says a word in every field there is."""
    return {
        "content": f"The {word} crane at Halden quay lifts the boats of Leeds every spring.",
        "title": f"Crane {word}",
        "tags": [word, f"{word} two"],
        "keywords": [word],
        "episode": word,
        "speaker": word,
        "metadata": {word: [word, {"x": word}]},
        "entities": [
            {"name": word, "type": word, "aliases": [f"Alias {word}"]},
            {"name": "Halden", "type": word},
        ],
        "relations": [{"subject": word, "predicate": f"owns {word}", "object": "Leeds"}],
    }


async def spread(api: Any, word: str) -> list[str]:
    """Notes about a thing, among them some that say a word; the ids of those that do."""
    about = "The crane at Halden quay lifts boats of Leeds"
    near = await api.remember(f"{about} in autumn.", tags=["quay"], entities=[{"name": "Halden"}])
    far = await api.remember("Bo likes plums.")
    said = await api.remember(**{"content": ""} | everything(word))
    note = said["note"]["id"]
    return [near["note"]["id"], far["note"]["id"], note]


async def put_everywhere(api: Any, cypher: Cypher, context: Context, word: str) -> list[str]:
    """Put a word of a note wherever a word can get to; the notes that do not say it."""
    near, far, note = await spread(api, word)
    now = context.clock()
    took = (await cypher(EVERYWHERE, id=near))[0]
    if word not in took["tags"]:  # signs that are words of their own leave the two less alike
        given = {"from": note, "to": near, "tag": word, "now": now, "changes": "{}"}
        await cypher(HANDED_ON, **given)
    else:
        assert word in took["context"]
    before, after = ["plums"], ["plums", word]
    changes = json.dumps(
        {"tags": [before, after], "context": ["Plums.", f"Plums. (related: {word})"]}
    )
    await cypher(
        HANDED_ON, **{"from": near}, to=far, tag=word, now=context.clock(), changes=changes
    )
    await api(LINK, a=far, b=note, w=word)
    await api.recall(f"Who knows {word}?", track=True)
    await api.recall("Who owns the crane?", track=True)
    await api(
        SPREAD,
        n=note,
        w=word,
        t=f"Now the {word} crane at Halden is painted.",
        c=f"Remember that {word} must never be lifted alone",
    )
    await api.remember(f"Now the crane {word} at Halden is painted.")  # told again, or as another
    things = {
        each["name"]: each["id"] for each in (await api("{ entities { id name } }"))["entities"]
    }
    await api(MERGE, k=things["Halden"], m=things["Leeds"])
    await api(MERGE, k=things["Halden"], m=things[word])
    await context.log.flush()
    return [near, far]


def texts_in(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value.lower()
        elif isinstance(value, list):
            yield from texts_in(value)


@dataclass(frozen=True)
class Destroyed:
    """Where words were before and after the notes that say them were destroyed."""

    words: dict[str, str]  # by alphabet
    before: list[dict[str, Any]]
    after: list[dict[str, Any]]
    kept: list[str]

    def rows(self, found: list[dict[str, Any]], alphabet: str) -> list[dict[str, Any]]:
        """Those with a word."""
        wanted = forms(self.words[alphabet])
        return [
            row
            for row in found
            if any(form in text for text in texts_in(row["what"].values()) for form in wanted)
        ]


@pytest.fixture(scope="module")
async def destroyed(http: Any, context: Context, cypher: Cypher) -> Destroyed:
    """A word of each alphabet, each of another user: to look through the whole graph takes long."""
    words = {alphabet: a_word(letters) for alphabet, letters in ALPHABETS.items()}
    every = sorted({form for word in words.values() for form in forms(word)})
    apis = {word: Client(http, new_user()) for word in words.values()}
    apart = {word: await put_everywhere(api, cypher, context, word) for word, api in apis.items()}
    before = await cypher(ANYWHERE, forms=every)
    saying = "MATCH (n:Note {user: $u}) WHERE NOT n.id IN $kept RETURN n.id AS id"
    for word, api in apis.items():
        for row in await cypher(saying, u=api.user, kept=apart[word]):
            assert (await api(FORGET, id=row["id"]))["forget"]["permanent"]
    after = await cypher(ANYWHERE, forms=every)
    return Destroyed(words, before, after, list(kept_texts()))


@pytest.mark.feature("MOLT-33", "MUMA-119")
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_no_property_holds_a_word_of_what_was_destroyed(
    destroyed: Destroyed, alphabet: str
) -> None:
    held = destroyed.rows(destroyed.before, alphabet)
    places = {label for row in held for label in row["at"]}
    assert {"Note", "Revision", "Entity", "MENTIONS", "Recall", "LINKS_TO"} <= places
    assert destroyed.rows(destroyed.after, alphabet) == []
    assert not any(destroyed.words[alphabet] in text for text in destroyed.kept)


async def test_what_others_have_of_their_own_stays(api: Any, cypher: Any, context: Context) -> None:
    """A tag that the note's own writer gave, other topics of its context, other revisions."""
    near, far, note = await spread(api, "Порт")
    now = context.clock()
    changes = json.dumps({"tags": [["a"], ["a", "Порт"]], "pinned": [False, True]})
    await cypher(HANDED_ON, **{"from": near}, to=far, tag="Порт", now=now, changes=changes)
    await cypher("MATCH (n:Note {id: $id}) SET n.givenTags = n.givenTags + 'Порт'", id=far)
    text = """MATCH (n:Note {id: $id}) SET n.context = 'Cranes. (related: tide, Порт, boats)',
        n.tags = n.tags + 'tide'"""
    await cypher(text, id=near)
    revisions = "MATCH (:Note {id: $id})-[:HAD]->(v) RETURN v.changes AS c ORDER BY v.version"
    before = await cypher(revisions, id=far)
    version = (await cypher(EVERYWHERE, id=near))[0]["version"]
    await api(FORGET, id=note)
    left = (await cypher(EVERYWHERE, id=near))[0]
    assert left["context"] == "Cranes. (related: tide, boats)"
    assert left["tags"][-1] == "tide"
    assert "Порт" not in left["tags"]
    assert left["version"] == version + 1
    own = (await cypher(EVERYWHERE, id=far))[0]
    assert "Порт" in own["tags"]
    assert (await cypher(revisions, id=far))[: len(before)] == before
    listed = (await api("{ events(first: 400) { type summary subjectId data } }"))["events"]
    told = [e for e in listed if e["summary"] == "a tag was taken back"]
    assert {e["subjectId"] for e in told} == {near, far}


async def test_a_note_that_changes_meanwhile_is_looked_at_anew(
    api: Any, cypher: Any, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, _, note = await spread(api, "Hafen")
    write = type(context.graph).write
    rivals = ["MATCH (n:Note {id: $id}) SET n.version = n.version + 1, n.tags = n.tags + 'late'"]

    async def delayed(graph: Any, *steps: Step, **given: Any) -> Any:
        if rivals and any(step.query == "notes/take_back" for step in steps):
            await cypher(rivals.pop(), id=near)
        return await write(graph, *steps, **given)

    monkeypatch.setattr(type(context.graph), "write", delayed)
    await api(FORGET, id=note)
    tags = (await cypher(EVERYWHERE, id=near))[0]["tags"]
    assert "late" in tags
    assert "Hafen" not in tags


async def test_a_recall_that_is_written_after_the_purge_keeps_no_question(
    api: Any, cypher: Any, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = (await api.remember("Nordlicht is a ship.", entities=[{"name": "Nordlicht"}]))["note"]
    async with context.log._writing:  # the log waits meanwhile
        await api.recall("Where is Nordlicht?", track=True)
        await api(FORGET, id=note["id"])
    await context.log.flush()
    found = await cypher(
        "MATCH (r:Recall {user: $u}) RETURN r.query AS q, r.cycle AS c", u=api.user
    )
    assert found == [{"q": None, "c": 1}]


# --- what the process keeps


def cached() -> Iterator[Any]:
    """Every cache of a function of ours, also those within functions."""
    gc.unfreeze()  # as long as it is frozen, nothing is told of what the first test found
    everything = gc.get_objects()
    gc.freeze()
    for found in everything:
        # Not isinstance, which asks the object itself: some of torch's answer with a warning.
        if type(found) is functools._lru_cache_wrapper:
            module = str(getattr(found, "__module__", ""))
            if module.startswith("graphmem."):
                yield found


def kept_texts() -> Iterator[str]:
    """Every text in a cache."""
    for cache in cached():
        seen: set[int] = set()
        waiting = [each for each in gc.get_referents(cache) if each is not cache.__wrapped__]
        while waiting:
            found = waiting.pop()
            if id(found) in seen or isinstance(found, type) or callable(found):
                continue
            seen.add(id(found))
            if isinstance(found, str):
                yield found
            else:
                waiting += gc.get_referents(found)


# By module and name: what holds no word of a note, and why.
TEXTLESS = {
    ("graphmem.ai.extract_spacy", "spacy_extractor"): "the model, which keeps no word",
    ("graphmem.api.graphiql", "_read_file"): "files of the page only",
    ("graphmem.api.schema", "create_schema"): "the schema of the program",
    ("graphmem.api.limits", "check"): "documents without strings only",
    ("graphmem.domain.fields", "fields_of"): "classes only",
    ("graphmem.domain.fields", "bounded_fields"): "classes only",
    ("graphmem.domain.fields", "answer_fields"): "classes only",
    ("graphmem.domain.fields", "camel"): "names of fields only",
    ("graphmem.operations.parsing", "names_of"): "classes only",
    ("graphmem.operations.presenters.as_json", "_wire_names"): "classes only",
    ("graphmem.operations.docstrings", "docstrings"): "classes only",
    ("graphmem.operations.docstrings", "_own_docstrings"): "classes only",
    ("graphmem.mcp.answers", "adapter_of"): "classes only",
    ("graphmem.client.models", "_field_names"): "classes only",
    ("graphmem.store.queries", "pack"): "queries only",
    ("graphmem.services.health", "parts_of"): "names and licences of packages",
    ("graphmem.rest.documents", "described"): "the document of REST only",
    ("graphmem.domain.reranking", "load_curves"): "a file of numbers",
    ("graphmem.store.rows", "_keys"): "names of fields",
    ("graphmem.server.browser_guide", "guide"): "files of the program only",
    ("graphmem.language.relation_words", "_load_other_terms"): "a file of words",
}


def test_every_cache_is_emptied_or_holds_no_text(settings: Settings, context: Context) -> None:
    app = create_app(settings, opened=context)  # its caches are looked at, too
    assert as_json.to_json(context.writing)  # and those of JSON
    known = {id(cache) for cache in caches.OF_TEXTS}
    others = {(c.__module__, c.__name__) for c in cached() if id(c) not in known}
    assert app is not None
    assert others <= TEXTLESS.keys()  # some are there only where their module is in use


async def test_another_process_keeps_words_for_some_minutes_only(
    settings: Settings,
    context: Context,
    neo4j_address: ServerAddress,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caches, "KEPT_S", 0.01)
    async with connect_context(settings, context.embedder, neo4j_address):
        (word,) = caches.analysis.analyse("Leuchtturmwärterin")
        assert word in set(kept_texts())
        async with asyncio.timeout(20):
            while word in set(kept_texts()):  # noqa: ASYNC110  (it tells nobody)
                await asyncio.sleep(0.02)
