"""A picture as the camera of the car gives it: a JPEG, where Pillow is there to make one."""

from __future__ import annotations

import io
import logging
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

QUALITY: Final = 95
"""That of the kit's camera program."""


def to_jpeg(pixels: Picture) -> bytes | None:
    """The JPEG of a picture of shape (height, width, 3); None without Pillow, after one warning."""
    if not can_encode():
        return None
    from PIL import Image

    written = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(written, "JPEG", quality=QUALITY)
    return written.getvalue()


@lru_cache(maxsize=1)
def can_encode() -> bool:
    """Whether Pillow is there; says once what is missing."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError as error:
        logging.getLogger("com.keyestudio.ks0223_virtual").warning(
            "The camera gives no pictures: %s; install pillow.", error
        )
        return False
    return True
