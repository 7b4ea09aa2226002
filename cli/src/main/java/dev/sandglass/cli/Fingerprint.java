package dev.sandglass.cli;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Sha256;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a machine was made of, short enough for a label, to tell what of it differs from what its file says.
 *
 * @param origin what it began with
 * @param core what cannot be changed of a sandbox that is there
 * @param rest what can be changed
 */
record Fingerprint(String origin, String core, String rest) {
    private static final int LETTERS = 12;

    /** @param origin the id of the snapshot or image that its entry names, empty for none */
    static Fingerprint of(FleetMachine machine, String origin) {
        StringBuilder core = new StringBuilder(Json.write(lasting(machine.request())));
        machine.provision().ifPresent(provision -> core.append(Json.write(provision)));
        machine.entry().services().forEach(service -> core.append(Json.write(service)));
        NetworkPolicy network = machine.request().network();
        if (network != null && "none".equals(network.preset())) {
            core.append("without a network");
        }
        String rest = Json.write(machine.changes()) + (network == null ? "" : Json.write(network)) + machine.entry().name().text();
        return new Fingerprint(shortened(origin), shortened(core.toString()), shortened(rest));
    }

    /** That of a label; none of one that somebody else wrote. */
    static Optional<Fingerprint> parse(@Nullable String label) {
        String[] parts = label == null ? new String[0] : label.split("-", -1);
        return parts.length == 3 ? Optional.of(new Fingerprint(parts[0], parts[1], parts[2])) : Optional.empty();
    }

    String text() {
        return origin + "-" + core + "-" + rest;
    }

    /** Whether both are made of the same, but for what can be changed. */
    boolean sameMake(Fingerprint other) {
        return origin.equals(other.origin) && core.equals(other.core);
    }

    private static String shortened(String text) {
        return Sha256.of(text).substring(0, LETTERS);
    }

    /** Without what the origin and the rest have; the order of variables means nothing. */
    private static CreateSandbox lasting(CreateSandbox request) {
        return new CreateSandbox(
                null, request.runtime(), request.security(), null, null, null, null, request.env() == null ? null : new TreeMap<>(request.env()), null, request.capAdd(), request.capDrop(), null, null, null, null,
                request.linger(), null, request.diskOnly(), null, null, null, null, null, request.credentials(), request.volumes(), null, null, request.user(), request.workdir(), null);
    }
}
