package dev.sandglass.runtime.oci;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The processes of a sandbox that runs.
 *
 * @param pid of the process that lives and dies with it
 * @param processes all that are in its control group
 * @param isSame whether the pid still is that process
 */
public record RunningSandbox(SandboxId id, long pid, Set<Long> processes, BooleanSupplier isSame) {}
