"""A private companion for meetings and desk work that lives in a terminal.

A spoken word enters in `audio`, becomes a segment on disk, passes the whisper lane in `lanes` and is
written by `apps.transcription` to the journal in `sessions`; everybody else learns of it by a message.
"""

__version__ = "0.1.0"
