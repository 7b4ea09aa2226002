package dev.sandglass.runtime;

import java.nio.file.Path;
import java.util.List;

/** A sandbox's disk and memory of one moment. */
record Snapshot(List<Path> layers, Path image) {}
