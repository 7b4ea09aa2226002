package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Work in steps with a log: a template that is built, or components that are installed in a sandbox.
 *
 * @param kind {@code template} or {@code provision}
 * @param subject the name of the template or the sandbox
 * @param sandbox the id of the one in which it happens, as soon as there is one
 * @param state {@code running}, {@code succeeded} or {@code failed}
 * @param snapshot what a template became
 * @param version of the template
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Build(
        String id,
        String kind,
        String subject,
        String state,
        @Nullable String sandbox,
        List<BuildStep> steps,
        List<String> warnings,
        @Nullable String snapshot,
        @Nullable Long version,
        @Nullable Problem error,
        Instant startedAt,
        @Nullable Instant endedAt) {}
