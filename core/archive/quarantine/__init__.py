"""Files from outside, read in a separate process that may take a stated memory and time and no more.

    helper (``python -m core.archive.quarantine``)
      └─ fork
    bytes or path ──► reader ──► Arrow file ──► Pool, ModelResults or LabelFile

Whatever a file does to its reader, this process goes on and the person reads one sentence. The helper loads what
readers need once. A reader opens one file, writes what it read as an Arrow file and ends; the result is mapped into
memory, not copied. `core.readers.read` and `core.labels.read` read in the caller's own process: use them for files of
your own. Who waits hears by ``listening`` how much of a file has been read.
"""

from ...files.open import listening
from .helper import ReadLimits
from .quarantine import Quarantine

__all__ = ["Quarantine", "ReadLimits", "listening"]
