"""For programs with an event loop. What is for all others is made of this, but for ``line`` and ``concurrency``."""
