package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;

/** A volume, by its name, and where it is mounted. */
@Json
public record MountedVolume(String name, String path) {}
