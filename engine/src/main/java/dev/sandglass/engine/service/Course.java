package dev.sandglass.engine.service;

import dev.sandglass.engine.guest.ServiceFacts;
import dev.sandglass.engine.guest.ServiceFacts.Health;
import dev.sandglass.engine.guest.ServiceFacts.State;
import dev.sandglass.engine.ledger.Change;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one service did as far as this daemon was told, and what of that is news. Used by one thread. */
final class Course {
    private static final int SHOWN = 200;

    /** No more than is compared: a hostile agent has many services with long texts. */
    private record Seen(State state, long pid, long restarts, Health health) {}

    private final Instant since;
    private @Nullable Seen before;
    /** How often it had been started again when it ran last. */
    private long restarts;

    /** @param since when this daemon began to listen: what is older is known from another one */
    Course(Instant since) {
        this.since = since;
    }

    List<Change> next(ServiceFacts now) {
        List<Change> changes = new ArrayList<>();
        if (isNews(now)) {
            switch (now.state()) {
                case RUNNING, EXITED -> changes.add(change(now.restarts() > restarts ? "service.restarted" : "service.started", now));
                case FAILED -> changes.add(change("service.failed", now));
                case INACTIVE -> changes.add(change("service.stopped", now));
                case STARTING, STOPPING, WAITING -> {}
            }
        }
        Health was = before == null ? Health.UNKNOWN : before.health();
        Health is = now.health().orElse(Health.UNKNOWN);
        if (was != is && is != Health.UNKNOWN) {
            changes.add(change(is == Health.HEALTHY ? "service.healthy" : "service.unhealthy", now));
        }
        boolean runs = now.state() == State.RUNNING || now.state() == State.EXITED;
        restarts = runs ? now.restarts() : restarts;
        before = new Seen(now.state(), now.pid(), now.restarts(), is);
        return changes;
    }

    private boolean isNews(ServiceFacts now) {
        Seen last = before;
        return last == null
                ? !now.since().isBefore(since) && now.state() != State.INACTIVE
                : last.state() != now.state() || last.pid() != now.pid() || last.restarts() != now.restarts();
    }

    private static Change change(String type, ServiceFacts service) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("service", service.name());
        if (service.state() == State.FAILED) {
            service.reason().ifPresent(reason -> data.put("reason", reason.substring(0, Math.min(reason.length(), SHOWN))));
        }
        if (service.restarts() > 0) {
            data.put("restarts", String.valueOf(service.restarts()));
        }
        Integer code = Views.exitCode(service.status());
        if (code != null && !type.endsWith("healthy")) {
            data.put("exit_code", String.valueOf(code));
        }
        return new Change(type, data);
    }
}
