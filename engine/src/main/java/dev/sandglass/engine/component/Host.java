package dev.sandglass.engine.component;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What of the host counts where packages are installed in sandboxes.
 *
 * @param components the directory of the owner's own components
 * @param places where its registries of a kind are
 * @param addresses of the registry that programs of a kind are to use, without secrets
 */
public record Host(Path components, Function<RegistryKind, Set<Endpoint>> places, Function<RegistryKind, Optional<String>> addresses) {}
