package dev.sandglass.server.route;

import dev.sandglass.engine.route.Access;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.RoutePath;
import dev.sandglass.engine.sandbox.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Passes of a public route. */
final class Passes {
    static final String PLACE = "/box/web";

    private Passes() {}

    /** @param rewrite null for none */
    static Pass byHost(@Nullable String prefix, @Nullable String rewrite) {
        return of(prefix, rewrite, "");
    }

    static Pass byPath(@Nullable String prefix, @Nullable String rewrite) {
        return of(prefix, rewrite, PLACE);
    }

    private static Pass of(@Nullable String prefix, @Nullable String rewrite, String place) {
        Route route = new Route(
                new SandboxId("sbx-aaaaaaaaaaaa"), "web", 80, new Access.Public(), Set.of(), path(prefix), Optional.ofNullable(rewrite).map(Passes::path), Optional.empty(), Optional.empty(),
                Duration.ofSeconds(1), false, true, true, "generation", Instant.EPOCH);
        return new Pass(route, "/", place, Set.of(), Optional.empty(), Optional.empty());
    }

    private static RoutePath path(@Nullable String text) {
        return new RoutePath(text == null || text.equals("/") ? "" : text);
    }
}
