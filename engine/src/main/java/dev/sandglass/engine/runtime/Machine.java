package dev.sandglass.engine.runtime;

import dev.sandglass.engine.network.Namespaces;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a runtime needs to start a sandbox.
 *
 * @param hostname the sandbox's name as a host name
 * @param layers read-only layers of the root filesystem, top first
 * @param writable the sandbox's own tree in the pool; its directories {@code upper} and {@code work} exist
 * @param agent the agent binary on the host, kept by digest
 * @param capabilities those of its commands; PID 1 has what it needs beside them
 * @param identity a directory that is bound read-only at {@code /run/sandglass}; it holds an empty file {@code agent}, over
 *     which the agent is bound
 * @param network what it joins; without it, it has a network of its own with nothing in it but itself
 * @param volumes those with which it begins, as far as {@link Runtime#attach} does not bring them; {@code identity} has a directory {@code volumes/SLOT} for each
 */
public record Machine(
        SandboxId id,
        String hostname,
        List<Path> layers,
        Path writable,
        Path agent,
        Path identity,
        Limits limits,
        Security security,
        Set<Capability> capabilities,
        Optional<Namespaces> network,
        List<MachineVolume> volumes) {
    /** Of a sandbox without volumes. */
    public Machine(
            SandboxId id,
            String hostname,
            List<Path> layers,
            Path writable,
            Path agent,
            Path identity,
            Limits limits,
            Security security,
            Set<Capability> capabilities,
            Optional<Namespaces> network) {
        this(id, hostname, layers, writable, agent, identity, limits, security, capabilities, network, List.of());
    }
}
