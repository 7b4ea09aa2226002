package dev.sandglass.engine.oci;

import java.util.Optional;

/** The port to container registries. Thread-safe. */
public interface Registries {
    /** @param login instead of the one that the host's files have for the registry */
    ImageSource open(Reference reference, Optional<Login> login);
}
