"""Every folder of test/mods is one fault; validation names it, at its line and column, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.loading.discover import discover
from bxi_framework.loading.execute import execute
from bxi_framework.loading.resolve import resolve
from bxi_framework.loading.roots import Origin, Root

ZOO = Path(__file__).resolve().parents[1] / "mods"

YAML = {
    "yaml_empty": ("yaml-empty", 1, 1),
    "yaml_list": ("yaml-not-a-mapping", 1, 1),
    "yaml_syntax": ("yaml-syntax", 11, 1),
    "yaml_undefined_alias": ("yaml-syntax", 3, 7),
    "yaml_control_character": ("yaml-syntax", 3, 8),
    "yaml_duplicate_key": ("yaml-duplicate-key", 5, 1),
    "yaml_duplicate_key_quoted": ("yaml-duplicate-key", 4, 1),
    "yaml_duplicate_key_in_params": ("yaml-duplicate-key", 19, 73),
    "yaml_merge_key": ("yaml-merge-key", 17, 3),
    "yaml_key_is_a_list": ("yaml-key", 19, 60),
    "yaml_tag": ("yaml-tag", 3, 7),
    "yaml_second_document": ("yaml-second-document", 25, 1),
    "yaml_byte_order_mark": ("yaml-byte-order-mark", 1, 1),
    "yaml_not_utf8": ("yaml-not-utf8", 3, 8),
    "yaml_tab_indent": ("yaml-tab", 15, 1),
    "yaml_tab_after_colon": ("yaml-tab", 3, 6),
    "yaml_nesting": ("yaml-nesting", 19, 112),
    "yaml_alias_expansion": ("yaml-alias-expansion", 1, 1),
    "yaml_alias_of_itself": ("yaml-alias-expansion", 1, 1),
}
HEADER = {
    "header_missing_field": ("header-missing-field", 1, 1),
    "header_unknown_field": ("unknown-field", 11, 1),
    "schema_two": ("unknown-schema", 1, 9),
    "schema_as_text": ("wrong-type", 1, 9),
    "id_of_one_part": ("bad-id", 2, 5),
    "id_upper_case": ("bad-id", 2, 14),
    "id_look_alike_letter": ("bad-id", 2, 15),
    "name_empty": ("empty-text", 3, 7),
    "name_is_a_word_of_yaml": ("wrong-type", 3, 7),
    "version_as_number": ("version-not-text", 4, 10),
    "version_with_letter": ("bad-version", 4, 10),
    "version_pre_release": ("bad-version", 4, 15),
    "version_empty": ("bad-version", 4, 10),
    "version_with_space": ("bad-version", 4, 13),
    "version_template": ("wrong-type", 4, 10),
    "version_placeholder": ("bad-version", 4, 11),
    "api_not_implemented": ("api-unsupported", 5, 6),
    "api_star": ("bad-constraint", 5, 7),
    "api_without_operator": ("bad-constraint", 5, 7),
    "api_as_number": ("version-not-text", 5, 6),
    "api_second_part_bad": ("bad-constraint", 5, 14),
    "api_empty": ("bad-constraint", 5, 6),
    "api_contradictory": ("bad-constraint", 5, 11),
    "enable_as_text": ("wrong-type", 6, 9),
    "enable_yes": ("wrong-type", 6, 9),
    "entrypoint_without_function": ("bad-entrypoint", 7, 13),
    "visibility_unknown": ("not-a-choice", 8, 13),
    "requires_missing": ("requires-missing", 9, 12),
    "requires_number": ("wrong-type", 9, 12),
    "requires_without_id": ("missing-field", 9, 12),
    "requires_bad_version": ("bad-constraint", 9, 44),
    "conflict_with_itself": ("conflict-with-itself", 10, 13),
    "export_missing": ("export-missing", 11, 18),
    "export_hides_module": ("export-hides-module", 11, 18),
    "export_bad_name": ("bad-name", 11, 18),
    "runtime_requirement_unknown_kind": ("unknown-field", 12, 24),
}
CONTRIBUTIONS = {
    "slot_unknown": ("unknown-slot", 15, 14),
    "event_value_as_text": ("wrong-type", 15, 28),
    "event_value_too_large": ("out-of-range", 15, 28),
    "event_bad_name": ("bad-name", 15, 3),
    "event_unused": ("event-unused", 17, 9),
    "event_overlap": ("event-overlap", 25, 25),
    "event_is_a_list": ("wrong-type", 15, 7),
    "factory_missing": ("factory-missing", 19, 9),
    "factory_without_class": ("bad-factory", 19, 19),
    "factory_with_entrypoint": ("factory-with-entrypoint", 19, 19),
    "state_unknown_field": ("unknown-field", 19, 38),
    "state_bad_name": ("bad-name", 19, 3),
    "state_looks_twice": ("look-twice", 19, 45),
    "state_priority_as_text": ("wrong-type", 19, 48),
    "state_index_negative": ("out-of-range", 19, 45),
    "state_index_twice": ("state-index-twice", 20, 56),
    "state_id_collision": ("state-id-collision", 20, 42),
    "state_id_crc_collision": ("state-id-collision", 20, 20),
    "state_confirm_as_number": ("wrong-type", 19, 47),
    "speed_profile_unknown": ("state-unknown-speed-profile", 22, 53),
    "speed_profile_min_above_max": ("out-of-range", 15, 18),
    "speed_profile_negative_scale": ("out-of-range", 15, 20),
    "route_unknown_source": ("route-unknown-source", 25, 12),
    "route_unknown_target": ("route-unknown-target", 25, 33),
    "route_unknown_event": ("route-unknown-event", 25, 25),
    "route_unknown_transition": ("route-unknown-transition", 23, 51),
    "route_transition_without_type": ("transition-profile-or-type", 23, 51),
    "route_two_causes": ("route-two-causes", 23, 36),
    "route_no_cause": ("route-no-cause", 25, 5),
    "route_without_target": ("missing-field", 25, 5),
    "route_delay_negative": ("out-of-range", 23, 46),
    "route_delay_nan": ("out-of-range", 23, 46),
    "route_after_boolean": ("wrong-type", 25, 25),
    "route_with_action": ("unknown-field", 23, 39),
    "route_twice": ("reaction-twice", 25, 25),
    "routes_are_a_mapping": ("wrong-type", 22, 9),
    "action_without_label": ("action-without-label", 26, 5),
    "action_empty_label": ("empty-text", 26, 63),
    "action_with_target": ("unknown-field", 26, 31),
    "action_unknown_source": ("action-unknown-source", 26, 12),
    "action_unknown_event": ("action-unknown-event", 26, 25),
    "action_and_route_on_one_event": ("reaction-twice", 26, 25),
    "transition_profile_without_type": ("missing-field", 15, 10),
    "transition_hold_negative": ("transition-invalid", 15, 32),
    "transition_hold_nan": ("transition-invalid", 15, 32),
    "transition_hold_boolean": ("transition-invalid", 15, 32),
    "transition_unknown_field": ("transition-invalid", 15, 41),
    "transition_unknown_type": ("transition-invalid", 15, 16),
    "transition_sequence_empty": ("transition-invalid", 15, 33),
    "route_transition_unknown_override": ("transition-invalid", 23, 85),
    "runtime_profile_unknown_mode": ("not-a-choice", 15, 15),
    "runtime_profile_candidate_outside": ("path-outside-mod", 15, 38),
    "runtime_profile_host_with_candidates": ("candidates-not-portable", 15, 33),
    "node_of_unknown_runtime": ("not-a-choice", 15, 18),
    "node_bad_entrypoint": ("bad-entrypoint", 15, 21),
    "node_unknown_dependency": ("node-unknown-dependency", 15, 54),
}
NODES = {
    "node_ros_without_executable": ("bad-entrypoint", 15, 21),
    "node_executable_in_process": ("node-field-unsuitable", 15, 20),
    "node_executable_missing": ("node-file-missing", 15, 21),
    "node_executable_outside": ("bad-entrypoint", 15, 21),
    "node_script_missing": ("node-file-missing", 15, 21),
    "node_script_outside": ("path-outside-mod", 15, 21),
    "node_command_without_interpreter": ("missing-field", 15, 8),
    "node_interpreter_of_python": ("node-field-unsuitable", 15, 22),
    "node_interpreter_with_arguments": ("bad-interpreter", 15, 22),
    "node_process_module_missing": ("module-not-found", 15, 21),
    "node_process_function_missing": ("entry-not-found", 15, 21),
    "node_process_not_callable": ("entrypoint-not-callable", 15, 21),
    "node_state_without_states": ("missing-field", 15, 8),
    "node_states_without_lifecycle": ("node-field-unsuitable", 15, 17),
    "node_unknown_state": ("node-unknown-state", 15, 18),
    "node_cycle": ("node-cycle", 15, 22),
    "node_depends_on_itself": ("node-cycle", 15, 22),
    "node_outlives_its_dependency": ("node-lifecycle", 15, 22),
    "node_runs_in_more_states": ("node-lifecycle", 15, 22),
    "node_unknown_placeholder": ("unknown-placeholder", 15, 27),
    "node_placeholder_not_closed": ("unknown-placeholder", 15, 27),
    "node_unknown_placeholder_in_params": ("unknown-placeholder", 15, 32),
    "node_argument_as_number": ("wrong-type", 15, 29),
    "node_bad_namespace": ("bad-name", 15, 20),
    "node_bad_remapping": ("bad-name", 15, 29),
    "node_environment_in_process": ("node-field-unsuitable", 15, 22),
    "node_environment_with_shell": ("bad-expansion", 15, 27),
    "node_environment_bad_name": ("bad-name", 15, 23),
    "node_environment_number": ("wrong-type", 15, 26),
    "node_cwd_outside": ("path-outside-mod", 15, 14),
    "node_cwd_missing": ("node-file-missing", 15, 14),
    "node_profile_unknown": ("node-unknown-runtime-profile", 15, 26),
    "node_profile_portable_in_process": ("node-field-unsuitable", 15, 26),
    "node_cpu_negative": ("wrong-type", 15, 37),
    "node_restart_delay_nan": ("out-of-range", 15, 26),
    "node_restart_delay_negative": ("out-of-range", 15, 26),
    "node_restart_attempts_boolean": ("wrong-type", 15, 33),
    "node_restart_backoff_below_one": ("out-of-range", 15, 28),
    "node_restart_unknown_field": ("unknown-field", 15, 19),
    "node_exit_code_too_large": ("wrong-type", 15, 46),
    "node_shutdown_unknown_signal": ("not-a-choice", 15, 28),
}
MANIFEST = {**YAML, **HEADER, **CONTRIBUTIONS, **NODES}
SEVERAL_MODS = {
    "vendor_twice": ("vendor-twice", "two/mod.yaml", 2, 5),
    "vendored_of_another_mod": ("import-of-vendored", "two/state.py", 5, None),
    "export_of_unrequired_mod": ("reference-without-requires", "two/state.py", 5, None),
    "reference_without_requires": ("reference-without-requires", "two/mod.yaml", 25, 12),
    "requires_disabled": ("requires-disabled", "two/mod.yaml", 9, 12),
    "requires_wrong_version": ("requires-wrong-version", "two/mod.yaml", 9, 12),
    "requires_wrong_version_optional": ("requires-wrong-version", "two/mod.yaml", 9, 12),
    "requires_twice": ("requires-twice", "two/mod.yaml", 9, 26),
    "requires_cycle": ("requires-cycle", "one/mod.yaml", 9, 12),
    "requires_itself": ("requires-cycle", "mod.yaml", 9, 12),
    "conflict": ("mod-conflict", "one/mod.yaml", 10, 13),
    "duplicate_id": ("duplicate-id", "two/mod.yaml", 2, 5),
    "export_twice": ("export-twice", "two/mod.yaml", 11, 18),
}
CODE = {
    "field_import_unknown": ("field-import-unknown", "state.py", 4),
    "check_not_callable": ("check-not-callable", "mod.yaml", 7),
    "extension_without_id": ("extension-without-id", "mod.yaml", 7),
    "extension_twice": ("extension-twice", "mod.yaml", 7),
    "module_missing": ("module-not-found", "mod.yaml", 19),
    "class_missing": ("entry-not-found", "mod.yaml", 19),
    "class_is_no_state": ("factory-not-a-state", "mod.yaml", 19),
    "params_no_dataclass": ("params-not-a-dataclass", "mod.yaml", 19),
    "import_raises": ("import-failed", "state.py", 5),
    "import_syntax_error": ("import-failed", "state.py", 3),
    "import_exits": ("import-failed", "state.py", 5),
    "import_interrupts": ("import-failed", "state.py", 3),
    "import_starts_thread": ("thread-at-import", "mod.yaml", 19),
    "plugin_function_missing": ("entry-not-found", "mod.yaml", 7),
    "plugin_not_callable": ("entrypoint-not-callable", "mod.yaml", 7),
    "plugin_raises": ("entrypoint-failed", "plugin.py", 12),
    "plugin_wrong_result": ("entrypoint-wrong-result", "mod.yaml", 7),
    "state_without_factory": ("state-without-factory", "mod.yaml", 20),
    "factory_without_state": ("factory-without-state", "mod.yaml", 7),
    "factory_not_callable": ("factory-not-callable", "mod.yaml", 20),
    "transition_type_of_the_framework": ("transition-type-twice", "mod.yaml", 7),
    "resource_of_another_name": ("entrypoint-failed", "plugin.py", 12),
    "resource_unknown": ("entrypoint-failed", "plugin.py", 12),
    "resource_unknown_loading": ("entrypoint-failed", "plugin.py", 12),
    "resource_of_unrequired_mod": ("entrypoint-failed", "plugin.py", 12),
    "asset_outside": ("entrypoint-failed", "plugin.py", 12),
    "asset_missing": ("entrypoint-failed", "plugin.py", 12),
    "node_entrypoint_not_callable": ("entrypoint-not-callable", "mod.yaml", 15),
    "node_module_missing": ("module-not-found", "mod.yaml", 15),
    "node_process_syntax_error": ("import-failed", "node.py", 4),
}
WARNINGS = {
    "import_unavailable": ("mod-unavailable", 12, 42),
    "speed_profile_unused": ("speed-profile-unused", 15, 9),
    "state_unreached": ("state-unreached", 21, 9),
    "node_requirement_unavailable": ("node-unavailable", 15, 50),
    "node_ros_package_missing": ("node-unavailable", 15, 21),
    "node_interpreter_missing": ("node-unavailable", 15, 22),
    "node_executable_of_another_platform": ("node-unavailable", 15, 21),
}
SOUND = ("sound", "sound_plugin", "sound_with_a_file_named_plugin")


def load(name: str) -> Report:
    report = Report()
    candidates = discover([Root(ZOO / name, Origin.ARGUMENT, name)], report)
    loaded = execute(resolve(candidates, None, report), report)
    problems = loaded.close()
    assert problems == []
    return report


def place(diagnostic: Diagnostic, name: str) -> tuple[str, int | None, int | None]:
    assert diagnostic.file is not None
    return str(Path(diagnostic.file).relative_to(ZOO / name)), diagnostic.line, diagnostic.column


def test_every_folder_has_its_expectation() -> None:
    expected = {*MANIFEST, *SEVERAL_MODS, *CODE, *WARNINGS, *SOUND}
    assert {path.name for path in ZOO.iterdir()} == expected


@pytest.mark.parametrize("name", sorted(MANIFEST))
def test_a_fault_of_the_manifest_is_named_at_its_place(name: str) -> None:
    code, line, column = MANIFEST[name]
    report = load(name)
    assert [error.code for error in report.errors] == [code]
    assert place(report.errors[0], name) == ("mod.yaml", line, column)


@pytest.mark.parametrize("name", sorted(SEVERAL_MODS))
def test_a_fault_between_mods_is_named_once(name: str) -> None:
    code, file, line, column = SEVERAL_MODS[name]
    report = load(name)
    assert [error.code for error in report.errors] == [code]
    assert place(report.errors[0], name) == (file, line, column)


@pytest.mark.parametrize("name", sorted(CODE))
def test_a_fault_of_the_code_is_named_at_the_mods_own_line(name: str) -> None:
    code, file, line = CODE[name]
    report = load(name)
    assert {error.code for error in report.errors} == {code}
    assert place(report.errors[0], name)[:2] == (file, line)


@pytest.mark.parametrize("name", sorted(WARNINGS))
def test_what_stops_nobody_is_a_warning(name: str) -> None:
    code, line, column = WARNINGS[name]
    report = load(name)
    assert report.ok
    assert [warning.code for warning in report.warnings] == [code]
    assert place(report.warnings[0], name) == ("mod.yaml", line, column)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_mod_has_nothing_to_report(name: str) -> None:
    assert load(name).codes() == []


@pytest.mark.parametrize("name", sorted(MANIFEST))
def test_a_fault_says_what_it_is_about(name: str) -> None:
    (error,) = load(name).errors
    assert error.severity is Severity.ERROR
    assert error.message.endswith(".")
    assert error.hint is None or error.hint[-1] in ".?!"
