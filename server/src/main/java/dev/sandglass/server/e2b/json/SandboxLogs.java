package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** What happened in a sandbox. */
@Json
public record SandboxLogs(List<LogLine> logs, List<LogEntry> logEntries) {}
