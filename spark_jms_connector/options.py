"""Every option of the source, declared once: name, type, default, secrecy and meaning; the rest is derived."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from spark_jms_connector import option_types as types
from spark_jms_connector.providers import PROVIDERS

SECRET = "********"
SUBSCRIPTIONS = ("nonDurable", "durable", "shared", "sharedDurable")
DEFAULT_RECEIVERS = 2
STOMP = ("stomp://", "stomp+ssl://")
_SECRET_WORDS = ("password", "secret", "token", "credential", "key")


def option(parse: types.Parser, doc: str, default: Any = None, shown: str | None = None, secret: bool = False) -> Any:
    """Declare one option: how its text is read, what it means, its default and how that is written."""
    return field(
        default=default, metadata={"parse": parse, "doc": doc, "shown": shown, "secret": secret}, repr=not secret
    )


@dataclass(frozen=True, repr=False)
class SourceOptions:
    """The options of ``readStream.format("jms")``, parsed and checked."""

    provider: str | None = option(
        types.choice(*PROVIDERS), "The broker's JMS client by name: brings its library, factory class and known limits."
    )
    url: str | None = option(
        types.url, "Where the broker is, e.g. `tcp://host:61616`; several, separated by commas, are tried in turn."
    )
    queue: str | None = option(
        types.text, "The queue to read; several, separated by commas, are read side by side into one stream."
    )
    topic: str | None = option(types.text, "The topic to read, through a `subscription`.")
    subscription: str | None = option(
        types.choice(*SUBSCRIPTIONS),
        "How the topic is read. `durable`: the broker keeps messages while the stream is down, for one receiver;"
        " `sharedDurable`: the same for many; `nonDurable` and `shared`: what is published meanwhile is gone.",
    )
    subscription_name: str | None = option(
        types.subscription_name, "The name of the subscription; needed for all kinds but `nonDurable`."
    )
    no_local: bool = option(
        types.boolean,
        "Leave out what was published over this client id (`durable`) or this connection (`nonDurable`).",
        False,
    )
    allow_data_loss: bool = option(
        types.boolean, "Accept a subscription that loses what is published while the stream is down.", False
    )
    selector: str | None = option(
        types.text, "A JMS selector; the broker delivers only what matches, the rest stays on the queue."
    )
    where: str | None = option(
        types.text,
        "The same as a Spark SQL predicate over the schema's columns, translated to a selector; what has no exact one"
        " is refused. Not with `selector`.",
    )
    time_zone: str | None = option(
        types.time_zone,
        "The Spark session's time zone (`spark.sql.session.timeZone`), for times in `where` that name none.",
    )
    user: str | None = option(types.text, "The user name to log in with; none: as the client does by itself.")
    password: str | None = option(
        str,
        "The password. Prefer `passwordFile` or `passwordEnv`: an option travels with the query's plan.",
        secret=True,
    )
    password_file: str | None = option(
        types.text, "A file on the driver that holds the password; read again at every connect, so it may be rotated."
    )
    password_env: str | None = option(types.text, "An environment variable of the driver that holds the password.")
    client_id: str | None = option(
        types.text, "The JMS client id of the connection; allows one receiver only. Needed for `durable`."
    )
    trust_store: str | None = option(
        types.text, "Whom to trust over TLS: a Java key store with the authority's certificate; PEM for STOMP."
    )
    trust_store_password: str | None = option(str, "The password of `trustStore`.", secret=True)
    key_store: str | None = option(
        types.text, "The client's own certificate and key, where the broker asks for them; PEM for STOMP."
    )
    key_store_password: str | None = option(str, "The password of `keyStore`.", secret=True)
    verify_host_name: bool = option(
        types.boolean, "Whether the broker's certificate must be for the host that `url` names.", True
    )
    jars: tuple[str, ...] = option(types.names, "Paths of the JMS client's jars, separated by commas.", ())
    packages: tuple[str, ...] = option(
        types.names, "Maven coordinates of a JMS client (`group:artifact:version`), separated by commas.", ()
    )
    connection_factory: str | None = option(
        types.text,
        "The client's ConnectionFactory class, built with `connection.*` as bean properties; with `jndi.*` the name"
        " under which it is found.",
    )
    journal: str | None = option(
        types.text,
        "Folder or URI of the journal: storage that the driver and all executors see, consistent in reads and lists"
        " after writes. Required. One journal per query.",
    )
    acknowledge: str = option(
        types.choice("onCommit", "onJournal"),
        "When the broker may forget a message: once its micro-batch is in Spark's commit log, or as soon as it is"
        " in the journal (for brokers with a small unacknowledged window, and for long micro-batches). Exactly once"
        " holds in both.",
        "onCommit",
    )
    receivers: int | None = option(
        types.count(),
        "Sessions that receive side by side, for each queue. 1 keeps the order, and is all that a `clientId` or an"
        " unshared subscription allows; more keep receiving while others wait.",
        shown=str(DEFAULT_RECEIVERS),
    )
    prefetch: int | None = option(
        types.count(), "Messages the broker may send ahead per receiver. A kill raises the delivery count of them all."
    )
    max_messages_per_trigger: int | None = option(types.count(), "Most messages in one micro-batch.")
    max_bytes_per_trigger: int | None = option(
        types.size, "Most bytes in one micro-batch; at least one segment is taken."
    )
    min_messages_per_trigger: int | None = option(
        types.count(), "Wait for this many before starting a micro-batch, but no longer than `maxTriggerDelay`."
    )
    max_trigger_delay: float = option(types.duration, "Longest wait for `minMessagesPerTrigger`.", 60.0, "60s")
    segment_max_messages: int = option(
        types.count(), "A segment of the journal is closed at this many messages.", 50_000
    )
    segment_max_bytes: int = option(
        types.size,
        "A segment of the journal is closed at this size; a larger message gets one of its own.",
        64 * 2**20,
        "64m",
    )
    segment_compression: str = option(
        types.choice("none", "lz4", "zstd"), "Compression of segments: less storage for more CPU.", "none"
    )
    receive_timeout: float = option(
        types.duration, "How long a receiver waits before it takes the queue for empty.", 0.2, "200ms"
    )
    reconnect_timeout: float = option(
        types.duration,
        "How long a lost broker, or failing journal storage, is retried before the query fails.",
        300.0,
        "5m",
    )
    mode: str = option(
        types.choice("PERMISSIVE", "DROPMALFORMED", "FAILFAST"),
        "What happens to a message that does not fit the schema: NULLs (and the raw message in"
        " `columnNameOfCorruptRecord`), dropped, or an error.",
        "PERMISSIVE",
    )
    column_name_of_corrupt_record: str = option(
        types.text, "The STRING column that gets the raw message, if the schema has it.", "_corrupt_record"
    )
    dead_letter_queue: str | None = option(
        types.text,
        "Where a message goes that cannot even be journaled (no id, unreadable body), with the reason, in the"
        " transaction that acknowledges it. Without it such a message stops the query.",
    )
    dedup_key: str | None = option(
        types.text, "A property (or `JMSCorrelationID`) that identifies a message where `JMSMessageID` does not."
    )
    parse_text: bool | None = option(
        types.boolean,
        "Read text properties into number and boolean columns, by JMS' rules. Over STOMP all properties are text,"
        " so there it is on.",
        shown="false",
    )
    on_new_checkpoint: str | None = option(
        types.choice("continue", "replay"),
        "What a new checkpoint over a used journal gets: only what was never handed out, or again all that is not"
        " known to have landed. Unset: an error.",
    )
    keep_acknowledged_ids: int = option(
        types.count(0), "Compare with this many acknowledged messages too, for brokers that may forget a commit.", 0
    )
    allow_subscription_reset: bool = option(
        types.boolean, "Accept another destination, subscription or selector than the journal was made for.", False
    )
    helper_memory: int = option(types.memory, "Heap of the Java helper process.", 512 * 2**20, "512m")
    connection: Mapping[str, str] = field(default_factory=dict, metadata={"doc": "Bean properties of the factory."})
    jndi: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"doc": "The JNDI environment in which `connectionFactory` is looked up, e.g. `jndi.java.naming.…`."},
    )
    storage: Mapping[str, str] = field(default_factory=dict, metadata={"doc": "Options of the journal's storage."})

    @property
    def stomp(self) -> bool:
        """Whether the broker is reached over STOMP, without Java."""
        return (self.url or "").startswith(STOMP)

    @property
    def memory(self) -> bool:
        """Whether the broker is the one in memory."""
        return (self.url or "").startswith("memory://")

    @property
    def single(self) -> bool:
        """Whether JMS allows one consumer only."""
        return self.client_id is not None or self.subscription in ("nonDurable", "durable")

    @property
    def parses_text(self) -> bool:
        """Whether text properties are read into number and boolean columns."""
        return self.stomp if self.parse_text is None else self.parse_text

    @property
    def receivers_each(self) -> int:
        """How many receivers every destination gets."""
        return self.receivers or (1 if self.single else DEFAULT_RECEIVERS)

    def __repr__(self) -> str:
        shown = ", ".join(f"{spark_name(f.name)}={_masked(f, getattr(self, f.name))}" for f in fields(self))
        return f"SourceOptions({shown})"


def spark_name(python_name: str) -> str:
    """``max_bytes_per_trigger`` as users write it: ``maxBytesPerTrigger``."""
    head, *rest = python_name.split("_")
    return head + "".join(word.capitalize() for word in rest)


DECLARED = {spark_name(f.name).lower(): f for f in fields(SourceOptions) if "parse" in f.metadata}


def secret_name(name: str) -> bool:
    """Whether a free-form option (``connection.*`` …) looks like it holds a secret."""
    return any(word in name.lower() for word in _SECRET_WORDS)


def _masked(declared: Any, value: Any) -> str:
    if isinstance(value, Mapping):
        return repr({k: SECRET if secret_name(k) else without_secrets(v) for k, v in value.items()})
    if declared.metadata.get("secret") and value is not None:
        return SECRET
    return repr(without_secrets(value) if isinstance(value, str) else value)


def without_secrets(text: str) -> str:
    """A text with the passwords masked that a url in it holds, as ``//user:password@`` or ``?password=…``."""
    text = re.sub(r"(//[^/@\s:]*:)[^/\s]*@", rf"\1{SECRET}@", text)
    return re.sub(r"([?&;]([\w.]+)=)[^&;,)\s]*", lambda m: m[1] + SECRET if secret_name(m[2]) else m[0], text)
