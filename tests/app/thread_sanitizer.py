"""Skips tests that cannot run under ThreadSanitizer."""

import unittest


def without_thread_sanitizer(program, why):
    """Skips a test if `program` was built with ThreadSanitizer."""
    return unittest.skipIf(b"__tsan_init" in program.read_bytes(), f"ThreadSanitizer {why}")
