package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of a template, as those say it who build templates by programs: {@code RUN} (a command, and maybe a user), {@code COPY} (source, target, and maybe owner and mode), {@code ENV} (names and
 * values), {@code WORKDIR} or {@code USER}.
 *
 * @param upload of a copy, what the archive was uploaded as in which the source is
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateStep(String type, List<String> args, @Nullable String upload) {}
