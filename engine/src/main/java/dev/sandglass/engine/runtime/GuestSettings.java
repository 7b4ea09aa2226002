package dev.sandglass.engine.runtime;

/**
 * What the agent is told of the privileges and limits of what it starts.
 *
 * @param capabilities bounding set of every command, bit n for capability n
 * @param memoryLimitBytes what the agent itself guards because the host would kill the whole sandbox; 0 = nothing
 * @param processes what one user's commands may have of them, where the host's limit is not enough; 0 = nothing
 * @param sudoService whether the agent answers its own {@code sudo}
 * @param memoryShared whether a command shares the agent's memory until it executes its program: quicker where copying a process is dear
 */
public record GuestSettings(
        long capabilities, boolean noNewPrivileges, long memoryLimitBytes, long processes, boolean sudoService, boolean memoryShared) {}
