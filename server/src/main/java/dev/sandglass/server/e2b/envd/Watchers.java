package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.engine.file.Watch;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches whose events are kept until somebody asks for them. One that ends with a pause begins anew when it is asked again. Thread-safe. */
final class Watchers {
    private static final Logger LOG = LoggerFactory.getLogger(Watchers.class);
    private static final int MOST = 1024;
    private static final int MOST_OF_A_SANDBOX = 64;
    private static final int MOST_EVENTS = 10_000;

    @Json
    record Events(List<WatchFlow.FilesystemEvent> events) {}

    /** One of them. */
    private static final class Polled {
        private final WatchFlow.Watched watched;
        private final ArrayDeque<WatchFlow.FilesystemEvent> events = new ArrayDeque<>();
        private @Nullable Watch watch;
        private boolean overflowed;

        private Polled(WatchFlow.Watched watched) {
            this.watched = watched;
        }

        private synchronized void add(WatchFlow.FilesystemEvent event) {
            overflowed |= events.size() >= MOST_EVENTS;
            if (!overflowed) {
                events.add(event);
            }
        }

        private synchronized Events drain() {
            if (overflowed) {
                overflowed = false;
                events.clear();
                throw new RpcException(Code.RESOURCE_EXHAUSTED, "more than " + MOST_EVENTS + " events came since they were asked for; some are lost");
            }
            List<WatchFlow.FilesystemEvent> all = new ArrayList<>(events);
            events.clear();
            return new Events(all);
        }
    }

    private final UserFiles files;
    private final Sandboxes sandboxes;
    private final Map<String, Polled> watchers = new HashMap<>();

    Watchers(UserFiles files, Sandboxes sandboxes) {
        this.files = files;
        this.sandboxes = sandboxes;
    }

    /** Begins one; returns its id. */
    String create(WatchFlow.Watched watched) {
        Polled polled = new Polled(watched);
        String id = "w" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        add(id, polled);
        try {
            begin(polled);
        } catch (SandglassException refused) {
            forget(id);
            throw refused;
        }
        return id;
    }

    private synchronized void add(String id, Polled polled) {
        watchers.values().removeIf(each -> sandboxes.made(each.watched.account().sandbox()).isEmpty());
        String sandbox = polled.watched.account().sandbox();
        if (watchers.size() >= MOST || watchers.values().stream().filter(each -> each.watched.account().sandbox().equals(sandbox)).count() >= MOST_OF_A_SANDBOX) {
            throw new RpcException(Code.RESOURCE_EXHAUSTED, "there are too many watchers (expected: at most " + MOST_OF_A_SANDBOX + " of a sandbox)");
        }
        watchers.put(id, polled);
    }

    private synchronized void forget(String id) {
        watchers.remove(id);
    }

    Events events(String sandbox, String id) {
        Polled polled = find(sandbox, id);
        begin(polled);
        return polled.drain();
    }

    void remove(String sandbox, String id) {
        Polled polled = find(sandbox, id);
        forget(id);
        Watch watch;
        synchronized (polled) {
            watch = polled.watch;
        }
        Optional.ofNullable(watch).ifPresent(Watch::close);
    }

    private synchronized Polled find(String sandbox, String id) {
        return Optional.ofNullable(watchers.get(id))
                .filter(polled -> polled.watched.account().sandbox().equals(sandbox))
                .orElseThrow(() -> new RpcException(Code.NOT_FOUND, "watcher with id " + id + " not found"));
    }

    /** Returns when it is in place. */
    private void begin(Polled polled) {
        Watch begun;
        synchronized (polled) {
            if (polled.watch != null) {
                return;
            }
            begun = polled.watched.begin(files);
            begun.next(); // that it is ready
            polled.watch = begun;
        }
        Thread.ofVirtual().name("watcher").start(() -> follow(polled, begun));
    }

    private void follow(Polled polled, Watch watch) {
        try (watch) {
            while (true) {
                polled.watched.told(files, watch.next()).ifPresent(polled::add);
            }
        } catch (SandglassException ended) {
            LOG.debug("a watcher of {} ended: {}", polled.watched.path(), ended.what());
        } finally {
            synchronized (polled) {
                polled.watch = null;
            }
        }
    }
}
