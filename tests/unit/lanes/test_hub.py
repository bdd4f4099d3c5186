"""The hub's library, asked for what is on disk only."""

from __future__ import annotations

from pathlib import Path

import pytest

from stt_daemon.lanes.hub import HuggingFaceHub

REPOSITORY = "Systran/faster-whisper-tiny"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return tmp_path / "models--Systran--faster-whisper-tiny"


def test_an_empty_cache_has_no_model(cache: Path) -> None:
    assert HuggingFaceHub().cached(REPOSITORY) is None


def test_a_snapshot_on_disk_is_found_although_parts_are_missing(cache: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs" / "main").write_text(commit)
    snapshot = cache / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "model.bin").write_bytes(b"weights")
    found = HuggingFaceHub().cached(REPOSITORY)
    assert found is not None
    assert found.resolve() == snapshot.resolve()
