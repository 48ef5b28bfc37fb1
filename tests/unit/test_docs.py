"""What the documentation and the container files say is true of the program."""

import dataclasses
import json
import re
import runpy
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from documents import DOCUMENTS, PAGES
from graphql import GraphQLSchema, build_schema, get_operation_ast, parse, validate
from graphql.execution.values import get_variable_values

from graphmem.api.schema import sdl
from graphmem.cli.program import build
from graphmem.domain.fields import fields_of
from graphmem.domain.portable import FIELDS
from graphmem.rest.endpoints import ENDPOINTS
from graphmem.server.conf import OF_LOCKED_VERSION, SETTINGS, Ports, conf_text
from graphmem.settings import Settings, variable_of

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
CALL = re.compile(r"(?:^|[\s/;])graphmem (?!graphmem\b)([a-z][^\n|&#]*)", re.MULTILINE)
POSTED = re.compile(r"-d '(\{.*?\})'", re.DOTALL)
# In pieces, for this file is looked through too.
HOSTS = (
    "pypi" + r"\.org",
    "python" + r"hosted\.org",
    "repo1?" + r"\.maven",
    "registry" + r"\.npmjs",
)
# Names that no schema has: keys of metadata and settings, counts of jobs.
OTHER_NAMES = """importedFrom tierWeight dormantCandidates pruneCandidates clusterCandidates
entityCandidates entityVerdicts dedupCandidates consolidationCandidates linksMade linksRemoved
relatedLinks"""
FOLDERS = r"(?<![\w.~$}/-])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "Us" + "ers")) + r")/\w"


def section(page: str, title: str) -> str:
    """The text of a section of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    assert found, f"{page} has no section {title}"
    return found[1]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of a table, without its head."""
    for line in re.findall(r"^\|(.+)\|$", text, re.MULTILINE)[2:]:
        yield [cell.strip() for cell in line.split("|")]


def variables() -> Iterator[str]:
    """Each variable; those of a group one by one."""
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            yield from (
                f"{variable_of(name)}__{each.name.upper()}" for each in dataclasses.fields(kind)
            )
        else:
            yield variable_of(name)


