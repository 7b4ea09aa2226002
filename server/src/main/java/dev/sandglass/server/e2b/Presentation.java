package dev.sandglass.server.e2b;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.e2b.json.Created;
import dev.sandglass.server.e2b.json.Detail;
import dev.sandglass.server.e2b.json.Listed;
import dev.sandglass.server.e2b.json.MountedVolume;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.wire.Sandbox;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sandboxes as E2B clients see them. Thread-safe. */
final class Presentation {
    static final String RUNNING = "running";
    static final String PAUSED = "paused";
    /** What these clients find inside: nothing that they do is newer. */
    static final String VERSION_INSIDE = "0.6.13";
    private static final String CLIENT = "sandglass";
    private static final Set<String> RESTING = Set.of(PAUSED, "resuming");
    /** Of one that stays until somebody removes it. */
    private static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

    private final Access access;
    private final Optional<String> domain;

    /** @param domain below which its ports have host names */
    Presentation(Access access, Optional<String> domain) {
        this.access = access;
        this.domain = domain;
    }

    /** Which of their states a sandbox is in; in any other they do not see it. */
    static Optional<String> state(Sandbox sandbox) {
        boolean hidden = sandbox.labels().keySet().stream().anyMatch(label -> label.equals("sandglass.build") || label.equals("sandglass/for"));
        if (hidden) {
            return Optional.empty();
        }
        return sandbox.state().equals(RUNNING) ? Optional.of(RUNNING) : RESTING.contains(sandbox.state()) ? Optional.of(PAUSED) : Optional.empty();
    }

    /** Since when it runs, to the millisecond everywhere. */
    static Instant startedAt(Sandbox sandbox) {
        return Objects.requireNonNullElse(sandbox.startedAt(), sandbox.createdAt());
    }

    private static Instant endAt(Sandbox sandbox) {
        if (sandbox.timeoutAt() != null) {
            return sandbox.timeoutAt();
        }
        return sandbox.timeout() == null ? NEVER : startedAt(sandbox).plusSeconds(sandbox.timeout());
    }

    Created created(Sandbox sandbox) {
        SandboxId id = new SandboxId(sandbox.id());
        Facts facts = Facts.of(sandbox.labels());
        return new Created(
                template(sandbox, facts),
                id.undashed(),
                CLIENT,
                facts.template(),
                VERSION_INSIDE,
                facts.secured() ? access.token(id) : null,
                facts.privateTraffic() ? access.trafficToken(id) : null,
                domain.orElse(null));
    }

    Listed listed(Sandbox sandbox, String state) {
        Facts facts = Facts.of(sandbox.labels());
        return new Listed(
                template(sandbox, facts),
                facts.template(),
                Ids.undashed(sandbox.id()),
                CLIENT,
                startedAt(sandbox),
                endAt(sandbox),
                processors(sandbox),
                sandbox.memoryMb(),
                sandbox.diskMb(),
                Facts.metadata(sandbox.labels()),
                state,
                VERSION_INSIDE,
                volumes(sandbox));
    }

    Detail detail(Sandbox sandbox, String state) {
        SandboxId id = new SandboxId(sandbox.id());
        Facts facts = Facts.of(sandbox.labels());
        return new Detail(
                template(sandbox, facts),
                facts.template(),
                id.undashed(),
                CLIENT,
                startedAt(sandbox),
                endAt(sandbox),
                processors(sandbox),
                sandbox.memoryMb(),
                sandbox.diskMb(),
                Facts.metadata(sandbox.labels()),
                state,
                VERSION_INSIDE,
                volumes(sandbox),
                facts.secured() ? access.token(id) : null,
                domain.orElse(null),
                facts.internet(),
                facts.network(),
                new Detail.Lifecycle(sandbox.onTimeout().equals("kill") ? "kill" : "pause", sandbox.autoResume()));
    }

    private static String template(Sandbox sandbox, Facts facts) {
        @Nullable String asked = facts.template();
        return asked != null ? asked : sandbox.snapshot() == null ? TemplateNames.BASE : Ids.undashed(sandbox.snapshot());
    }

    private static int processors(Sandbox sandbox) {
        return (int) Math.max(1, Math.ceil(sandbox.cpus()));
    }

    private static List<MountedVolume> volumes(Sandbox sandbox) {
        return sandbox.volumes().stream().map(volume -> new MountedVolume(volume.name(), volume.path())).toList();
    }
}
