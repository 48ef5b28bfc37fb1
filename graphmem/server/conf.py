"""The server's settings file, written before each start."""

from dataclasses import dataclass

TRANSACTION_TIMEOUT = "600s"  # a runaway query ends by then; jobs work in batches far below it


@dataclass(frozen=True)
class Ports:
    """Where the server listens on loopback; `http` is None without Neo4j Browser."""

    bolt: int
    http: int | None


def conf_text(ports: Ports, page_cache: str) -> str:
    """The text of neo4j.conf. An unknown or doubled key would stop the start."""
    lines = [
        # Acts when a database is made, so it must be there at the very first start.
        "db.query.default_language=CYPHER_25",
        "server.default_listen_address=127.0.0.1",
        f"server.bolt.listen_address=127.0.0.1:{ports.bolt}",
        f"server.bolt.advertised_address=127.0.0.1:{ports.bolt}",
        f"server.http.enabled={'false' if ports.http is None else 'true'}",
        "server.https.enabled=false",
        "dbms.security.auth_enabled=true",
        f"server.memory.pagecache.size={page_cache}",
        f"db.transaction.timeout={TRANSACTION_TIMEOUT}",
        "db.tx_log.rotation.retention_policy=1 hours 200M",
        "dbms.usage_report.enabled=false",
        "dbms.fleet_manager.enabled=false",
        "server.fleet_discovery.enabled=false",
    ]
    if ports.http is not None:
        lines.append(f"server.http.listen_address=127.0.0.1:{ports.http}")
        lines.append(f"server.http.advertised_address=127.0.0.1:{ports.http}")
    return "\n".join(lines) + "\n"
