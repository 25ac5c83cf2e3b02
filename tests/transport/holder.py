"""A process that holds received messages until it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from typing import Any

from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from tests.transport.harness import PLENTY, Bed

HOLDING = "holding\n"


def kill_a_holder(bed: Bed, spec: ConsumerSpec, count: int) -> None:
    """Have another process receive so many messages, and kill it before it commits."""
    arguments = [json.dumps(bed.child_options()), json.dumps(asdict(bed.identified(spec))), str(count)]
    command = [sys.executable, "-m", __name__, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ.copy()) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == HOLDING
        finally:
            child.send_signal(signal.SIGKILL)


def spec_of(given: dict[str, Any]) -> ConsumerSpec:
    destination, subscription = Destination(**given.pop("destination")), given.pop("subscription")
    return ConsumerSpec(destination, subscription=subscription and Subscription(**subscription), **given)


def hold(options: str, spec: str, count: str) -> None:
    consumer = open_transport(SourceOptions(**json.loads(options))).open_consumer(spec_of(json.loads(spec)))
    rows = 0
    while rows < int(count):
        rows += consumer.receive(int(count) - rows, PLENTY, 10).batch.num_rows
    print(HOLDING, end="", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    hold(*sys.argv[1:])
