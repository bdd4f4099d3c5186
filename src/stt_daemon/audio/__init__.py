"""Hearing: devices, files and raw sound in; segments on disk, states and warnings out.

Imports nothing by itself, so that asking for one part does not load the others:

- `listener`: the thread that ties it all together, its events in `events`
- `microphone`, `file_source`, `raw_source`: the sources, their contract in `blocks`
- `portaudio`, `device_names`, `probe`: which devices there are, and whether one hears something
- `decode`: whole files for offline work
- `repair`, `wav`: what is on disk, also after a crash
- `vad`, `segmenter`: where speech is
"""
