package dev.sandglass.bench;

import dev.sandglass.bench.report.Measure;

/** Takes the times of one round's parts. */
public interface Laps {
    void lap(Measure measure, long nanos);
}
