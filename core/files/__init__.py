"""Files from outside, opened and taken apart: what a file is made of, whoever reads it for what.

==============  ===============================================================================
``open``        the bytes, unpacked and as UTF-8: gzip, UTF-16, code pages of Windows
``sniff``       what the beginning says: the container, and the names in it
``tables``      CSV and its like as rows of cells
``sheets``      sheets of an Excel workbook; ``workbooks`` chooses one and its header
``archives``    members of a zip
``jsontext``    JSON, read strictly
``progress``    how much of a file has been read, for whoever waits
==============  ===============================================================================

Pools (``core.readers``) and labels (``core.labels``) read bytes through it alone.
"""
