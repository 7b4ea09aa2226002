package dev.sandglass.engine.sandbox;

import dev.sandglass.wire.CommandSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What commands of a sandbox get when nobody says otherwise: it goes with the sandbox's snapshots and copies, so there is nothing secret in it.
 *
 * @param env what the image or the template says; what the creator of a sandbox says besides is in its own
 * @param entrypoint what a run of the sandbox itself executes, before what its creator says
 * @param cmd what follows if its creator says nothing
 */
public record CommandDefaults(Optional<String> user, Optional<String> workdir, Map<String, String> env, List<String> entrypoint, List<String> cmd) {
    /** Root, in its home. */
    public static final CommandDefaults NONE = of(Optional.empty(), Optional.empty());

    public CommandDefaults {
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        entrypoint = List.copyOf(entrypoint);
        cmd = List.copyOf(cmd);
    }

    public static CommandDefaults of(Optional<String> user, Optional<String> workdir) {
        return new CommandDefaults(user, workdir, Map.of(), List.of(), List.of());
    }

    /** These, and where they say nothing what the others say. */
    public CommandDefaults over(CommandDefaults others) {
        Map<String, String> all = new LinkedHashMap<>(others.env);
        all.putAll(env);
        boolean runsNothing = entrypoint.isEmpty() && cmd.isEmpty();
        return new CommandDefaults(
                user.or(others::user), workdir.or(others::workdir), all, runsNothing ? others.entrypoint : entrypoint, runsNothing ? others.cmd : cmd);
    }

    /** What a run executes: the words instead of what the image says comes last. */
    public List<String> words(List<String> given) {
        List<String> last = given.isEmpty() ? cmd : given;
        return Stream.concat(entrypoint.stream(), last.stream()).toList();
    }

    /** Nothing if there is nothing to say. */
    public @Nullable CommandSettings toWire() {
        return equals(NONE) ? null : new CommandSettings(user.orElse(null), workdir.orElse(null), env, entrypoint, cmd);
    }

    public static CommandDefaults of(@Nullable CommandSettings settings) {
        return settings == null
                ? NONE
                : new CommandDefaults(
                        Optional.ofNullable(settings.user()),
                        Optional.ofNullable(settings.workdir()),
                        Objects.requireNonNullElse(settings.env(), Map.of()),
                        Objects.requireNonNullElse(settings.entrypoint(), List.of()),
                        Objects.requireNonNullElse(settings.cmd(), List.of()));
    }
}
