from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.apps.oneshot.doctor import (
    Check,
    Configured,
    Doctor,
    Terminal,
    bundled_clip,
    check_lines,
    checks_data,
)
from stt_daemon.audio.device_names import InputDevice
from stt_daemon.config import Config
from stt_daemon.errors import AudioError, ErrorRecord, LlmError, ModelError, SttDaemonError
from stt_daemon.wiring.probes import LevelProbe, LlmServer, LoadedModel, Probes, build_probes
from tests.fakes.clock import FakeClock

NAMES = [
    "python",
    "portaudio",
    "audio devices",
    "level",
    "model",
    "speed",
    "llm",
    "laya",
    "disk",
    "terminal",
    "configuration",
]
HEADSET = InputDevice("Headset", 0, True, False, 1, 48000, "ALSA")
TERMINAL = Terminal(is_tty=True, term="xterm-256color", columns=100, lines=30, encoding="utf-8")


class Machine:
    """A healthy machine whose parts a test replaces; its model takes `work_s` for 10 s of speech."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.work_s = 2.0
        self.asked_level = False
        self.probes = Probes(
            portaudio=lambda: "PortAudio V19",
            devices=lambda: [HEADSET],
            level=self._level,
            model=lambda: LoadedModel("tiny.en", self._transcribe),
            llm=lambda: LlmServer("http://127.0.0.1:8080/v1", "llama.cpp", "tiny", 8192),
            laya=lambda: "",
        )
        self.options: dict[str, Any] = {
            "sessions_dir": folder / "not" / "yet",
            "python": (3, 11, 4),
            "terminal": TERMINAL,
            "configured": Configured("config.toml"),
        }

    def _level(self) -> LevelProbe:
        self.asked_level = True
        return LevelProbe("Headset", -32.4, digital_silence=False, clipping=False)

    def _transcribe(self, clip: Path) -> float:
        assert clip == Path("clip.wav")
        self.clock.advance(self.work_s)
        return 10.0

    def checks(self) -> dict[str, Check]:
        found = Doctor(self.probes, clock=self.clock, clip=Path("clip.wav"), **self.options).run()
        assert [check.name for check in found] == NAMES
        return {check.name: check for check in found}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def raising(error: Exception) -> Callable[[], Any]:
    def probe() -> Any:
        raise error

    return probe


def test_a_healthy_machine_is_ok_throughout(machine: Machine) -> None:
    checks = machine.checks()
    assert {name: check.message for name, check in checks.items() if check.status != "ok"} == {}
    assert checks["speed"].message == "0.20 s of work for a second of speech"
    assert checks["level"].message == "Headset: -32 dBFS"
    assert checks["audio devices"].message == "1 input device, default: Headset"


def test_missing_portaudio_fails_with_its_mend_and_the_rest_goes_on(machine: Machine) -> None:
    missing = AudioError("PortAudio cannot be used", mend="apt-get install libportaudio2")
    machine.probes = replace(machine.probes, portaudio=raising(missing), devices=raising(missing))
    checks = machine.checks()
    assert checks["portaudio"] == Check("portaudio", "fail", str(missing), missing.mend)
    assert checks["audio devices"].status == "warn"
    assert checks["level"].status == "warn"
    assert checks["model"].status == "ok"
    assert not machine.asked_level


def test_no_microphone_is_a_warning(machine: Machine) -> None:
    machine.probes = replace(machine.probes, devices=list)
    checks = machine.checks()
    assert checks["audio devices"].status == "warn"
    assert checks["level"] == Check("level", "warn", "not measured: there is no input device")
    assert not machine.asked_level


@pytest.mark.parametrize(
    ("probe", "status", "words"),
    [
        (LevelProbe("M", -120.0, digital_silence=True, clipping=False), "warn", "muted or no permission"),
        (LevelProbe("M", -3.0, digital_silence=False, clipping=True), "warn", "clipping"),
        (LevelProbe("M", -80.0, digital_silence=False, clipping=False), "warn", "almost silent"),
        (LevelProbe("M", -55.0, digital_silence=False, clipping=False), "ok", "-55 dBFS"),
    ],
)
def test_the_level_is_judged(machine: Machine, probe: LevelProbe, status: str, words: str) -> None:
    machine.probes = replace(machine.probes, level=lambda: probe)
    check = machine.checks()["level"]
    assert check.status == status
    assert words in check.message


def test_a_missing_model_fails_and_leaves_the_speed_unknown(machine: Machine) -> None:
    machine.probes = replace(machine.probes, model=raising(ModelError("no such model", mend="install it")))
    checks = machine.checks()
    assert checks["model"] == Check("model", "fail", "no such model", "install it")
    assert checks["speed"].status == "warn"


def test_a_slow_model_is_a_warning(machine: Machine) -> None:
    machine.work_s = 12.0
    check = machine.checks()["speed"]
    assert check.status == "warn"
    assert check.message.startswith("1.20 s of work")


def test_a_check_that_breaks_is_a_finding(machine: Machine) -> None:
    machine.probes = replace(machine.probes, level=raising(RuntimeError("odd \x1b[31m")))
    checks = machine.checks()
    assert checks["level"] == Check("level", "fail", "RuntimeError: odd [31m", "")
    assert checks["configuration"].status == "ok"


@pytest.mark.parametrize(("free", "status"), [(50e6, "fail"), (500e6, "warn"), (500e9, "ok")])
def test_room_on_the_disk_is_judged(machine: Machine, free: float, status: str) -> None:
    machine.options["free_bytes"] = lambda _: int(free)
    assert machine.checks()["disk"].status == status


def test_a_sessions_directory_that_cannot_be_made_fails(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    machine.options["sessions_dir"] = tmp_path / "file" / "sessions"
    check = machine.checks()["disk"]
    assert check.status == "fail"
    assert str(tmp_path / "file") in check.message


@pytest.mark.parametrize(
    ("terminal", "status"),
    [
        (replace(TERMINAL, is_tty=False, term=""), "ok"),
        (replace(TERMINAL, term="dumb"), "warn"),
        (replace(TERMINAL, encoding="ascii"), "warn"),
        (replace(TERMINAL, encoding="UTF8"), "ok"),
        (replace(TERMINAL, columns=20), "warn"),
    ],
)
def test_the_terminal_is_judged(machine: Machine, terminal: Terminal, status: str) -> None:
    machine.options["terminal"] = terminal
    assert machine.checks()["terminal"].status == status


@pytest.mark.parametrize(
    ("version", "status"), [((3, 10, 0), "ok"), ((3, 13, 9), "ok"), ((3, 14, 0), "warn")]
)
def test_the_python_version_is_judged(machine: Machine, version: tuple[int, int, int], status: str) -> None:
    machine.options["python"] = version
    assert machine.checks()["python"].status == status


def test_a_broken_configuration_fails_and_warnings_warn(machine: Machine) -> None:
    machine.options["configured"] = Configured(
        error=ErrorRecord("config", "[vad] threshold = 2", "use 0 to 1")
    )
    assert machine.checks()["configuration"] == Check(
        "configuration", "fail", "[vad] threshold = 2", "use 0 to 1"
    )
    machine.options["configured"] = Configured("config.toml", ("unknown key [vad] treshold",))
    assert machine.checks()["configuration"].status == "warn"
    machine.options["configured"] = Configured()
    assert machine.checks()["configuration"].message == "no file, defaults"


def test_lines_are_aligned_and_data_is_complete() -> None:
    checks = [Check("python", "ok", "Python 3.11"), Check("disk", "fail", "full", "make room")]
    assert [line for check in checks for line in check_lines(check, 6)] == [
        "ok    python  Python 3.11",
        "fail  disk    full",
        "              -> make room",
    ]
    assert checks_data(checks)["checks"][0] == {
        "name": "python",
        "status": "ok",
        "message": "Python 3.11",
        "mend": "",
    }


def test_the_bundled_clip_is_a_wave_file() -> None:
    with bundled_clip() as path:
        assert path.read_bytes()[:4] == b"RIFF"


def test_a_language_model_is_told_with_its_context(machine: Machine) -> None:
    check = machine.checks()["llm"]
    assert check.status == "ok"
    assert check.message == ("llama.cpp at http://127.0.0.1:8080/v1, model tiny, context of 8192 tokens")


def test_no_language_model_is_a_warning_since_all_else_works_without(machine: Machine) -> None:
    machine.probes = replace(machine.probes, llm=raising(LlmError("nobody answers", mend="start it")))
    assert machine.checks()["llm"] == Check("llm", "warn", "nobody answers", "start it")


def test_an_unknown_context_is_a_warning_with_its_mend(machine: Machine) -> None:
    server = LlmServer("http://h/v1", "other", "", None)
    machine.probes = replace(machine.probes, llm=lambda: server)
    check = machine.checks()["llm"]
    assert check.status == "warn"
    assert "context_tokens" in check.mend


def test_triage_that_is_off_is_fine_and_one_that_lacks_something_is_a_warning(machine: Machine) -> None:
    assert machine.checks()["laya"] == Check("laya", "ok", "triage is switched off")
    machine.probes = replace(machine.probes, laya=lambda: "Laya, 8 questions")
    assert machine.checks()["laya"] == Check("laya", "ok", "Laya, 8 questions")
    missing = ModelError("model.safetensors is missing", mend="copy it again")
    machine.probes = replace(machine.probes, laya=raising(missing))
    assert machine.checks()["laya"] == Check("laya", "warn", "model.safetensors is missing", "copy it again")


def test_the_real_probe_names_what_triage_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert build_probes(Config()).laya() == ""
    config = Config.model_validate({"triage": {"enabled": True}})
    with pytest.raises(SttDaemonError, match=r"laya is not installed|questions\.json"):
        build_probes(config).laya()
