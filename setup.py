"""Installs the package, and its Mods, configurations and launch files under share/bxi_framework."""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
SHARE = Path("share/bxi_framework")


def shared_files(*folders: str) -> list[tuple[str, list[str]]]:
    """Every file below the folders of the source tree, each with the share folder that it goes to."""
    rows: dict[Path, list[str]] = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            relative = path.relative_to(ROOT)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
            if path.is_file() and not hidden:
                rows.setdefault(SHARE / relative.parent, []).append(str(relative))
    return [(str(target), files) for target, files in rows.items()]


setup(
    name="bxi_framework",
    version="0.1.0",
    description="Runs a robot from Mod folders",
    maintainer="bxi_framework maintainers",
    maintainer_email="maintainers@bxi-framework.org",
    license="Apache-2.0",
    python_requires=">=3.10",
    packages=find_packages(include=["bxi_framework", "bxi_framework.*"]),
    package_data={
        "bxi_framework": [
            "py.typed",
            "distribution/templates/*/*.in",
            "distribution/templates/*/*/*.in",
            "distribution/templates/*/assets/*.onnx",
        ]
    },
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/bxi_framework"]),
        (str(SHARE), ["package.xml"]),
        *shared_files("config", "launch", "mods"),
    ],
    install_requires=["setuptools", "numpy", "PyYAML", "mcap", "transitions"],
    extras_require={"policies": ["onnxruntime"], "simulation": ["mujoco", "jsonschema"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "bxi = bxi_framework.cli.main:main",
            "control_node = bxi_framework.cli.main:control_node",
        ],
    },
)
