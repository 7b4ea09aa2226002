package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.Moment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

/** The clocks of this host. Thread-safe. */
public final class HostClock {
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** As precise as the ledger, so that every answer tells the same time. */
    private final Clock wall = Clock.tickMillis(ZoneOffset.UTC);

    private final String bootId = read(BOOT_ID);

    Instant instant() {
        return wall.instant();
    }

    public Moment now() {
        String seconds = read(UPTIME).split(" ", 2)[0];
        return new Moment(wall.instant(), bootId, Duration.ofMillis(Math.round(Double.parseDouble(seconds) * 1000)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
