"""The signals, one module each: a module declares ``SIGNAL`` and is found by `core.signals.catalogue`."""
