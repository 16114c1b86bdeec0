"""A resource key says what it loads to, and is the same key with and without saying so."""

from __future__ import annotations

from bxi_framework.mod_api import ResourceKey


class Policy:
    pass


def test_a_key_may_name_its_type_where_it_is_made() -> None:
    key = ResourceKey[Policy]("com.test.arm/policy")
    assert key.name == "com.test.arm/policy"
    assert key == ResourceKey("com.test.arm/policy")
    assert len({key, ResourceKey("com.test.arm/policy")}) == 1
