"""Where a model can run: devices and number formats, best first, and what to try when one fails.

Pure functions; any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

Trouble = Literal["compute_type", "cuda", "memory"]


@dataclass(frozen=True)
class Placement:
    """A device ("cpu" or "cuda") and a number format that CTranslate2 knows ("int8", "float16", ...)."""

    device: str
    compute_type: str

    def __str__(self) -> str:
        return f"{self.compute_type} on {self.device}"


# Best first. On a processor int8 is the fastest and as accurate for Whisper; on a GPU half floats are, and
# their mixture with int8 needs about half the memory.
_PREFERRED = {
    "cuda": ("float16", "int8_float16", "bfloat16", "int8_bfloat16", "int8", "int8_float32", "float32"),
    "cpu": ("int8", "int8_float32", "int16", "float32"),
}


def places(
    device: str, compute_type: str, *, gpus: int, supported: Callable[[str], Collection[str]]
) -> tuple[tuple[Placement, ...], str]:
    """All places to try in order, and one line about what was asked for and cannot be had ("" if nothing).

    `device` is auto, cpu or cuda, `compute_type` auto, default or a format. `gpus` counts the usable ones;
    `supported(device)` names a device's formats. The processor is always among the places.
    """
    wish = "auto" if compute_type == "default" else compute_type
    devices = ["cpu"] if device == "cpu" or gpus == 0 else ["cuda", "cpu"]
    notes: list[str] = []
    if device == "cuda" and gpus == 0:
        notes.append("no usable CUDA device was found; transcribing on the processor")
    found: list[Placement] = []
    for name in devices:
        has = supported(name)
        formats = [known for known in _PREFERRED[name] if known in has] or ["default"]
        if wish != "auto":
            if wish in has:
                formats = [wish, *(known for known in formats if known != wish)]
            elif name == devices[0]:
                notes.append(f"{wish} is not supported on {name}; using {formats[0]}")
        found += [Placement(name, known) for known in formats]
    return tuple(found), "; ".join(notes)


def next_place(all_places: Sequence[Placement], failed: Placement, trouble: Trouble) -> Placement | None:
    """Where to try again after `failed`; None when there is nowhere left."""
    later = list(all_places[all_places.index(failed) + 1 :])
    if trouble == "cuda":
        later = [place for place in later if place.device != "cuda"]
    elif trouble == "memory":
        # Once in the smaller format on the same device; other formats of the same size would fail too.
        smaller = [p for p in later if p.device == failed.device and "int8" in p.compute_type]
        elsewhere = [p for p in later if p.device != failed.device]
        later = elsewhere if "int8" in failed.compute_type else smaller + elsewhere
    return later[0] if later else None


_MEMORY = ("out of memory", "bad_alloc", "alloc_failed", "cannot allocate memory", "failed to allocate")
_CUDA = ("cuda", "cublas", "cudnn", "cudart", "nvrtc", "libnv")


def trouble_of(error: BaseException, device: str) -> Trouble | None:
    """What kind of trouble with its place an exception of CTranslate2 tells; None for any other error.

    It raises plain RuntimeError and ValueError, so their texts are all there is to go by.
    """
    text = str(error).casefold()
    if isinstance(error, MemoryError) or any(word in text for word in _MEMORY):
        return "memory"
    if not isinstance(error, (RuntimeError, ValueError, OSError)):
        return None
    if "compute type" in text:
        return "compute_type"
    if device == "cuda" and any(word in text for word in _CUDA):
        return "cuda"
    return None
