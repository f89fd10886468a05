"""Folders of Parquet files as one pool, by way of a profile that is made once."""
