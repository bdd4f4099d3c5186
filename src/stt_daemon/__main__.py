"""`python -m stt_daemon` is `stt-daemon`."""

from stt_daemon.cli import entry

if __name__ == "__main__":
    entry()
