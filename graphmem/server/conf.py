"""The server's settings file, written before each start."""

from dataclasses import dataclass

from graphmem.server.browser_guide import host_of_guide

TRANSACTION_TIMEOUT = "600s"  # a runaway query ends by then; jobs work in batches far below it
SHUTDOWN_TIMEOUT = "2s"  # for a transaction that is open when the server stops

# By default a stop waits for terminated transactions of clients that say nothing, and then for ten
# seconds of silence on Bolt.
QUICK_STOP = (
    "internal.db.transaction.shutdown_terminated_transaction_wait_timeout=1s",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s",
    "internal.server.bolt.connection_shutdown_wait_time=1s",
    "internal.server.bolt.thread_pool_shutdown_wait_time=1s",
)

# By default a query is planned again, for about a second, for each order of magnitude of each list
# and every text among its parameters: for short and long questions, for few and many audiences.
ONE_PLAN = ("internal.cypher.use_parameter_size=false",)

# A vector index is searched segment by segment, and each costs a search some microseconds however
# small it is. By default it is merged only from 50 segments of a size on. With ten, a merge would
# come so often that many verbatim notes at once are written more slowly.
FEW_SEGMENTS = ("internal.dbms.index.vector.standard_merge_factor=20",)

# No usage data is sent. Neo4j Browser asks the server whether it may send usage data and
# crash reports to its makers; drivers ask whether they may report their calls to the server.
NO_TELEMETRY = (
    "client.allow_telemetry=false",
    "dbms.fleet_manager.enabled=false",
    "dbms.usage_report.enabled=false",
    "server.bolt.telemetry.enabled=false",
    "server.fleet_discovery.enabled=false",
)


# Settings for every server; docker-compose.yml sets the same.
SETTINGS = (
    # Takes effect when a database is created, so it must be set at the very first start.
    "db.query.default_language=CYPHER_25",
    "dbms.security.auth_enabled=true",
    f"db.transaction.timeout={TRANSACTION_TIMEOUT}",
    f"db.shutdown_transaction_end_timeout={SHUTDOWN_TIMEOUT}",
    # Without keep-alive messages the driver needs no timer for each read of its socket, a fifth
    # of what a short query costs; a dead server on this machine closes its connections.
    "server.bolt.connection_keep_alive_for_requests=OFF",
    # What was written since the last checkpoint is repeated after a crash, vectors slowly: with
    # the default of 15 minutes that took minutes.
    "db.checkpoint.interval.time=2m",
    "db.tx_log.rotation.retention_policy=1 hours 200M",
    *NO_TELEMETRY,
)

# Internal settings, which are only known for the server of our lock file.
OF_LOCKED_VERSION = (*QUICK_STOP, *ONE_PLAN, *FEW_SEGMENTS)


@dataclass(frozen=True)
class Ports:
    """The ports that the server listens on, on loopback; `http` is None without Neo4j Browser."""

    bolt: int
    http: int | None


def conf_text(ports: Ports, page_cache: str, pinned: bool, *, read_only: bool = False) -> str:
    """Return the text of neo4j.conf. An unknown or doubled key would prevent the start.

    `pinned` says that the server is that of our lock file, so that its internal settings are known
    too."""
    lines = [
        "server.default_listen_address=127.0.0.1",
        f"server.bolt.listen_address=127.0.0.1:{ports.bolt}",
        f"server.bolt.advertised_address=127.0.0.1:{ports.bolt}",
        f"server.http.enabled={'false' if ports.http is None else 'true'}",
        "server.https.enabled=false",
        f"server.memory.pagecache.size={page_cache}",
        *SETTINGS,
    ]
    if ports.http is not None:
        lines.append(f"server.http.listen_address=127.0.0.1:{ports.http}")
        lines.append(f"server.http.advertised_address=127.0.0.1:{ports.http}")
    if read_only:
        lines.append("server.databases.read_only=neo4j")
    if pinned:
        lines.extend(OF_LOCKED_VERSION)
    if pinned and ports.http is not None:
        guides = f"127.0.0.1,{host_of_guide(ports.http)}"
        lines.append(f"browser.remote_content_hostname_whitelist={guides}")
    return "\n".join(lines) + "\n"
