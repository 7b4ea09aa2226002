package dev.sandglass.engine.life;

import dev.sandglass.engine.runtime.Usage;
import java.util.OptionalLong;

/**
 * What a sandbox uses now.
 *
 * @param diskBytes nothing where the pool cannot tell without walking the tree
 * @param seesProcesses whether the number of processes is the sandbox's own
 */
public record Consumption(Usage usage, OptionalLong diskBytes, boolean seesProcesses) {}
