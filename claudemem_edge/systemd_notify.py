"""READY, WATCHDOG, STOPPING; silent outside systemd."""
