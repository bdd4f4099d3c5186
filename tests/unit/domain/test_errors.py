"""Errors as data."""

from __future__ import annotations

from stt_daemon.errors import AudioError, ErrorRecord


def test_an_error_of_ours_keeps_its_code_message_and_mend() -> None:
    try:
        raise AudioError("no input device", mend="plug one in") from OSError(5)
    except AudioError as error:
        record = ErrorRecord.of(error)
    assert (record.code, record.message, record.mend) == ("audio", "no input device", "plug one in")
    assert record.line() == "no input device (plug one in)"
    assert "OSError" in record.detail


def test_a_foreign_error_is_named_by_its_type() -> None:
    record = ErrorRecord.of(ZeroDivisionError("x"))
    assert record.code == "unexpected"
    assert record.line() == "ZeroDivisionError: x"
