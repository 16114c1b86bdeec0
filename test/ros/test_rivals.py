"""The claim on a robot: one process of this machine has it, whatever the names are."""

from __future__ import annotations

import pytest

from bxi_framework.ros.rivals import claimed


def test_only_one_has_the_claim_and_it_is_free_again_afterwards() -> None:
    first = claimed("/rivals/motor_frame")
    assert first is not None
    assert claimed("/rivals/motor_frame") is None
    first.close()
    second = claimed("/rivals/motor_frame")
    assert second is not None
    second.close()


def test_topics_and_domains_do_not_get_in_each_others_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    first, other = claimed("/a/motor_frame"), claimed("/b/motor_frame")
    monkeypatch.setenv("ROS_DOMAIN_ID", "8")
    elsewhere = claimed("/a/motor_frame")
    assert first is not None and other is not None and elsewhere is not None
    monkeypatch.setenv("ROS_DOMAIN_ID", " 07")
    assert claimed("/a/motor_frame") is None, "the same domain in other words"
    for claim in (first, other, elsewhere):
        claim.close()


def test_a_topic_may_have_a_long_name() -> None:
    """The name of a socket has room for 107 bytes."""
    topic = "/" + "/".join(["a_namespace_of_many_words"] * 9) + "/motor_frame"
    first, other = claimed(topic), claimed(topic + "_2")
    assert first is not None and other is not None
    assert claimed(topic) is None
    first.close()
    other.close()
