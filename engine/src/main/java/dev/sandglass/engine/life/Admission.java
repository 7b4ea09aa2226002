package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns a request into the record of a sandbox as it is to be, or refuses it. Touches nothing. */
final class Admission {
    private final Defaults defaults;
    private final Map<String, Runtime> runtimes;
    private final HostClock clock;
    private final Generations generations;
    private final VainRules vain;

    /** @param runtimes in the order in which {@code auto} prefers them */
    Admission(Defaults defaults, Map<String, Runtime> runtimes, HostClock clock, Generations generations, VainRules vain) {
        this.defaults = defaults;
        this.runtimes = runtimes;
        this.clock = clock;
        this.generations = generations;
        this.vain = vain;
    }

    /**
     * A sandbox to be made.
     *
     * @param name that of the request or one chosen for it
     * @param from the snapshot with which it begins, if any
     * @param memory the runtime's image of the processes with which it begins, if any
     */
    SandboxRecord admit(
            CreateSandbox request, String name, Optional<SnapshotRecord> from, Optional<Path> memory, Image image, String agent) {
        List<String> warnings = new ArrayList<>();
        Runtime runtime = runtime(request.runtime() == null ? from.map(SnapshotRecord::runtime).orElse(null) : request.runtime());
        Optional<SnapshotRecord.Memory> processes = memory.flatMap(_ -> from.flatMap(SnapshotRecord::memory));
        processes.ifPresent(captured -> Continuation.require(captured, from.orElseThrow(), request, runtime));
        Limits limits = Rules.limits(
                processes.map(SnapshotRecord.Memory::limits).orElse(defaults.limits()),
                request.memoryMb(),
                request.cpus(),
                request.diskMb(),
                request.maxProcesses(),
                defaults.hostCpus(),
                warnings);
        Optional<Policy> network = Networking.of(request, from, processes, defaults.network());
        network.ifPresent(policy -> warnings.addAll(vain.warnings(policy)));
        CommandDefaults commands = Rules.commandDefaults(request.user(), request.workdir()).over(from.map(SnapshotRecord::commandDefaults).orElse(image.commands()));
        memory.ifPresent(path -> Continuation.requireRoom(limits, runtime.leastMemory(path)));
        return new SandboxRecord(
                SandboxId.random(),
                1,
                Rules.sandboxName(name),
                new SandboxState.Creating(),
                runtime.name(),
                processes.map(SnapshotRecord.Memory::security).orElseGet(() -> security(request.security())),
                processes.map(SnapshotRecord.Memory::capabilities)
                        .orElseGet(() -> Rules.capabilities(request.capAdd(), request.capDrop(), runtime.capabilities(), runtime.name())),
                limits,
                deadlines(request, Lifecycles.of(request, defaults, Construction.obstacleToMemory(runtime, network.isPresent()), warnings)),
                environment(commands, Rules.pairs("env", Rules.VARIABLE, orEmpty(request.env()))),
                Rules.pairs("labels", Rules.LABEL, orEmpty(request.labels())),
                image.id(),
                processes.map(SnapshotRecord.Memory::agent).orElse(agent),
                List.copyOf(warnings),
                clock.instant(),
                Optional.empty(),
                from.map(snapshot -> Lineage.copy(Optional.of(snapshot.id()), snapshot.layers(), generations.next(snapshot.generation()))).orElse(Lineage.OF_AN_IMAGE),
                network,
                Grants.of(request.credentials(), network, name),
                List.of(), // volumes are given to what is admitted
                commands);
    }

