"""The operations of the native API that this package uses: each is described once, for programs with and without an event loop."""
