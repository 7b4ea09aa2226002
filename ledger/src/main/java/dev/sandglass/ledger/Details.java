package dev.sandglass.ledger;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;

/** What no query asks for, kept as JSON in one column. */
@Json
record Details(Map<String, String> env, Map<String, String> labels, List<String> warnings) {}
