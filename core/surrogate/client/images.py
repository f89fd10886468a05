"""Images as data URLs, the form in which a server takes them."""

from __future__ import annotations

from core.surrogate.faults import ItemFault
from core.surrogate.job.spec import Prompting


def data_url(image: str, prompting: Prompting) -> str:
    """Read an image (a path, data URL or base64 text) as a data URL.

    Raises
    ------
    ItemFault
        It cannot be read, is of another kind, or is too large.
    """
    # The pool's room takes more memory than a worker; most items have no image.
    from core.pool.images import ImageError, picture

    try:
        return picture(image, prompting.images, prompting.max_image_megabytes, prompting.max_image_side).data_url
    except ImageError as error:
        raise ItemFault("image", str(error), error.final) from error
