"""Reads what the header of a JPEG says: its size, and how it is to be turned."""

import struct

# The low bytes of JPEG's SOF markers. The segments with these markers contain the image size.
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
APP1 = 0xE1
SIGNATURE = b"\xff\xd8"


def is_other(path):
    """Returns whether a file begins otherwise than JPEGs do. Returns False if it cannot be opened."""
    try:
        with open(path, "rb") as file:
            return file.read(2) != SIGNATURE
    except OSError:
        return False  # the library that decodes the file says what is wrong with it


def header(path):
    """Returns (height, width, orientation from 1 to 8) as stored in a JPEG.

    Returns None for other files, and for a JPEG that ends before it tells its size.
    """
    turned = 1
    try:
        with open(path, "rb") as file:
            if file.read(2) != SIGNATURE:
                return None
            while True:
                marker = next_marker(file)
                (length,) = struct.unpack(">H", file.read(2))
                if marker in FRAMES:
                    return (*struct.unpack(">xHH", file.read(5)), turned)
                segment = file.read(length - 2)
                if marker == APP1 and turned == 1:
                    turned = orientation(segment)
    except (OSError, struct.error, ValueError):
        return None  # the library that decodes the file says what is wrong with it


def next_marker(file):
    """Returns the low byte of the next marker. Raises ValueError at the end of the file.

    A marker is a byte 0xFF and one that is neither 0 nor 0xFF. Skips all bytes before it, as libjpeg does: JPEGs may
    have further bytes 0xFF there.
    """
    before = byte = 0
    while before != 0xFF or byte in (0, 0xFF):
        before, (byte,) = byte, file.read(1)
    return byte


def upright_extent(path):
    """Returns the (height, width) with which a JPEG is shown. Returns None where `header` does."""
    found = header(path)
    if found is None:
        return None
    height, width, turned = found
    return (width, height) if turned >= 5 else (height, width)


def orientation(segment):
    """Returns the orientation in an APP1 segment, from 1 to 8. Returns 1 if there is none, or an unknown or damaged one."""
    try:
        value = orientation_number(segment)
    except struct.error:
        return 1
    return value if 1 <= value <= 8 else 1


def orientation_number(segment):
    """Returns the number that an APP1 segment has as its orientation; 1 if it has none. Raises struct.error."""
    tiff = segment[6:]
    if segment[:6] != b"Exif\0\0" or tiff[:2] not in (b"II", b"MM"):
        return 1
    order = "<" if tiff[:2] == b"II" else ">"
    (start,) = struct.unpack_from(order + "I", tiff, 4)
    (count,) = struct.unpack_from(order + "H", tiff, start)
    for entry in range(start + 2, start + 2 + 12 * count, 12):
        tag, _, _, value = struct.unpack_from(order + "HHIH", tiff, entry)
        if tag == 0x0112:
            return value
    return 1
