"""The time zone in which times are said: a named one, or that of this machine. Pure but for the zone data."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from stt_daemon.errors import ConfigError


class SystemZone(tzinfo):
    """The machine's own zone with its rules for summer time, which a fixed offset would not have."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else self._local(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else self._local(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        local = moment.replace(tzinfo=timezone.utc).astimezone()
        return local.replace(tzinfo=self)

    @staticmethod
    def _local(moment: datetime) -> datetime:
        return moment.replace(tzinfo=None).astimezone()


def zone_named(name: str) -> tzinfo:
    """The zone with an IANA name such as "Europe/Vienna", the machine's own for "". Raises ConfigError."""
    if not name:
        return SystemZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"there is no time zone {name!r}", mend="use a name such as Europe/Vienna"
        ) from error
