"""Gives the wheel its tag: it holds a program for Linux on x86-64 and no module for a certain Python."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-manylinux_2_34_x86_64"
