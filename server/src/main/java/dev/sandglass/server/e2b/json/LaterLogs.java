package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** What happened in a sandbox, as newer clients read it. */
@Json
public record LaterLogs(List<LogEntry> logs) {}
