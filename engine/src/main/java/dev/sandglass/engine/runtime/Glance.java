package dev.sandglass.engine.runtime;

import dev.sandglass.wire.ProcessList;

/**
 * What a runtime sees of the processes in a sandbox without asking its agent.
 *
 * @param processes without the agent's own
 * @param deletions whether one of them may use a file that was deleted or replaced; only the agent can tell for sure
 */
public record Glance(ProcessList processes, boolean deletions) {}