@pytest.mark.parametrize("page", ["settings", "schema", "graph"])
def test_pages_made_of_the_code_are_up_to_date(page: str):
    """Else run `python scripts/write_reference.py`."""
    script = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
    made = script[f"{page}_page"]()
    assert (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8") == made


def test_named_variables_are_settings():
    told = set(re.findall(r"\bGRAPHMEM_[A-Z0-9_]+[A-Z0-9]\b", TEXT + json.dumps(COMPOSE)))
    of_the_program = {"GRAPHMEM_DEBUG", "GRAPHMEM_ENV_FILE", "GRAPHMEM_KEY", "GRAPHMEM_URL"}
    of_the_program.add("GRAPHMEM_AUDIT_RETENTION")  # another name of GRAPHMEM_AUDIT_RETENTION_DAYS
    assert told - of_the_program <= set(variables())


def commands() -> dict[str, Any]:
    """The program's commands by their words: `serve`, `keys create`."""
    group = typer.main.get_command(build())
    found: dict[str, Any] = {}
    for name, command in getattr(group, "commands", {}).items():
        inner = getattr(command, "commands", None)
        found |= (
            {f"{name} {sub}": each for sub, each in inner.items()} if inner else {name: command}
        )
        if getattr(command, "invoke_without_command", False):
            found[name] = command
    return found


def test_commands_table_is_the_program():
    told = [
        " ".join(row[0].strip("`").split()[1:])
        for row in rows(section("docs/reference/commands.md", "Commands"))
    ]
    assert sorted(re.sub(r" [A-Z]+$", "", name) for name in told) == sorted(commands())


def calls() -> Iterator[list[str]]:
    """Every call of the program in code of the documents, as words."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        code = [body for language, body in FENCED.findall(text) if language in ("sh", "ini")]
        code += INLINE.findall(FENCED.sub("", text))
        code += re.findall(r"^ {4}(graphmem .*)$", text, re.MULTILINE)
        for body in code:
            yield from (shlex.split(call) for call in CALL.findall(re.sub(r"#.*", "", body)))


def test_calls_name_commands_and_options_that_exist():
    known, seen = commands(), 0
    for words in calls():
        command = known.get(" ".join(words[:2])) or known.get(words[0])
        assert command is not None or words == ["keys"], words
        options = [option for each in getattr(command, "params", ()) for option in each.opts]
        used = [word.partition("=")[0] for word in words if word.startswith("--")]
        assert set(used) <= {*options, "--help"}, words
        seen += 1
    assert seen > 10


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(sdl())


def test_examples_are_valid_graphql(schema: GraphQLSchema):
    posted = [json.loads(body) for body in POSTED.findall(TEXT)]
    posted = [body for body in posted if "query" in body]  # the others are of REST
    posted += [{"query": text} for language, text in FENCED.findall(TEXT) if language == "graphql"]
    assert len(posted) > 20
    for body in posted:
        document = parse(body["query"])
        assert validate(schema, document) == [], body["query"]
        operation = get_operation_ast(document)
        assert operation is not None
        if "variables" in body:
            wanted = operation.variable_definitions or ()
            assert {each.variable.name.value for each in wanted} == body["variables"].keys()
            assert not isinstance(get_variable_values(schema, wanted, body["variables"]), list)


def names_of(fields: Mapping[Any, Any]) -> Iterator[str]:
    """The names of all fields of the portable format."""
    for name, shape in fields.items():
        yield name
        if isinstance(shape, Mapping):
            yield from names_of(shape)


def test_the_portable_format_names_each_field() -> None:
    page = (ROOT / "docs/reference/portable-format.md").read_text("utf-8")
    assert {name for name in names_of(FIELDS) if f"`{name}`" not in page} == set()


def properties_of_the_graph() -> set[str]:
    """The names of all properties of nodes and relationships."""
    sections = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))["graph_model"]()
    described = [
        each
        for of in sections
        for kind in ("labels", "types")
        for each in of.get(kind, {}).values()
    ]
    return {name for each in described for name in each.get("properties", {})}


def test_named_fields_are_in_the_schema(schema: GraphQLSchema):
    """What is written in code as `camelCase`, or as a call with arguments by name."""
    arguments: dict[str, set[str]] = {}
    known = set(OTHER_NAMES.split())
    known |= {field.wire for each in ENDPOINTS for field in fields_of(each.command)}
    known |= set(names_of(FIELDS)) | properties_of_the_graph()
    for kind in schema.type_map.values():
        for name, field in getattr(kind, "fields", {}).items():
            known.add(name)
            arguments.setdefault(name, set()).update(getattr(field, "args", {}))
    known |= {each for names in arguments.values() for each in names}
    for code in INLINE.findall(FENCED.sub("", TEXT)):
        for name in re.findall(r"(?<![\w./-])[a-z]+[A-Z]\w*", code):
            assert name in known, code
        if call := re.fullmatch(r"([a-z]\w+)\((\w+): ?.*\)", code):
            assert call[2] in arguments.get(call[1], ()), code


def test_operations_table_is_the_schema(schema: GraphQLSchema):
    told = {
        kind: INLINE.findall(names)
        for kind, names in rows(section("docs/reference/graphql.md", "Operations"))
    }
    types = (schema.query_type, schema.mutation_type, schema.subscription_type)
    for kind, of_schema in zip(("query", "mutation", "subscription"), types, strict=True):
        assert of_schema is not None
        assert sorted(told[kind]) == sorted(of_schema.fields)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        path, _, heading = target.partition("#")
        linked = document.parent / path if path else document
        assert linked.is_file(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles]


def test_every_page_is_reached_from_the_index():
    index = ROOT / "docs" / "index.md"
    linked = {
        (index.parent / target).resolve() for target in LINK.findall(index.read_text("utf-8"))
    }
    assert {*PAGES, *DOCUMENTS} - {index} <= linked


def test_readme_is_read_in_five_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_citations_are_explained():
    """Each document, section, row and decision that a comment names stands in docs/sources.md."""
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    explained = {f"{name} {number}" for name, number in numbered(page)}
    explained |= set(re.findall(r"\b(?:MUMA|MOLT|L3|TIER|DAEM|DIFF)-\d+", page))
    for path in (*ROOT.glob("graphmem/**/*.py"), *ROOT.glob("[cj]*/**/*.cypher")):
        text = path.read_text(encoding="utf-8")
        cited = {f"{name} {number}" for name, number in numbered(text)}
        cited |= set(re.findall(r"\b(?:MUMA|MOLT|L3|TIER|DAEM|DIFF)-\d+", text))
        assert cited <= explained, path


def numbered(text: str) -> Iterator[tuple[str, str]]:
    """The sections that a text names, such as ("MUMA", "4.3") twice over for "MUMA 4.3, 4.4"."""
    for name, numbers in re.findall(
        r"\b(MUMA|Moltbot|L3(?:'s|,) component) (\d[\d.]*(?:, \d[\d.]*)*)", text
    ):
        for number in numbers.split(", "):
            yield re.sub(r"L3\S* ", "L3, ", name), number.rstrip(".")


def test_map_names_folders_that_are_there():
    for name, _ in rows(section("CONTRIBUTING.md", "Map")):
        assert (ROOT / name.strip("`")).is_dir(), name


def test_the_place_of_the_figures_is_kept():
    assert TEXT.count("<!-- bench:start -->") == TEXT.count("<!-- bench:end -->") == 1
    assert TEXT.index("<!-- bench:start -->") < TEXT.index("<!-- bench:end -->")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_services_are_watched_and_closed(name: str):
    service: dict[str, Any] = COMPOSE["services"][name]
    assert service["healthcheck"]["test"][0] == "CMD"
    assert service["restart"] == "unless-stopped"
    assert "no-new-privileges:true" in service["security_opt"]
    assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", []))
    assert ":" in service["image"]
    assert not service["image"].endswith(":latest")


def test_service_asks_for_keys_and_waits_for_neo4j():
    service = COMPOSE["services"]["graphmem"]
    assert service["environment"]["GRAPHMEM_AUTH"] == "keys"
    assert service["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["user"] == "10001:10001"
    compile(service["healthcheck"]["test"][-1], "healthcheck", "exec")
    assert service["ports"] == [f"127.0.0.1:{Settings.model_fields['port'].default}:8321"]


def test_the_password_is_in_a_file_alone():
    """`docker inspect` shows the environment of a container, and whatever runs there reads it."""
    secrets = COMPOSE["secrets"]
    assert secrets == {"neo4j_auth": {"file": "./secrets/neo4j_auth"}}
    for service in COMPOSE["services"].values():
        assert service["secrets"] == [*secrets]
        named = {name: value for name, value in service["environment"].items() if "AUTH" in name}
        named = {name: value for name, value in named.items() if name.endswith("_AUTH_FILE")}
        assert set(named.values()) == {"/run/secrets/neo4j_auth"}
        assert not [name for name in service["environment"] if name.endswith("PASSWORD")]
    assert "/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "secrets" not in re.findall(
        r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE
    )
    assert variable_of("neo4j_auth_file") in COMPOSE["services"]["graphmem"]["environment"]


def test_services_have_a_limit_of_memory_a_cache_and_a_check_that_knows_the_database():
    for service in COMPOSE["services"].values():
        assert re.fullmatch(r"\$\{\w+_MEMORY:-\d+g\}", service["mem_limit"])
    service = COMPOSE["services"]["graphmem"]
    cache = service["environment"]["GRAPHMEM_CACHE"]
    assert f"graphmem-cache:{cache}" in service["volumes"]
    assert f"chown 10001:10001 {cache}" in DOCKERFILE  # a volume begins as a copy of it
    assert "/readyz" in service["healthcheck"]["test"][-1]


def test_named_volumes_are_declared():
    used = {
        volume.partition(":")[0]
        for service in COMPOSE["services"].values()
        for volume in service.get("volumes", [])
    }
    assert used == COMPOSE["volumes"].keys()


def test_neo4j_of_compose_is_the_embedded_one():
    lock = tomllib.loads((ROOT / "graphmem/server/neo4j.lock.toml").read_text(encoding="utf-8"))
    assert COMPOSE["services"]["neo4j"]["image"] == f"neo4j:{lock['server']['version']}"


# What differs between a process on this machine and a container: where it listens, its memory.
OWN_OF_COMPOSE = {
    "NEO4J_AUTH_FILE",
    "NEO4J_server_memory_heap_initial__size",
    "NEO4J_server_memory_heap_max__size",
    "NEO4J_server_memory_pagecache_size",
}


def test_neo4j_of_compose_has_the_settings_of_the_embedded_one():
    given = dict(COMPOSE["services"]["neo4j"]["environment"])
    lines = [line.partition("=") for line in (*SETTINGS, *OF_LOCKED_VERSION)]
    wanted = {"NEO4J_" + k.replace("_", "__").replace(".", "_"): v for k, _, v in lines}
    assert {name: given.pop(name, None) for name in wanted} == wanted
    assert given.keys() == OWN_OF_COMPOSE
    heap, pages = (
        Settings.model_fields[f"neo4j_{each}"].default for each in ("heap", "page_cache")
    )
    assert given["NEO4J_server_memory_heap_max__size"] == f"${{GRAPHMEM_NEO4J_HEAP:-{heap}}}"
    assert given["NEO4J_server_memory_pagecache_size"] == f"${{GRAPHMEM_NEO4J_PAGE_CACHE:-{pages}}}"


def test_every_setting_of_the_embedded_server_is_shared_or_about_where_it_is():
    text = conf_text(Ports(bolt=7687, http=7474), "512m", pinned=True)
    own = set(text.splitlines()) - {*SETTINGS, *OF_LOCKED_VERSION}
    names = {line.partition("=")[0] for line in own}
    places = re.compile(r"server\.(default_listen_address|memory\.|bolt\.|https?\.)|browser\.")
    assert [name for name in names if not places.match(name)] == []


def test_dockerfile_is_pinned_and_not_root():
    instructions = re.findall(r"^([A-Z]+) +(.*)$", DOCKERFILE, re.MULTILINE)
    images = [words.split()[0] for name, words in instructions if name == "FROM"]
    assert set(images) == {"${PYTHON_IMAGE}"}
    (base,) = [words for name, words in instructions if name == "ARG"]
    assert re.fullmatch(r"PYTHON_IMAGE=python:\d+\.\d+\.\d+-slim-[a-z]+(@sha256:\w{64})?", base)
    last = [name for name, _ in instructions][::-1]
    assert last.index("USER") < last.index("FROM")
    assert ("USER", "10001:10001") in instructions
    assert dict(instructions)["ENTRYPOINT"] == '["graphmem"]'
    assert json.loads(dict(instructions)["CMD"])[0] in commands()
    for name, words in instructions:
        if name == "RUN" and " install " in words:
            assert "--no-cache-dir" in words
            assert "==" in words or "--require-hashes" in words or "--no-index" in words


def test_image_is_made_of_what_the_wheel_is_made_of():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in lines if line.startswith("!")}
    locks = {"requirements-build.lock", "requirements.lock"}
    others = {"packages/graphmem-weights", "pyproject.toml", "README.md", "LICENSE"}
    assert {*wanted, *locks, *others} == let_in
    assert "*" in lines


def test_image_has_the_version_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert COMPOSE["services"]["graphmem"]["image"] == f"graphmem:{project['version']}"


def test_no_file_names_a_package_registry_or_a_folder_of_one_machine():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not in a checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=30
    )
    wrong = re.compile("|".join((*HOSTS, FOLDERS)))
    found = []
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            text = path.read_bytes().decode("utf-8", "ignore")
            found += [f"{name}: {match[0]}" for match in wrong.finditer(text)]
    assert found == []
