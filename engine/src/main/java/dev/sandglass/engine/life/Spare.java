package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import java.util.concurrent.CompletableFuture;

/**
 * A sandbox that runs, and that nobody has used; its agent was told the generation.
 *
 * @param limits those that are in force
 * @param inhabited whether something has run in it that is not ours
 * @param still whether it stands still
 * @param memoryBytes what it takes while it waits
 * @param ended complete when it has ended by itself, or was taken away
 */
record Spare(
        SandboxId id, MachineProcess process, String runtime, Limits limits, long generation, boolean inhabited, boolean still, long memoryBytes, CompletableFuture<Boolean> ended) {}
