package dev.sandglass.bench.agent;

import dev.sandglass.bench.Interruption;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A template like that of an agent under a name of its own, so that what the owner built stays as it is; closing it removes it. Not thread-safe. */
final class BuiltAgent implements AutoCloseable {
    private static final String PREFIX = "bench-";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int PAGE = 1000;

    /** How long a build took, and what came in from outside meanwhile. */
    record Building(double seconds, long received, String snapshot) {}

    private final Client client;
    private final Interruption interruption;
    private final String name;

    BuiltAgent(Client client, Interruption interruption, Agent agent) {
        this.client = client;
        this.interruption = interruption;
        this.name = PREFIX + agent.template();
        remove(); // what a run that was killed has left
        client.templates().create(Objects.requireNonNull(client.templates().get(agent.template()).recipe()).named(name), false);
    }

    String name() {
        return name;
    }

    Building build(boolean cache) throws IOException {
        long begun = System.nanoTime();
        Build build = client.templates().build(name, new BuildTemplate(null, cache));
        Map<Long, Long> received = new HashMap<>();
        try {
            while (build.endedAt() == null) {
                interruption.check();
                LockSupport.parkNanos(LOOK_NANOS);
                build = client.builds().get(build.id());
                look(build, received);
            }
        } finally {
            end(build);
        }
        Problem problem = build.error();
        if (problem != null) {
            throw SandglassException.from(problem);
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        return new Building(seconds, received.values().stream().mapToLong(Long::longValue).sum(), Objects.requireNonNull(build.snapshot()));
    }

    /** What the log says of connections changes as long as they last. */
    private void look(Build build, Map<Long, Long> received) {
        String sandbox = build.sandbox();
        if (sandbox == null) {
            return;
        }
        try {
            long after = 0;
            NetworkAttemptList page;
            do {
                page = client.attempts(sandbox, after, PAGE);
                for (NetworkAttempt attempt : page.attempts()) {
                    received.merge(attempt.id(), attempt.received(), Math::max);
                    after = Math.max(after, attempt.id());
                }
            } while (page.attempts().size() == PAGE);
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                throw problem;
            }
        }
    }

    /** A build that goes on although nobody wants it any more ends with its sandbox. */
    private void end(Build last) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        Build build = last;
        while (build.endedAt() == null && System.nanoTime() < deadline) {
            String sandbox = build.sandbox();
            if (sandbox != null) {
                client.destroy(sandbox);
            }
            LockSupport.parkNanos(LOOK_NANOS);
            build = client.builds().get(build.id());
        }
    }

    private void remove() {
        try {
            client.templates().delete(name);
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.TEMPLATE_NOT_FOUND) {
                throw problem;
            }
        }
    }

    @Override
    public void close() {
        remove();
    }
}
