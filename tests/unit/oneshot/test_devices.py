from __future__ import annotations

from stt_daemon.audio.device_names import InputDevice

from stt_daemon.apps.oneshot.devices import devices_data, devices_lines

HEADSET = InputDevice("Røde NT-USB", 3, True, False, 1, 48000, "ALSA")
MONITOR = InputDevice("Monitor of Speakers", 5, False, True, 2, 44100, "PulseAudio")


def test_lines_mark_the_default_and_monitors() -> None:
    assert devices_lines([HEADSET, MONITOR]) == [
        "* Røde NT-USB (1 channel, 48000 Hz, ALSA, default)",
        "  Monitor of Speakers (2 channels, 44100 Hz, PulseAudio, monitor: what the computer plays)",
    ]


def test_data_holds_every_field() -> None:
    assert devices_data([HEADSET]) == [
        {
            "name": "Røde NT-USB",
            "index": 3,
            "default": True,
            "monitor": False,
            "channels": 1,
            "rate": 48000,
            "host_api": "ALSA",
        }
    ]


def test_a_devices_name_cannot_steer_the_terminal() -> None:
    nasty = InputDevice("\x1b[2J mic\u202e", 0, False, False, 1, 16000, "\x07API")
    assert devices_lines([nasty]) == ["  [2J mic (1 channel, 16000 Hz, API)"]
    assert devices_data([nasty])[0]["name"] == "[2J mic"


def test_no_device_is_an_empty_list() -> None:
    assert devices_lines([]) == []
    assert devices_data([]) == []
