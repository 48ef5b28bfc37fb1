"""Logging of a process: lines for people on a terminal, else JSON; always on stderr."""

import logging
import sys
from typing import Any

import structlog

QUIET = {"neo4j": logging.ERROR, "uvicorn": logging.WARNING, "asyncio": logging.ERROR}


def configure_logs(level: str) -> None:
    """Send log messages of graphmem from `level` on, and warnings of others, to stderr.

    Tracebacks come without local variables, which could hold a note's text or a secret."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers()],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("graphmem").setLevel(level.upper())
    for name, lowest in QUIET.items():
        logging.getLogger(name).setLevel(lowest)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _renderers() -> list[Any]:
    if sys.stderr.isatty():
        return [
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
        ]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
