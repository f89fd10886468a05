"""Images as data URLs, the form in which a server takes them."""

from __future__ import annotations

from core.pool.images import ImageError, picture
from core.surrogate.faults import ItemFault
from core.surrogate.job.settings import Prompting


def data_url(image: str, prompting: Prompting) -> str:
    """The image as a data URL.

    Raises
    ------
    ItemFault : it cannot be read, is of another kind, or is too large.
    """
    try:
        return picture(image, prompting.images, prompting.max_image_megabytes, prompting.max_image_side).data_url
    except ImageError as error:
        raise ItemFault("image", str(error), error.final) from error
