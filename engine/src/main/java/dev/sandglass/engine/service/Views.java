package dev.sandglass.engine.service;

import dev.sandglass.engine.guest.ServiceFacts;
import dev.sandglass.engine.guest.ServiceFacts.State;
import dev.sandglass.wire.Service;
import java.util.Locale;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** What the agent tells of a service, as the API shows it. */
final class Views {
    private Views() {}

    static Service of(ServiceFacts facts) {
        boolean wasActive = facts.since().toEpochMilli() > 0;
        return new Service(
                facts.name(),
                facts.description().orElse(null),
                text(facts.state()),
                facts.pid() == 0 ? null : facts.pid(),
                wasActive ? facts.since() : null,
                facts.restarts(),
                exitCode(facts.status()),
                facts.reason().orElse(null),
                facts.enabled(),
                facts.port() == 0 ? null : facts.port(),
                facts.health().map(Views::text).orElse(null),
                facts.command().orElse(null),
                facts.user().orElse(null),
                facts.directory().orElse(null),
                restart(facts.restart()),
                facts.path().orElse(null),
                facts.unsupported());
    }

    static String text(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static String text(ServiceFacts.Health health) {
        return health.name().toLowerCase(Locale.ROOT);
    }

    /** As a shell has it. */
    static @Nullable Integer exitCode(OptionalInt status) {
        return status.isEmpty() ? null : status.getAsInt() < 0 ? 128 - status.getAsInt() : status.getAsInt();
    }

    /** A unit file knows more words than these; all of the others are about failures of some kind. */
    private static String restart(String word) {
        return switch (word) {
            case "no", "" -> "never";
            case "always" -> "always";
            default -> "on-failure";
        };
    }
}
