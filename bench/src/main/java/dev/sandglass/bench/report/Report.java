package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import java.util.List;

/** A run as a whole. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Report(Facts facts, int rounds, Size size, List<String> notes, List<Row> rows, List<Figure> figures) {}
