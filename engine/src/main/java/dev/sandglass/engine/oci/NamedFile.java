package dev.sandglass.engine.oci;

import java.nio.file.Path;

/** A file as it is called in an archive. */
public record NamedFile(String name, Path path) {}
