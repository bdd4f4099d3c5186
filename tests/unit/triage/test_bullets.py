"""The backstop of the narrative: no bullet is lost by a model that forgets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.triage.bullets import restore_missing_bullets

OLD = """\
Summary:
A launch is planned.
Blockers/Risks:
- The privacy policy is not approved
Decisions:
- The launch is on May 14
- Stripe handles the payments"""


def test_a_dropped_bullet_comes_back_under_its_heading() -> None:
    new = "Summary:\nIt goes on.\nDecisions:\n- The launch is on May 14\nOpen Questions:\n- Who pays?"
    assert restore_missing_bullets(OLD, new) == (
        "Summary:\nIt goes on.\nDecisions:\n- The launch is on May 14\n- Stripe handles the payments\n"
        "Open Questions:\n- Who pays?\nBlockers/Risks:\n- The privacy policy is not approved"
    )


def test_prose_is_not_brought_back() -> None:
    assert "A launch is planned." not in restore_missing_bullets(OLD, "Summary:\nIt goes on.")


def test_a_heading_in_another_dress_is_the_same_heading() -> None:
    assert restore_missing_bullets("Decisions:\n- We use Redis", "**Decisions:**\n- We use Stripe") == (
        "**Decisions:**\n- We use Stripe\n- We use Redis"
    )


def test_a_resolved_point_is_carried_over_by_its_resolution() -> None:
    new = "Decisions:\n- Done: The privacy policy is not approved — resolved: approved today"
    assert (
        "- The privacy policy is not approved"
        not in restore_missing_bullets(
            "Blockers/Risks:\n- The privacy policy is not approved", new
        ).splitlines()
    )


def test_a_reworded_point_is_carried_over_and_one_with_another_number_is_not() -> None:
    old = "Decisions:\n- The launch takes place on May 14"
    assert restore_missing_bullets(old, "Decisions:\n- Launch on May 14") == "Decisions:\n- Launch on May 14"
    assert "May 14" in restore_missing_bullets(old, "Decisions:\n- The launch takes place on May 15")


def test_a_bullet_without_a_heading_goes_to_the_end() -> None:
    assert (
        restore_missing_bullets("- We use Redis", "Summary:\nA talk.") == "Summary:\nA talk.\n- We use Redis"
    )


def test_an_empty_reply_gets_all_of_them() -> None:
    assert restore_missing_bullets("Decisions:\n- We use Redis", "") == "Decisions:\n- We use Redis"


def test_with_little_room_the_newest_bullets_come_back_first() -> None:
    old = "Decisions:\n" + "\n".join(f"- Item {n} is agreed" for n in range(100, 200))
    restored = restore_missing_bullets(old, "Decisions:\n- Nothing else", room=120).splitlines()
    assert restored[2:] == [f"- Item {n} is agreed" for n in range(200 - len(restored[2:]), 200)]
    assert 1 <= len(restored[2:]) <= 5


@given(
    st.lists(
        st.sampled_from(["Decisions:", "- one 1", "- two", "prose", "", "- ", "# Risks", "- Anna"]),
        max_size=12,
    )
)
def test_every_bullet_is_there_and_nothing_of_the_new_one_is_gone(lines: list[str]) -> None:
    old, new = "\n".join(lines), "Decisions:\n- three 3\nprose"
    restored = restore_missing_bullets(old, new).splitlines()
    assert set(new.splitlines()) <= set(restored)
    assert {line for line in lines if line.startswith("- ") and line.strip("- ")} <= set(restored)
    again = restore_missing_bullets("\n".join(restored), "\n".join(restored))
    assert again.splitlines() == restored
