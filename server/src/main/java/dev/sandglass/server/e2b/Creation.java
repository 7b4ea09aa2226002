package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.server.e2b.json.MountedVolume;
import dev.sandglass.server.e2b.json.NewSandbox;
import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.VolumeMount;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes sandboxes as E2B clients expect them: with the user {@code user}, who may become root, and an end that is told. Thread-safe. */
final class Creation {
    static final String USER = "user";
    private static final String HOME = "/home/user";
    private static final String SECURITY = "standard";
    private static final long STANDARD_TIMEOUT = 300;
    /** Clients wait a minute for an answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(45);

    private final Engine engine;
    private final TemplateNames names;

    Creation(Engine engine, TemplateNames names) {
        this.engine = engine;
        this.names = names;
    }

    /** @param secured whether its inside is open to nobody without its token */
    Sandbox create(NewSandbox asked, boolean secured) throws InterruptedException {
        requireKnown(asked);
        String template = asked.templateID() == null ? TemplateNames.BASE : asked.templateID();
        return switch (names.find(template)) {
            case TemplateNames.Origin.Base() -> engine.sandboxes().create(request(asked, template, secured, null, SECURITY, HOME));
            case TemplateNames.Origin.OfTemplate ours -> {
                if (ours.tag().isEmpty()) {
                    requireBuilt(ours.name());
                }
                yield engine.sandboxes().create(ofTemplate(asked, template, secured, ours));
            }
            case TemplateNames.Origin.OfSnapshot(Snapshot snapshot) -> engine.sandboxes().create(request(asked, template, secured, snapshot.id(), security(snapshot), null));
        };
    }

    /** Those that these clients have built say themselves who runs commands and where; the others do not know of them. */
    private CreateSandbox ofTemplate(NewSandbox asked, String template, boolean secured, TemplateNames.Origin.OfTemplate ours) {
        Template recipe = Objects.requireNonNull(engine.templates().get(ours.name()).recipe());
        boolean theirs = recipe.steps() != null;
        return request(asked, template, secured, ours.reference(), theirs || Boolean.TRUE.equals(recipe.warm()) ? null : SECURITY, theirs ? null : HOME);
    }

    /** Captured processes have theirs already. */
    private static @Nullable String security(Snapshot snapshot) {
        return snapshot.kind().equals("disk") ? SECURITY : null;
    }

    private static void requireKnown(NewSandbox asked) {
        if (asked.iam() != null) {
            throw invalid("iam: this server issues no tokens for other services.");
        }
        if (asked.mcp() != null) {
            throw invalid("mcp: this server has no gateway to MCP servers in sandboxes.");
        }
        if (Boolean.FALSE.equals(asked.autoPauseMemory()) && (!Boolean.TRUE.equals(asked.autoPause()) || wakes(asked))) {
            throw invalid("autoPauseMemory: false goes with autoPause, and not with autoResume.");
        }
    }

    private CreateSandbox request(NewSandbox asked, String template, boolean secured, @Nullable String from, @Nullable String security, @Nullable String workdir) {
        @Nullable String onTimeout = !Boolean.TRUE.equals(asked.autoPause()) ? "kill" : Boolean.FALSE.equals(asked.autoPauseMemory()) ? "pause-disk" : "pause";
        return new CreateSandbox(
                null,
                null,
                security,
                null,
                null,
                null,
                null,
                asked.envVars(),
                labels(asked, template, secured),
                null,
                null,
                timeout(asked.timeout()),
                onTimeout,
                0L,
                null,
                null,
                from,
                null,
                wakes(asked),
                null,
                null,
                null,
                NetworkRules.policy(asked.allowInternetAccess(), asked.network()).orElse(null),
                null,
                volumes(asked),
                null,
                null,
                workdir == null ? null : USER,
                workdir,
                null);
    }

    /** Who wants no time at all has at least a moment: for the engine it would be for ever. */
    static long timeout(@Nullable Long asked) {
        return asked == null ? STANDARD_TIMEOUT : Math.max(1, asked);
    }

    private static boolean wakes(NewSandbox asked) {
        return asked.autoResume() != null && (Boolean.TRUE.equals(asked.autoResume().enabled()) || "any".equals(asked.autoResume().policy()));
    }

    private static Map<String, String> labels(NewSandbox asked, String template, boolean secured) {
        Map<String, String> labels = new HashMap<>();
        Map<String, String> others = new HashMap<>();
        Objects.requireNonNullElse(asked.metadata(), Map.<String, String>of())
                .forEach((name, value) -> (Rules.LABEL.matcher(name).matches() && !Facts.isOurs(name) ? labels : others).put(name, value));
        Facts facts = new Facts(template, secured, others.isEmpty() ? null : others, asked.allowInternetAccess(), asked.network());
        labels.put(Facts.LABEL, facts.text());
        return labels;
    }

    private static @Nullable List<VolumeMount> volumes(NewSandbox asked) {
        List<MountedVolume> mounts = Objects.requireNonNullElse(asked.volumeMounts(), List.of());
        return mounts.isEmpty() ? null : mounts.stream().map(mount -> new VolumeMount(mount.name(), mount.path(), "shared")).toList();
    }

    /** A template that was never built is built now; that may take longer than anybody waits for an answer. */
    private void requireBuilt(String name) throws InterruptedException {
        if (engine.templates().isBuilt(name).equals(Optional.of(true))) {
            return;
        }
        String build = engine.templates().build(name, new BuildTemplate(null, null)).id();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long version = 0;
        while (engine.builds().get(build).endedAt() == null) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (left.isNegative()) {
                throw new SandglassException(
                        ErrorCode.TEMPLATE_BUILDING, "The template '" + name + "' is being built for its first use, which takes some minutes.", "Try again in a moment.");
            }
            version = engine.builds().await(build, version, Long.MAX_VALUE, left).version();
        }
    }

    private static SandglassException invalid(String what) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, what, "");
    }
}
