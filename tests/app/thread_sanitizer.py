"""Tests that ThreadSanitizer itself cannot live with, whatever the program does."""

import unittest


def without_thread_sanitizer(program, why):
    """Skips a test of a program that was built with it."""
    return unittest.skipIf(b"__tsan_init" in program.read_bytes(), f"ThreadSanitizer {why}")
