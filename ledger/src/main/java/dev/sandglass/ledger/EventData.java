package dev.sandglass.ledger;

import io.avaje.jsonb.Json;
import java.util.Map;

/** What an event tells besides its type, kept as JSON in one column. */
@Json
record EventData(Map<String, String> data) {}
