package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.linux.CgroupLimits;
import dev.sandglass.runtime.oci.Spec;

/**
 * A sandbox's limits in terms of the host processes that gVisor consists of.
 *
 * <p>Memory: at launch the plain limit, which runsc shows inside as the machine's memory; in service room for gVisor's own
 * kernel on top, because its death is the sandbox's.
 *
 * <p>Processes: gVisor's kernel holds RLIMIT_NPROC for every user that lacks CAP_SYS_ADMIN, root included, so the agent
 * gives every command that limit, per user. A process inside costs two to three host threads; if users together pass four times the limit
 * the host's limit ends the sandbox.
 */
final class GvisorLimits {
    private static final long MEBIBYTE = 1 << 20;
    private static final long KERNEL_MEMORY = 64 * MEBIBYTE;
    private static final long MEMORY_PER_OVERHEAD = 8;
    private static final long AGENT_RESERVE = 32 * MEBIBYTE;
    private static final long AGENT_SHARE = 12;
    private static final long COMMAND_ROOM = 32 * MEBIBYTE;
    private static final long RESTORE_ROOM = 128 * MEBIBYTE;
    private static final long MOST_PROCESSES = 1 << 22;
    private static final long KERNEL_TASKS = 256;
    private static final long TASKS_PER_PROCESS = 4;

    private GvisorLimits() {}

    static CgroupLimits atLaunch(Limits limits) {
        return new CgroupLimits(limits.memoryBytes(), limits.cpus(), tasks(limits));
    }

    /**
     * As at launch where the image leaves room for the kernel that reads it; else as in service, and what is shown inside as the
     * machine's memory is a little more than the limit.
     */
    static CgroupLimits atRestore(Limits limits, long imageBytes) {
        return imageBytes + RESTORE_ROOM <= limits.memoryBytes() ? atLaunch(limits) : inService(limits);
    }

    /** The least limit under which the agent finds nothing to end in so much memory, and a command more has room. */
    static long least(long usedBytes) {
        long more = Math.max(usedBytes / (AGENT_SHARE - 1), AGENT_RESERVE) + COMMAND_ROOM;
        return (usedBytes + more + MEBIBYTE - 1) / MEBIBYTE * MEBIBYTE;
    }

    static CgroupLimits inService(Limits limits) {
        long memory = limits.memoryBytes() + KERNEL_MEMORY + limits.memoryBytes() / MEMORY_PER_OVERHEAD;
        return new CgroupLimits(memory, limits.cpus(), tasks(limits));
    }

    /** The agent begins to end commands here, so no limit may be set under what is used already. */
    static long untilTheAgentActs(Limits limits) {
        long memory = limits.memoryBytes();
        return Math.min(memory - memory / AGENT_SHARE, memory > 2 * AGENT_RESERVE ? memory - AGENT_RESERVE : memory / 2);
    }

    /** The agent's own: what it starts gets the sandbox's limit, which may change while the sandbox runs. */
    static Spec.ResourceLimit processesOfAUser() {
        return new Spec.ResourceLimit("RLIMIT_NPROC", MOST_PROCESSES, MOST_PROCESSES);
    }

    private static long tasks(Limits limits) {
        return KERNEL_TASKS + TASKS_PER_PROCESS * limits.processes();
    }
}
