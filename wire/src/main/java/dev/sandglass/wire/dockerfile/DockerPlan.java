package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.CommandSettings;
import java.util.List;
import java.util.Map;

/**
 * What a Dockerfile comes to on top of what it begins with.
 *
 * @param settings what commands get in the end
 * @param ports that it says are served
 * @param labels that it has
 */
public record DockerPlan(List<DockerStep> steps, CommandSettings settings, List<String> ports, Map<String, String> labels) {}
