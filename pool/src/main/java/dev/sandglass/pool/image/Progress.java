package dev.sandglass.pool.image;

import java.time.Duration;

/** Hears how a build goes: at every new phase, and about each second in between. */
public interface Progress {
    Progress SILENT = (phase, elapsed) -> {};

    void report(String phase, Duration elapsed);
}
