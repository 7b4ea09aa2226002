package dev.sandglass.engine.runtime;

import java.nio.file.Path;

/**
 * A volume as a runtime mounts it.
 *
 * @param slot by which captured processes know it
 * @param tree its content, hostile as that of a sandbox is
 * @param path where the sandbox has it
 * @param readOnly whether the host forbids to write to it
 */
public record MachineVolume(int slot, Path tree, String path, boolean readOnly) {}
