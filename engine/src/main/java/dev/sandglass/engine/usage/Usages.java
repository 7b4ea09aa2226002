package dev.sandglass.engine.usage;

import dev.sandglass.engine.life.Consumption;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxLimits;
import dev.sandglass.wire.SandboxStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What sandboxes and this machine use. Thread-safe. */
public final class Usages implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Usages.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int KEPT = 180;
    private static final long MIB = 1 << 20;

    private final Sandboxes sandboxes;
    private final Map<SandboxId, History> histories = new ConcurrentHashMap<>();
    private final History total = new History(KEPT);
    private final ScheduledExecutorService sampler =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("sampler").factory());
    private volatile Host.Ticks ticks = new Host.Ticks(0, 0);
    private volatile double hostShare;

    public Usages(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
        sampler.scheduleWithFixedDelay(this::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What one sandbox uses, in whatever state it is. */
    public SandboxStats of(String ref) {
        Sandbox sandbox = sandboxes.get(ref);
        SandboxId id = new SandboxId(sandbox.id());
        Optional<History> history = Optional.ofNullable(histories.get(id));
        Consumption consumption = sandboxes.consumption(id, sandbox.runtime());
        Sample now = Samples.of(now(), consumption, history.flatMap(History::last).or(() -> sinceStart(sandbox)));
        boolean hidden = now.processes() == null && sandbox.state().equals("running");
        return stats(
                sandbox,
                hidden ? new Sample(now.at(), now.cpus(), now.cpuMs(), now.memoryBytes(), now.diskBytes(), processesInside(sandbox.id())) : now,
                consumption.usage().oomKills(),
                history.map(History::all).orElse(List.of()));
    }

    /** What the machine uses, and each sandbox that runs. */
    public HostStats host() {
        Map<String, Sample> newest = new HashMap<>();
        Map<String, Long> oomKills = new HashMap<>();
        histories.forEach((id, history) -> history.last().ifPresent(sample -> {
            newest.put(id.text(), sample);
            oomKills.put(id.text(), history.oomKills());
        }));
        List<SandboxStats> running = sandboxes.list().stream()
                .filter(sandbox -> newest.containsKey(sandbox.id()))
                .map(sandbox -> stats(sandbox, newest.getOrDefault(sandbox.id(), Samples.nothing(now())), oomKills.getOrDefault(sandbox.id(), 0L), null))
                .toList();
        try {
            int cpus = Runtime.getRuntime().availableProcessors();
            long memory = Host.kibibytes("/proc/meminfo", "MemTotal");
            return new HostStats(
                    now(),
                    cpus,
                    hostShare * cpus,
                    memory,
                    memory - Host.kibibytes("/proc/meminfo", "MemAvailable"),
                    sandboxes.pool(),
                    Host.daemon(),
                    total.last().orElse(Samples.nothing(now())),
                    INTERVAL.toMillis(),
                    total.all(),
                    running);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static SandboxStats stats(Sandbox sandbox, Sample now, long oomKills, @Nullable List<Sample> history) {
        return new SandboxStats(
                sandbox.id(),
                sandbox.name(),
                sandbox.state(),
                now,
                new SandboxLimits(sandbox.memoryMb() * MIB, sandbox.cpus(), sandbox.diskMb() * MIB, sandbox.maxProcesses()),
                oomKills,
                INTERVAL.toMillis(),
                history);
    }

    private static Optional<Sample> sinceStart(Sandbox sandbox) {
        return Optional.ofNullable(sandbox.startedAt()).map(Samples::nothing);
    }

    /**
     * Asks inside, where a kernel of its own hides the processes from the host; the agent counts too, as it does elsewhere. To look is no use of a sandbox,
     * and wakes none. Nothing if it has stopped meanwhile, or is too busy to tell.
     */
    private @Nullable Long processesInside(String sandbox) {
        Optional<Long> count = sandboxes.live().processes(sandbox).map(list -> list.processes().size() + 1L);
        return count.isPresent() ? count.get() : null;
    }

    private void sample() {
        try {
            List<LiveSandbox> live = sandboxes.live().all();
            histories.keySet().retainAll(live.stream().map(LiveSandbox::id).toList());
            live.forEach(this::sample);
            List<Sample> newest = histories.values().stream().flatMap(history -> history.last().stream()).toList();
            total.add(Samples.total(now(), newest), 0);
            Host.Ticks before = ticks;
            Host.Ticks now = Host.ticks();
            hostShare = now.share(before);
            ticks = now;
        } catch (IOException | RuntimeException problem) {
            LOG.warn("What is used could not be read: {}", problem.toString());
        }
    }

    private void sample(LiveSandbox sandbox) {
        try {
            Consumption consumption = sandboxes.consumption(sandbox.id(), sandbox.record().runtime());
            History history = histories.computeIfAbsent(sandbox.id(), _ -> new History(KEPT));
            history.add(
                    Samples.of(now(), consumption, history.last().or(() -> sandbox.record().startedAt().map(Samples::nothing))),
                    consumption.usage().oomKills());
        } catch (RuntimeException gone) {
            LOG.debug("No sample of {}", sandbox.id(), gone); // it may have been destroyed meanwhile
        }
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public void close() {
        sampler.shutdownNow();
    }
}
