"""The estimate lies above what real tokenizers count, the floor below it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.llm.tokens import estimate_tokens, fewest_tokens

# Counted with the vocabularies of Qwen2.5 (152 thousand entries) and multilingual Whisper (51 thousand):
# the smaller and the larger count.
COUNTED = [
    (
        "We agreed to ship the first version on Friday, after Maria has"
        " checked the migration scripts and the backup has run twice.",
        24,
        30,
    ),
    (
        "[u12] 10:42:07 Speaker: Okay, so, um, the budget for Q3"
        " is about 1,250,000 euros, isn't it? Yeah, I think so.",
        43,
        50,
    ),
    (
        "Die Überprüfung der Sicherungskopien dauert länger als erwartet,"
        " weil die Geschwindigkeitsbegrenzung noch gilt.",
        31,
        31,
    ),
    (
        "L'équipe a décidé de reporter la réunion à jeudi, car"
        " plusieurs collègues étaient absents aujourd'hui.",
        26,
        27,
    ),
    (
        "Kokouksessa päätettiin, että järjestelmän käyttöönotto"
        " siirretään ensi viikolle ylläpitokatkon vuoksi.",
        41,
        42,
    ),
    (
        "Zespół postanowił przełożyć wdrożenie na przyszły tydzień, ponieważ źródłowe dane są niekompletne.",
        33,
        35,
    ),
    ("Chúng tôi đã quyết định hoãn cuộc họp đến thứ Năm vì nhiều đồng nghiệp vắng mặt.", 21, 34),
    ("Toplantıyı perşembe gününe erteledik, çünkü birçok çalışma arkadaşımız bugün yoktu.", 25, 27),
    ("Мы договорились выпустить первую версию в пятницу, после проверки резервных копий.", 23, 28),
    ("Συμφωνήσαμε να κυκλοφορήσουμε την πρώτη έκδοση την Παρασκευή, μετά τον έλεγχο.", 45, 70),
    ("اتفقنا على إصدار النسخة الأولى يوم الجمعة بعد مراجعة النسخ الاحتياطية.", 26, 35),
    ("הסכמנו לשחרר את הגרסה הראשונה ביום שישי לאחר בדיקת הגיבויים.", 23, 34),
    ("हमने शुक्रवार को पहला संस्करण जारी करने पर सहमति व्यक्त की है।", 54, 60),
    ("เราตกลงที่จะเปิดตัวเวอร์ชันแรกในวันศุกร์หลังจากตรวจสอบข้อมูลสำรอง", 33, 59),
    ("ჩვენ შევთანხმდით, რომ პირველი ვერსია პარასკევს გამოვა.", 54, 134),
    ("የመጀመሪያውን እትም ዓርብ ለማውጣት ተስማምተናል።", 37, 80),
    ("我们同意在星期五发布第一个版本，在此之前需要检查备份和迁移脚本。", 19, 35),
    ("魑魅魍魉，饕餮盛宴，踟蹰不前，龃龉不合，觊觎之心。", 22, 47),
    ("バックアップを確認した後、金曜日に最初のバージョンをリリースすることに合意しました。", 25, 34),
    ("백업을 확인한 후 금요일에 첫 번째 버전을 출시하기로 합의했습니다.", 24, 28),
    ("👍🏽 😀🎉🚀 👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 🇩🇪 ✅ ☎️", 34, 50),
    (
        "def f(x: int) -> dict[str, int]:\n    return {k: v ** 2 for k, v in enumerate(range(x))"
        ' if v % 2 == 0}\n\n\nclass HTTPServerError(Exception):\n    """Raised."""\n',
        48,
        73,
    ),
    (
        '{"id": "a3f9-77c0", "values": [1, 2.5, -3e10, null, true], "nested": {"k": [[], {}]}}',
        46,
        50,
    ),
    (
        "for (size_t i = 0; i < n; ++i) { buf[i] ^= 0xFFu & (uint8_t)(key"
        " >> (i % 8)); } // TODO\n\t\treturn *p++;",
        48,
        58,
    ),
    ("3f786850e387550fdab836ed7e6dc881de23001b d41d8cd98f00b204e9800998ecf8427e", 50, 65),
    ("U3RyZWFtaW5nIGlzIGhhcmQsIGJ1dCBub3QgdGhhdCBoYXJkLiBKdXN0IHBhcnNlIGl0IQ==", 52, 60),
    ("3.14159265358979 2026-11-30T22:05:17.123456Z 192.168.178.101:8091 +49 (0)30 1234567", 50, 81),
    ("https://example.org/a/very/long/path?with=query&and=values#and-a-fragment_42", 25, 36),
    ("PLEASE DO NOT FORGET: THE DEADLINE IS TOMORROW, ACCORDING TO THE CONTRACT!", 21, 29),
    ("| name | value |\n|------|-------|\n| a    | 1     |\n| b    | 2     |\n", 26, 40),
    ("... --- *** ??? !!! ((())) [[]] {{}} <<>> ~~~ ^^^ ### @@@ $$$ %%% &&& ||| \\\\\\ ///", 30, 45),
    ("∀x∈ℝ: ⌈x⌉ ≥ x ∧ ∑ᵢ aᵢ² ≤ ∞ → √2 ≈ 1.41421 ± 10⁻⁵", 45, 55),
]


@pytest.mark.parametrize(("text", "fewest", "most"), COUNTED)
def test_the_estimate_is_never_below_a_real_count_and_the_floor_never_above(
    text: str, fewest: int, most: int
) -> None:
    assert estimate_tokens(text) >= most
    assert fewest_tokens(text) <= fewest


def test_english_is_not_overestimated_beyond_use() -> None:
    text, _, most = COUNTED[0]
    assert estimate_tokens(text * 50) <= 1.6 * most * 50


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0
    assert fewest_tokens("") == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_floor_is_below_the_estimate_and_neither_is_negative(left: str, right: str) -> None:
    assert 0 <= fewest_tokens(left + " " + right) <= max(estimate_tokens(left + " " + right), 1)
