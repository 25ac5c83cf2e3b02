"""Kill at random for a while, under steady load, and count: ``python -m tests.chaos --seconds N --seed S``."""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from tests.brokers import artemis_connection
from tests.e2e.counting import Count, count
from tests.e2e.jobs import Job
from tests.e2e.processes import family, until
from tests.e2e.sender import Sender
from tests.e2e.trial import Trial

# What may die, after how many seconds of peace.
VICTIMS = {
    "spark": ("driver", "driver JVM", "reader", "helper JVM", "broker", "broker in order"),
    "light": ("driver", "helper JVM", "broker", "broker in order"),
}
PEACE = {"spark": (0.2, 12.0), "light": (0.2, 4.0)}
TOO_EARLY = 0.2
LONGEST_START = 90.0
BATCHES = {
    "continuous": {"segmentMaxMessages": "1000", "maxMessagesPerTrigger": "2000"},
    "availableNow": {"segmentMaxMessages": "20000", "maxMessagesPerTrigger": "50000"},
}
LONGEST_DRAIN = 600.0
MODES = ("onCommit", "onJournal")


class Chaos:
    """One run: a broker, a sender, a stream, and someone who kills."""

    def __init__(self, folder: Path, seed: int, mode: str) -> None:
        self._random = random.Random(seed)
        self._mode = mode
        self._began = time.monotonic()
        self._broker = ArtemisBroker(folder / "broker", dead_letter_address="DLQ").start()
        self._transport = open_transport(SourceOptions(provider="artemis", url=self._broker.url))
        self._trial = Trial(folder, artemis_connection(self._broker), self._transport)
        self._sender = Sender(self._broker.url, self._trial.destination.name, seed)
        self._starts = 0
        self._kills = 0

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:7.1f} s  {text}", flush=True)

    def run(self, seconds: float) -> Count:
        self._sender.start()
        job = self._start("continuous")
        while time.monotonic() - self._began < seconds:
            self._peace(job)
            job = self._next(job)
        self._sender.stop()
        return self._come_to_rest(job)

    def _peace(self, job: Job) -> None:
        """Some streams die while they start; most get to their first micro-batch, and have something to lose."""
        if self._random.random() > TOO_EARLY:
            end = time.monotonic() + LONGEST_START
            until(lambda: '{"batch"' in job.text() or not job.running or time.monotonic() > end, 2 * LONGEST_START, "")
        threading.Event().wait(self._random.uniform(*PEACE[self._mode]))

    def _next(self, job: Job) -> Job:
        """Kill something, and put back what does not come back by itself."""
        if job.running:
            self._kill(job, self._random.choice(VICTIMS[self._mode]))
        if not self._broker.alive:
            self._broker.start()
            self.say("broker is back")
        if job.running:
            return job
        self.say(f"stream has ended with {job.wait()}{self._reason(job)}")
        job.kill()
        return self._start("continuous")

    def _kill(self, job: Job, victim: str) -> None:
        if victim.startswith("broker"):
            (self._broker.stop if victim == "broker in order" else self._broker.kill)()
        elif job.part(victim):
            job.kill_part(victim)
        else:
            return
        self._kills += 1
        self.say(f"killed {victim}")
        if victim in ("driver", "driver JVM", "reader"):
            job.wait()

    def _reason(self, job: Job) -> str:
        errors = [event["text"] for event in job.events() if "error" in event]
        return f": {errors[-1][:300]}" if errors and job.wait() == 1 else ""

    def _start(self, trigger: str) -> Job:
        """Both modes in turns, and as many receivers as chance will have it."""
        settings = self._trial.settings
        settings["acknowledge"] = MODES[self._starts % 2]
        settings["receivers"] = str(self._random.randint(1, 3))
        settings |= BATCHES[trigger]
        self._starts += 1
        self.say(f"start {self._starts}: {settings['acknowledge']}, {settings['receivers']} receivers, {trigger}")
        launch = self._trial.start_spark if self._mode == "spark" else self._trial.start_loop
        return launch(trigger=trigger)

    def _come_to_rest(self, job: Job) -> Count:
        """No more kills: stop in order, then drain, then count."""
        if job.running:
            (self._trial.folder / "stop").touch()
            self.say(f"stream has stopped with {job.wait(LONGEST_DRAIN)}")
            (self._trial.folder / "stop").unlink()
        self._trial.drain(lambda: self._start("availableNow"), LONGEST_DRAIN)
        result = count(self._sender.committed, self._trial.landed(), self._sender.in_doubt)
        self.say(f"{self._kills} kills, {self._starts} starts, dead letters {self._trial.depth('DLQ')}")
        self.say(f"in doubt when the broker died: {len(self._sender.in_doubt)}; sent counts those that landed")
        self.say(str(result))
        return result

    def close(self) -> None:
        """Leave nothing running."""
        self._sender.stop()
        self._trial.close()
        self._transport.close()
        self._broker.stop()
        assert not [pid for job in self._trial.jobs for pid in family(job.mark)]


def _terminated(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument(
        "--mode", choices=tuple(VICTIMS), default="spark", help="real Spark and Delta, or its loop only"
    )
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="spark-jms-chaos-"))
    print(f"seed {given.seed}, mode {given.mode}, {given.seconds:g} s, everything in {folder}", flush=True)
    chaos = Chaos(folder, given.seed, given.mode)
    try:
        exact = chaos.run(given.seconds).exact
    finally:
        chaos.close()
    print("exactly once" if exact else f"NOT EXACT: look into {folder}", flush=True)
    if exact:
        shutil.rmtree(folder)
    return 0 if exact else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(main())