    /** The next version of a sandbox that is to be changed. */
    SandboxRecord revise(SandboxRecord record, UpdateSandbox request) {
        List<String> warnings = new ArrayList<>();
        Limits limits = Rules.limits(
                record.limits(),
                request.memoryMb(),
                request.cpus(),
                request.diskMb(),
                request.maxProcesses(),
                defaults.hostCpus(),
                warnings);
        Runtime runtime = Objects.requireNonNull(runtimes.get(record.runtime()));
        Optional<String> obstacle = Construction.obstacleToMemory(runtime, record.network().isPresent());
        Lifecycle lifecycle = Lifecycles.of(record.deadlines().lifecycle(), request, obstacle, warnings);
        Moment now = clock.now();
        Deadlines deadlines = record.deadlines().revised(
                request.timeout() == null ? record.deadlines().timeout() : deadline("timeout", request.timeout(), now),
                request.hardTtl() == null ? record.deadlines().hardTtl() : deadline("hard_ttl", request.hardTtl(), now),
                lifecycle,
                now);
        return record.revised(
                request.name() == null ? record.name() : Rules.sandboxName(request.name()),
                limits,
                request.ttl() == null ? deadlines : deadlines.used(now), // all times that are told count from now
                merged(record.labels(), request.labels()),
                warnings(record, request.cpus() != null, !lifecycle.equals(record.deadlines().lifecycle()), warnings));
    }

    /** What was warned of before, but for what is decided anew. */
    private static List<String> warnings(SandboxRecord record, boolean newCpus, boolean newLifecycle, List<String> fresh) {
        Stream<String> stay = record.warnings().stream()
                .filter(warning -> !(newCpus && warning.startsWith(Rules.CPUS)) && !(newLifecycle && (warning.startsWith(Lifecycles.LOSS) || warning.startsWith(Lifecycles.DISK_ONLY))));
        return Stream.concat(stay, fresh.stream()).toList();
    }

    private static Map<String, String> merged(Map<String, String> before, @Nullable Map<String, @Nullable String> changes) {
        if (changes == null) {
            return before;
        }
        Map<String, String> labels = new HashMap<>(before);
        changes.forEach((name, value) -> {
            if (value == null) {
                labels.remove(name);
            } else {
                labels.put(name, value);
            }
        });
        return Rules.pairs("labels", Rules.LABEL, labels);
    }

    private Deadlines deadlines(CreateSandbox request, Lifecycle lifecycle) {
        boolean linger = Boolean.TRUE.equals(request.linger());
        if (linger && (isSet(request.timeout()) || isSet(request.hardTtl()) || isSet(request.ttl()))) {
            throw Rules.invalid("linger", "true", "no timeout, ttl or hard_ttl beside it");
        }
        Moment now = clock.now();
        long timeout = request.timeout() == null ? defaults.timeoutSeconds() : request.timeout();
        long hardTtl = request.hardTtl() == null ? defaults.hardTtlSeconds() : request.hardTtl();
        return linger
                ? Deadlines.of(Optional.empty(), Optional.empty(), lifecycle)
                : Deadlines.of(deadline("timeout", timeout, now), deadline("hard_ttl", hardTtl, now), lifecycle);
    }

    private static boolean isSet(@Nullable Long seconds) {
        return seconds != null && seconds != 0;
    }

    private static Optional<Deadline> deadline(String field, long seconds, Moment now) {
        return Rules.seconds(field, seconds).map(length -> Deadline.after(length, now));
    }

    /** What the image or the template says, below what the creator says. */
    private static Map<String, String> environment(CommandDefaults commands, Map<String, String> asked) {
        Map<String, String> all = new LinkedHashMap<>(commands.env());
        all.putAll(asked);
        return all;
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> asked) {
        return asked == null ? Map.of() : asked;
    }

    /** The runtime with that name, {@code auto} and absence included. */
    Runtime runtime(@Nullable String asked) {
        String name = asked == null ? defaults.runtime() : asked;
        if (name.equals("auto")) {
            for (Runtime runtime : runtimes.values()) {
                if (runtime.status().available()) {
                    return runtime;
                }
            }
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE, "No runtime works on this machine.", "`sandglass doctor` tells what is missing.");
        }
        Runtime runtime = runtimes.get(name);
        if (runtime == null) {
            throw Rules.invalid("runtime", name, "auto, " + String.join(", ", runtimes.keySet()));
        }
        RuntimeStatus status = runtime.status();
        if (!status.available()) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "The runtime " + name + " does not work here: " + status.reason(),
                    "`sandglass doctor` tells what to do, or use --runtime auto.");
        }
        return runtime;
    }

    private Security security(@Nullable String asked) {
        if (asked == null) {
            return defaults.security();
        }
        return Security.of(asked).orElseThrow(() -> Rules.invalid("security", Rules.printable(asked), "strict or standard"));
    }
}
