package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;

/** A volume in a list. */
@Json
public record VolumeName(String volumeID, String name) {}
