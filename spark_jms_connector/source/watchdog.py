"""A reader may be blocked in a call when its driver is killed: the watchdog ends it then."""

from __future__ import annotations

import os
import threading

INTERVAL = 0.5


def die_with_parent() -> None:
    """End this process, without ceremony, as soon as its parent is gone."""
    threading.Thread(target=_watch, args=(os.getppid(),), name="jms-watchdog", daemon=True).start()


def _watch(parent: int) -> None:
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(INTERVAL)
    os._exit(1)
