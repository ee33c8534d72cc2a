"""Reads what the header of a JPEG says: its size, and how it is to be turned."""

import struct

# The low bytes of JPEG's SOF markers. The segments with these markers contain the image size.
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def header(path):
    """Returns (height, width, orientation from 1 to 8) as stored in a JPEG. Returns None for other files."""
    turned = 1
    try:
        with open(path, "rb") as file:
            if file.read(2) != b"\xff\xd8":
                return None
            while True:
                marker, length = struct.unpack(">HH", file.read(4))
                if marker & 0xFF in FRAMES:
                    return (*struct.unpack(">xHH", file.read(5)), turned)
                segment = file.read(length - 2)
                if marker == 0xFFE1 and turned == 1:
                    turned = orientation(segment)
    except (OSError, struct.error, ValueError):
        return None  # the library that decodes the file says what is wrong with it


def upright_extent(path):
    """Returns the (height, width) with which a JPEG is shown. Returns None for other files."""
    found = header(path)
    if found is None:
        return None
    height, width, turned = found
    return (width, height) if turned >= 5 else (height, width)


def orientation(segment):
    """Returns the orientation in an APP1 segment, from 1 to 8; 1 if it has none."""
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
