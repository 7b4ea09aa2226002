package dev.sandglass.server.e2b.connect;

import io.avaje.jsonb.Json;

/** A message without anything in it. */
@Json
public record Nothing() {}
