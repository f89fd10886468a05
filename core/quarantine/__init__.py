"""Files from outside, read in a process of their own, which may take a stated memory and time and no more.

    bytes or path ──► child process (``python -m core.quarantine``) ──► Arrow file ──► Pool, ModelResults or LabelFile

Whatever a file does to its reader, this process goes on and the person reads one sentence. The child opens the file,
writes what it read as an Arrow file and ends; the result is mapped into memory, not copied. `core.readers.read` and
`core.labels.read` read in the caller's own process: use them for files of your own.
"""

from core.quarantine.helper import ReadLimits
from core.quarantine.quarantine import Quarantine

__all__ = ["Quarantine", "ReadLimits"]
