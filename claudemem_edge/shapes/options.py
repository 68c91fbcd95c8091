"""What each part may be told: one small frozen class a part. Values come from `defaults.toml` through `settings`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class MemoryOptions:
    """Caps and clocks of one memory."""

    scope_bytes: int = 1 << 20
    clean_every_turns: int = 50
    decay_per_turn: float = 0.95
    clean_below_weight: float = 0.3
    question_s: float = 60.0
    limit_chars: int = 220
    max_text_chars: int = 2000


@dataclass(slots=True, frozen=True)
class SessionOptions:
    """How many memories there may be, and when they end."""

    all_bytes: int = 24 << 20
    max_scopes: int = 256
    visit_pattern: str = "visit-*"
    visit_idle_s: float = 600.0


@dataclass(slots=True, frozen=True)
class TurnOptions:
    """Deadlines and queues of turns."""

    deadline_s: float = 60.0
    queue_per_model: int = 16
    queue_per_scope: int = 4
    delta_queue: int = 64
    stuck_reader_s: float = 5.0
    stop_grace_s: float = 2.0
    history: str = "grow"
    """none, grow or slide: what our own doors send along of earlier turns."""


@dataclass(slots=True, frozen=True)
class ModelOptions:
    """Where language models are. `urls`: http://host:port or unix:/path, tried in order."""

    urls: tuple[str, ...] = ("http://127.0.0.1:11434",)
    name: str = ""
    profile: str = ""
    keep_alive: str = "30m"
    """How long the server keeps the model loaded after an answer; empty: as it likes."""
    connect_timeout_s: float = 3.0
    first_token_timeout_s: float = 120.0
    token_timeout_s: float = 30.0
    check_every_s: float = 10.0
    """How often it is looked whether the model is still there while nobody asks it anything."""
    echo: bool = False
    """Answer with the block and the question themselves: for trying things out without a model."""


@dataclass(slots=True, frozen=True)
class HttpOptions:
    """The HTTP door. `socket` empty: the shared rule finds it. `tokens`: token → scopes it may use ("*" for all)."""

    socket: str = ""
    socket_group: str = "claudemem"
    tcp: bool = True
    tcp_host: str = "127.0.0.1"
    tcp_port: int = 11535
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    tokens: tuple[tuple[str, tuple[str, ...]], ...] = ()
    require_scope: bool = False
    relay_admin: bool = False
    max_connections: int = 128
    header_timeout_s: float = 5.0
    body_timeout_s: float = 30.0
    max_body_bytes: int = 1 << 20


@dataclass(slots=True, frozen=True)
class MqttOptions:
    """The MQTT door. `socket` (a broker's Unix listener) wins over host and port."""

    enabled: bool = False
    host: str = "127.0.0.1"
    port: int = 1883
    socket: str = ""
    username: str = ""
    password_file: str = ""
    instance: str = "home"
    max_payload_bytes: int = 16 << 10
    queue: int = 32
    outbox: int = 256
    reply_expiry_s: int = 60
    deduplicate_s: float = 300.0
    reconnect_first_s: float = 0.5
    reconnect_most_s: float = 8.0
    health_every_s: float = 60.0


@dataclass(slots=True, frozen=True)
class AlarmOptions:
    """When reminders sound. `quiet` is "22:00-07:00" or empty."""

    repeat_every_s: float = 300.0
    repeat_most: int = 3
    quiet: str = ""
