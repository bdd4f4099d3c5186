from __future__ import annotations

import pytest

from stt_daemon.audio.device_names import InputDevice, find_device, human_name, input_devices, is_monitor
from stt_daemon.audio.portaudio import list_devices
from stt_daemon.errors import AudioError
from tests.fakes.audio_device import FakeDevice, FakePortAudio
from tests.fakes.clock import FakeClock

NAMES = ["Built-in Microphone", "USB Headset", "USB Headset Pro", "Monitor of Built-in Speakers"]


def listed(*names: str) -> list[InputDevice]:
    return list_devices(FakePortAudio(FakeClock(), [FakeDevice(name) for name in names]))


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ("HDA Intel PCH: ALC257 Analog (hw:0,0)", "HDA Intel PCH: ALC257 Analog"),
        ("default", "System default"),
        ("pulse", "PulseAudio"),
        ("Mic \x1b[31mred\x1b[0m\r\n", "Mic [31mred [0m"),
        ("", "unnamed device"),
        ("Mikrofon (2- Röde)", "Mikrofon (2- Röde)"),
    ],
)
def test_names_are_what_a_person_recognises(raw: str, human: str) -> None:
    assert human_name(raw) == human


@pytest.mark.parametrize(
    ("name", "monitor"),
    [
        ("Monitor of Built-in Audio Analog Stereo", True),
        ("alsa_output.pci.analog-stereo.monitor", True),
        ("Speakers (Realtek) [Loopback]", True),
        ("Stereo Mix (Realtek)", True),
        ("BlackHole 2ch", True),
        ("USB Headset", False),
        ("Monitoring-free Mic", False),
    ],
)
def test_loopback_sources_are_marked(name: str, monitor: bool) -> None:
    assert is_monitor(name) is monitor


def test_output_devices_are_left_out_and_the_default_is_marked() -> None:
    infos = [
        {"name": "Speakers", "hostapi": 0, "max_input_channels": 0, "default_samplerate": 48000.0},
        {"name": "Mic", "hostapi": 0, "max_input_channels": 2, "default_samplerate": 44100.0},
    ]
    (device,) = input_devices(infos, [{"name": "ALSA"}], default_index=1)
    assert device == InputDevice("Mic", 1, True, False, 2, 44_100, "ALSA")


def test_equal_names_are_told_apart() -> None:
    assert [device.name for device in listed("Cam", "Cam", "Mic")] == ["Cam", "Cam #2", "Mic"]
    assert find_device(listed("Cam", "Cam", "Mic"), "cam #2").index == 1


def test_an_exact_name_wins_over_a_longer_one_that_holds_it() -> None:
    assert find_device(listed(*NAMES), "usb headset").name == "USB Headset"


def test_a_part_of_a_name_is_enough_when_only_one_has_it() -> None:
    assert find_device(listed(*NAMES), "PRO").name == "USB Headset Pro"


def test_an_ambiguous_name_is_an_error_that_lists_the_candidates() -> None:
    with pytest.raises(AudioError, match="USB Headset, USB Headset Pro") as caught:
        find_device(listed(*NAMES), "head")
    assert caught.value.code == "ambiguous_device"


def test_a_missing_name_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(AudioError, match=r"'Yeti'.*Built-in Microphone, USB Headset") as caught:
        find_device(listed(*NAMES), "Yeti")
    assert caught.value.code == "no_device"


def test_the_same_device_in_two_host_apis_is_taken_from_that_of_the_default() -> None:
    devices = list_devices(
        FakePortAudio(
            FakeClock(),
            [
                FakeDevice("Headset", hostapi=0),
                FakeDevice("Built-in", hostapi=1),
                FakeDevice("Headset", hostapi=1),
            ],
            default=1,
        )
    )
    assert find_device(devices, "headset").host_api == "JACK"
