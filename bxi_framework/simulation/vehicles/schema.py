"""Values against a JSON Schema (draft 2020-12) before anything starts: all faults at once, each with the path
of its value, and absent values taken from the schema.

The rules beyond the standard:

- A key that an object's ``properties`` do not name is refused, unless that object says how other keys are
  (``additionalProperties``, ``patternProperties``, ``unevaluatedProperties``) or is put together of other
  schemas (``allOf``, ``anyOf``, ``oneOf``, ``if``, ``$ref``, ``dependentSchemas``).
- An absent key takes the ``default`` of its property, before the values are checked, so a required key with a
  default may be absent. This goes down through ``properties`` and ``items``, never into other schemas or into
  an object that is absent itself. Each default must fit its own schema.
- Numbers are finite. ``multipleOf`` allows for rounding. ``$ref`` may point into the schema itself only.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from bxi_framework.mod_api.config_reader import ParameterError, describe
from bxi_framework.simulation.vehicles.schema_faults import faults_of, first_line, path_of, said
from bxi_framework.simulation.vehicles.schema_rules import (
    close,
    copied,
    filled,
    not_plain,
    properties,
    unusable_references,
)


class SchemaFaultError(ValueError):
    """A schema is none, or cannot be used."""


class ValueSchema:
    """A checked schema of named values.

    Args:
        source: the schema as plain data or as JSON text; empty for one that allows no values.

    Raises:
        SchemaFaultError: it is no JSON Schema, describes no object, has a default that does not fit, or
            refers to what is not in it.
    """

    def __init__(self, source: Mapping[str, object] | str) -> None:
        schema = _data(source)
        try:
            _Validator.check_schema(schema)
        except SchemaError as error:
            place = path_of(error.absolute_path)
            raise SchemaFaultError(f"{place or 'the schema'}: {first_line(error.message)}") from None
        if schema.setdefault("type", "object") != "object":
            raise SchemaFaultError(f"its type must be object, not {schema['type']}")
        reference = next(unusable_references(schema), None)
        if reference is not None:
            raise SchemaFaultError(f"'{reference}' leads out of the schema or to nothing in it")
        close(schema)
        self._validator = _Validator(schema)
        self._schema = schema
        try:
            next(self._validator.iter_errors({}), None)
            self._check_defaults(schema, "")
        except RecursionError:
            raise SchemaFaultError("it refers to itself without end") from None

    def check(self, values: Mapping[str, object]) -> tuple[dict[str, Any], list[ParameterError]]:
        """The values with defaults for absent ones, and everything that is wrong with them, by path."""
        faults = list(not_plain(values, ""))
        if faults:
            return {}, faults
        complete = filled(copied(values), self._schema)
        try:
            for error in self._validator.iter_errors(complete):
                faults += faults_of(error)
        except RecursionError:
            faults.append(ParameterError("", "cannot be checked: the schema refers to itself without end"))
        return complete, sorted(faults, key=lambda fault: fault.field)

    def _check_defaults(self, schema: Mapping[str, Any], path: str) -> None:
        for name, below in properties(schema):
            place = f"{path}.{name}" if path else name
            if "default" in below:
                value = filled(copy.deepcopy(below["default"]), below)
                error = next(iter(self._validator.evolve(schema=below).iter_errors(value)), None)
                if error is not None:
                    raise SchemaFaultError(f"the default of '{place}' does not fit: it {said(error)}")
            self._check_defaults(below, place)


def _data(source: Mapping[str, object] | str) -> dict[str, Any]:
    data: object = source
    if isinstance(source, str):
        try:
            data = json.loads(source) if source.strip() else {}
        except ValueError as error:
            raise SchemaFaultError(f"it is no JSON: {error}") from None
    if not isinstance(data, Mapping):
        raise SchemaFaultError(f"it must be a JSON object, not {describe(data)}")
    fault = next(not_plain(data, ""), None)
    if fault is not None:
        raise SchemaFaultError(str(fault))
    schema: dict[str, Any] = copied(data)
    schema.setdefault("properties", {})
    return schema


def _multiple_of(validator: Any, factor: float, value: object, schema: object) -> Iterator[ValidationError]:
    """0.3 is a multiple of 0.1 for whoever wrote it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    quotient = value / factor
    if not math.isfinite(quotient) or not math.isclose(quotient, round(quotient), rel_tol=1e-9):
        yield ValidationError(f"{value} is not a multiple of {factor}")


_extend: Any = extend
_Validator = _extend(Draft202012Validator, {"multipleOf": _multiple_of})
