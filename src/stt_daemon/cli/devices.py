"""`stt-daemon devices`: what can be recorded from."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stt_daemon.cli._native import native_noise_hidden
from stt_daemon.cli._shared import config_option, load


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON array.")
@config_option
def command(as_json: bool, config_path: Path | None) -> None:
    """List the audio inputs: the default has a star, monitors hear what the computer plays."""
    from stt_daemon.apps.oneshot.devices import devices_data, devices_lines
    from stt_daemon.audio.portaudio import list_devices

    if config_path is not None:
        load(config_path)  # nothing in it matters here, but a path that is wrong should not pass
    with native_noise_hidden():
        devices = list_devices()
    if not devices:
        click.echo("no input device", err=True)
    if as_json:
        click.echo(json.dumps(devices_data(devices), ensure_ascii=False, indent=2))
        return
    for line in devices_lines(devices):
        click.echo(line)
