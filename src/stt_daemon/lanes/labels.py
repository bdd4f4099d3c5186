"""Tells a sound label ("[BLANK_AUDIO]", "(upbeat music)", "♪") from words that somebody said.

Pure functions; any thread.
"""

from __future__ import annotations

import re

from stt_daemon.lanes.words import normalise, units

_BRACKETED = re.compile(
    r"\[([^\[\]]*)\]|\(([^()]*)\)|\{([^{}]*)\}|<([^<>]*)>|\*+([^*]*)\*+|[♩♪♫♬🎵🎶]+([^♩♪♫♬🎵🎶]*)[♩♪♫♬🎵🎶]+"
    r"|【([^【】]*)】|（([^（）]*)）|［([^［］]*)］|〔([^〔〕]*)〕"
)

# Stems of what captions call sounds, silence, and unknown speech. A stem stands for all words that start
# with it, or that contain it where the script has no spaces.
_STEMS = """
    music musik musique músic musiqi musiikki muzi muzyk müzik hudb glazb zene nhạc bgm музык μουσικ
    संगीत موسيق موسیق מוזיק 음악 音楽 音乐 音樂 ดนตรี เพลง
    applau aplau oklask alkış beifall аплодис تصفيق 拍手 掌声 掌聲 박수
    laugh chuckl lach gelächter rire risa risada risate ridono śmiech skratt gülme
    смех смеёт смеет ضحك 笑 웃음
    cough hust toux tosse tosend кашель 咳 기침 sneez niest throat räusper yawn
    silenc silênc silenz stille cisza sessiz тишин صمت 沈黙 無音 静音 沉默 침묵
    blank noise geräusch rausch bruit ruido ruído rumore hałas gürültü шум 雑音 噪音 소음
    inaudibl unintelligibl unverständlich inaudív inintelligibl неразборчив 听不清 聞き取れない
    sigh seufz soupir suspir gasp breath atmet respir crying weint pleure llora вздох плач 哭 泣
    cheer jubel whistl pfeif siffl murmur scream shout groan grunt свист
    click beep piep ring ringing klingel sonnerie buzz hum static engine motor siren alarm
    door knock bark birds chirp wind rain thunder footstep schritte typing keyboard
    crowd audience chatter crosstalk indistinct foreign language speaking
    sing sings singing singt chante instrumental upbeat dramatic suspenseful
    subtitle untertitel sous-titr субтитр 字幕 자막
"""
_SOUND_STEMS = tuple(normalise(stem) for stem in _STEMS.split())
_NO_SPACES = tuple(stem for stem in _SOUND_STEMS if any(ord(char) >= 0x0E00 for char in stem))

# A caption is short, and nearly all of it names the sound; a remark in brackets is a sentence.
_LONGEST_LABEL = 6
_OTHER_WORDS = 2


def is_only_labels(text: str) -> bool:
    """Whether a text holds bracketed sound labels, musical notes or punctuation and not one spoken word."""
    rest = text
    # Brackets in brackets, and a note around a label: the innermost goes first.
    for _ in range(4):
        shorter = _BRACKETED.sub(lambda match: " " if _is_label(match) else match.group(), rest)
        if shorter == rest:
            break
        rest = shorter
    return not units(rest)


def _is_label(match: re.Match[str]) -> bool:
    inside = next(group for group in match.groups() if group is not None).strip()
    found = units(inside.replace("_", " "))
    if not found:
        return True
    if sum(unit.weight for unit in found) > _LONGEST_LABEL:
        return False
    if "_" in inside or (inside.isupper() and len(inside) > 1):
        return True
    sounds = sum(_names_sound(unit.norm) for unit in found)
    if sounds == 0:
        sounds = int(any(stem in normalise(inside) for stem in _NO_SPACES))
        return sounds > 0
    return len(found) - sounds <= _OTHER_WORDS


def _names_sound(word: str) -> bool:
    return any(word == stem or (len(stem) > 3 and word.startswith(stem)) for stem in _SOUND_STEMS)
