"""Durations, money, percentages, quantities, temperatures and identifiers."""

from __future__ import annotations

import pytest

from stt_daemon.values import Kind, Search, find
from tests.unit.values.helpers import at, one, read


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("duration", "45 min", "2700 s"),
        ("duration", "an hour and a half", "5400 s"),
        ("duration", "two and a half hours", "9000 s"),
        ("duration", "1h 30m", "5400 s"),
        ("duration", "one hour and twenty minutes", "4800 s"),
        ("duration", "three quarters of an hour", "2700 s"),
        ("duration", "a 20-minute call", "1200 s"),
        ("duration", "two weeks", "1209600 s"),
        ("money", "$5,000", "5000 $"),
        ("money", "$1.2 million", "1200000 $"),
        ("money", "$1.5M", "1500000 $"),
        ("money", "five hundred thousand dollars", "500000 $"),
        ("money", "a million and a half dollars", "1500000 $"),
        ("money", "two million three hundred thousand dollars", "2300000 $"),
        ("money", "five dollars and fifty cents", "5.5 $"),
        ("money", "US$300", "300 USD"),
        ("money", "ten Canadian dollars", "10 CAD"),
        ("money", "twenty-five euros", "25 EUR"),
        ("money", "£20", "20 GBP"),
        ("money", "twenty pounds sterling", "20 GBP"),
        ("percentage", "twenty three percent", "23 %"),
        ("percentage", "twenty-three per cent", "23 %"),
        ("percentage", "two point five percent", "2.5 %"),
        ("percentage", "half a percent", "0.5 %"),
        ("percentage", "-2%", "-2 %"),
        ("percentage", "a hundred percent", "100 %"),
        ("quantity", "12 kg", "12 kg"),
        ("quantity", "a dozen boxes", "12 boxes"),
        ("quantity", "a 20-foot container", "20 ft"),
        ("quantity", "twelve hundred units", "1200 units"),
        ("temperature", "minus ten degrees Fahrenheit", "-10 °F"),
        ("temperature", "34.5°F", "34.5 °F"),
        ("temperature", "5 C", "5 °C"),
    ],
)
def test_an_amount_is_read(kind: Kind, text: str, value: str) -> None:
    assert read(text, kind) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("duration", "two months"),
        ("duration", "five business days"),
        ("duration", "2 to 3 hours"),
        ("duration", "a couple of hours"),
        ("duration", "at least two hours"),
        ("duration", "two hours and change"),
        ("duration", "20 minutes 5"),
        ("money", "$5-10"),
        ("money", "between five and ten dollars"),
        ("money", "between one hundred and two hundred dollars"),
        ("money", "one hundred and five hundred dollars"),
        ("money", "two, three hundred dollars"),
        ("money", "nine fifty dollars"),
        ("money", "twenty pounds"),
        ("money", "ten grand"),
        ("money", "fifty cents"),
        ("money", "1.200 euros"),
        ("money", "12,5 euros"),
        ("money", "-$5"),
        ("money", "$50 an hour"),
        ("money", "$20 per unit"),
        ("money", "over $5,000"),
        ("money", "$5,000 or more"),
        ("money", "$5,000+"),
        ("money", "$5 or 6 euros"),
        ("money", "$5~6"),
        ("money", "ten thousand, maybe twelve thousand dollars"),
        ("money", "close to $500"),
        ("money", "total - $500"),
        ("duration", "an hour and forty five"),
        ("quantity", "12 kg, 13"),
        ("percentage", "10-15%"),
        ("percentage", "5 to 10 percent"),
        ("percentage", "five or six percent"),
        ("percentage", "23 percentage points"),
        ("percentage", "nearly 50 percent"),
        ("percentage", "1/2 percent"),
        ("quantity", "500 pounds"),
        ("quantity", "5 feet 10 inches"),
        ("quantity", "5 x 10 ft"),
        ("quantity", "20 units per day"),
        ("temperature", "34 degrees"),
        ("temperature", "34-36F"),
        ("temperature", "- 10 F"),
        ("temperature", "a 45 degree angle"),
        ("temperature", "reefer-10F"),
        ("temperature", "5 degrees Celsius above set"),
        ("temperature", "ten degrees below zero"),
    ],
)
def test_an_amount_in_doubt_is_found_and_left_open(kind: Kind, text: str) -> None:
    found = find(text, Search(kind), at())
    assert found
    assert all(candidate.value is None and candidate.why for candidate in found)


def test_a_field_says_which_scale_and_which_units_are_meant() -> None:
    assert read("34 degrees", "temperature", scale="F") == "34 °F"
    assert read("temp is 34", "temperature", scale="F") == "34 °F"
    assert read("34 degrees Celsius", "temperature", scale="F") == "34 °C"
    assert read("40 crates", "quantity", units={"crates": "crates"}) == "40 crates"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("seal 123456", "123456"),
        ("seal number is one two three four five six", "123456"),
        ("seal # AB12345", "AB12345"),
        ("seal 1-2-3-4-5-6", "123456"),
        ("seal four oh seven", "407"),
        ("4471829", "4471829"),
        ("seal 123-456", ""),
        ("seal 123 456", ""),
        ("seal twelve thirty four", ""),
        ("seal double four 5 6 7", ""),
        ("seal UL 77231", ""),
        ("seal 77231 B", ""),
        ("seal 77231-B", ""),
        ("seal B-77231", ""),
        ("seal 77231b", ""),
        ("seal 123 thousand", ""),
        ("seal one two three and four five six", ""),
    ],
)
def test_an_identifier_is_read_where_it_can_be_cut_in_one_way(text: str, code: str) -> None:
    assert read(text, "identifier", labels=("seal",)) == code


@pytest.mark.parametrize(
    "text", ["$123456", "123456 pounds", "10,000 units", "9:30", "seal it by 9", "in 2026"]
)
def test_other_numbers_are_no_identifiers(text: str) -> None:
    assert find(text, Search("identifier", labels=("seal",)), at()) == ()


def test_two_codes_as_alternatives_are_both_open() -> None:
    found = find("seal 123456 or 123457", Search("identifier", labels=("seal",)), at())
    assert [candidate.value for candidate in found] == [None, None]


def test_a_range_is_quoted_whole() -> None:
    assert one("pay five to ten dollars now", "money").span.text == "five to ten dollars"
    assert one("be there 9:30 to 10", "instant").span.text == "9:30 to 10"
