package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which credentials the requests of a sandbox may get. They are granted to each by name, and never inherited: who copies a sandbox copies no trust. */
final class Grants {
    private static final int MOST = 32;

    private Grants() {}

    /** Those that were asked for; {@code conflict} if there are some and the sandbox is to have no network. */
    static Set<String> of(@Nullable List<String> asked, Optional<Policy> network, String sandbox) {
        Set<String> names = asked == null ? Set.of() : Set.copyOf(asked);
        require(names, network, sandbox);
        return names;
    }

    static Set<String> with(SandboxRecord record, String credential) {
        Set<String> names = new HashSet<>(record.credentials());
        names.add(credential);
        require(names, record.network(), record.name());
        return names;
    }

    static Set<String> without(SandboxRecord record, String credential) {
        Set<String> names = new HashSet<>(record.credentials());
        if (!names.remove(credential)) {
            throw new SandglassException(
                    ErrorCode.CREDENTIAL_NOT_FOUND,
                    "The sandbox " + record.name() + " was not granted the credential " + Rules.printable(credential) + ".",
                    "`sandglass inspect " + record.name() + "` shows those that it has.");
        }
        return names;
    }

    private static void require(Set<String> names, Optional<Policy> network, String sandbox) {
        if (!names.isEmpty() && network.isEmpty()) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The sandbox " + Rules.printable(sandbox) + " has no network, so a credential would be of no use to it.",
                    "A sandbox gets one when it is made: `sandglass create --network open`, or --allow for what it is to reach.");
        }
        if (names.size() > MOST) {
            throw Rules.invalid("credentials", names.size() + " names", "at most " + MOST);
        }
    }
}
