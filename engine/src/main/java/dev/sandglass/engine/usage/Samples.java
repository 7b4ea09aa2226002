package dev.sandglass.engine.usage;

import dev.sandglass.engine.life.Consumption;
import dev.sandglass.wire.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/** Makes samples of counters. */
final class Samples {
    /** Over less than that the share of a processor is noise. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private Samples() {}

    static Sample nothing(Instant at) {
        return new Sample(at, 0, 0, 0, null, null);
    }

    /** @param before the sample to compare with, if there is one */
    static Sample of(Instant at, Consumption consumption, Optional<Sample> before) {
        long cpuMs = consumption.usage().cpuMicros() / 1000;
        return new Sample(
                at,
                before.map(earlier -> cpus(at, cpuMs, earlier)).orElse(0.0),
                cpuMs,
                consumption.usage().memoryBytes(),
                consumption.diskBytes().isPresent() ? (Long) consumption.diskBytes().getAsLong() : null,
                consumption.seesProcesses() ? (Long) consumption.usage().processes() : null);
    }

    /** A counter that went back belongs to a sandbox that was started again. */
    private static double cpus(Instant at, long cpuMs, Sample before) {
        Duration passed = Duration.between(before.at(), at);
        if (passed.compareTo(SHORTEST) < 0) {
            return before.cpus();
        }
        return Math.max(0, cpuMs - before.cpuMs()) / (double) passed.toMillis();
    }

    static Sample total(Instant at, Collection<Sample> samples) {
        return new Sample(
                at,
                samples.stream().mapToDouble(Sample::cpus).sum(),
                samples.stream().mapToLong(Sample::cpuMs).sum(),
                samples.stream().mapToLong(Sample::memoryBytes).sum(),
                samples.stream().map(Sample::diskBytes).filter(Objects::nonNull).mapToLong(Long::longValue).sum(),
                samples.stream().map(Sample::processes).filter(Objects::nonNull).mapToLong(Long::longValue).sum());
    }
}
