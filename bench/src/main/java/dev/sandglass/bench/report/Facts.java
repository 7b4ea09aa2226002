package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import java.util.Map;

/**
 * The machine on which a run was made.
 *
 * @param load the average number of runnable processes when the run began: beyond the cores it is noise
 * @param engines versions by name
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Facts(
        String sandglass, int cores, String processor, long memoryMb, String kernel, double load, String pool, Map<String, String> engines) {}
