"""For programs without an event loop. Made of ``_async`` by ``tools/unasync.py``, but for ``line`` and ``concurrency``."""
