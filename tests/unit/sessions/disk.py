"""Disks that misbehave, through the seam where the real write goes in."""

from __future__ import annotations

import errno
import os


class FullDisk:
    """Takes `room` bytes, then says what a full disk says."""

    def __init__(self, room: int) -> None:
        self.room = room

    def __call__(self, descriptor: int, data: bytes) -> int:
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = os.write(descriptor, data[: self.room])
        self.room -= taken
        return taken


class Chopped:
    """Writes a few bytes at a time, as a system under pressure may."""

    def __call__(self, descriptor: int, data: bytes) -> int:
        return os.write(descriptor, data[:7])
