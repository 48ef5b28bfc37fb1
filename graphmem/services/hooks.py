"""The plugins of this process."""

from collections.abc import Iterable
from typing import Any

import pluggy
import structlog

from graphmem import plugins
from graphmem.plugins import GROUP, Moving, Verdict

log = structlog.get_logger(__name__)


class Hooks:
    """Calls the plugins.

    Each call takes as long as they do, so make it in a thread.
    """

    def __init__(self, found: Iterable[Any] = (), *, installed: bool = False) -> None:
        """Use these plugins, and with `installed` those of installed packages."""
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(plugins)
        for plugin in found:
            self._manager.register(plugin)
        if installed:
            self._manager.load_setuptools_entrypoints(GROUP)

    def __bool__(self) -> bool:
        """Return True if there is any plugin."""
        return bool(self._manager.get_plugins())

    def before(self, note: Moving, from_tier: str, to_tier: str) -> Verdict:
        """Return the verdict of the plugins about a move."""
        try:
            said: list[object] = self._manager.hook.before_transition(
                note=note, from_tier=from_tier, to_tier=to_tier
            )
        except Exception as error:  # only its type is logged: its words may be those of a note
            log.error("a plugin failed; the note stays", error=type(error).__name__)
            return "skip"
        if "skip" in said:
            return "skip"
        return "force" if "force" in said else "proceed"

    def after(self, note: Moving, from_tier: str, to_tier: str) -> None:
        """Notify each plugin of a move, whatever the others do."""
        for plugin in self._manager.get_plugins():
            others = [each for each in self._manager.get_plugins() if each is not plugin]
            caller = self._manager.subset_hook_caller("after_transition", others)
            try:
                caller(note=note, from_tier=from_tier, to_tier=to_tier)
            except Exception as error:
                log.error("a plugin failed after a move", error=type(error).__name__)
