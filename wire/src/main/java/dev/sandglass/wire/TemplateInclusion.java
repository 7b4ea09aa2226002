package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;

/**
 * A component that a template has.
 *
 * @param variables with the values that hold there, versions among them
 */
@Json
public record TemplateInclusion(String name, Map<String, String> variables) {}
