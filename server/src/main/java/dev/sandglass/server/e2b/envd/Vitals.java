package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.usage.Usages;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.SandboxStats;
import io.avaje.jsonb.Json;
import java.util.Objects;

/** What a sandbox uses, as it would tell itself. */
@Json(naming = Json.Naming.LowerUnderscore)
record Vitals(long ts, long cpuCount, double cpuUsedPct, long memTotal, long memUsed, long memCache, long memTotalMib, long memUsedMib, long diskUsed, long diskTotal) {
    private static final long MIB = 1 << 20;
    private static final int HUNDREDTHS = 100;

    static Vitals of(Usages usages, String sandbox) {
        SandboxStats stats = usages.of(sandbox);
        Sample now = stats.now();
        double cpus = stats.limits().cpus();
        long memory = stats.limits().memoryBytes();
        double share = cpus > 0 ? now.cpus() / cpus * HUNDREDTHS : 0;
        return new Vitals(
                now.at().getEpochSecond(),
                Math.max(1, (long) Math.ceil(cpus)),
                Math.round(share * HUNDREDTHS) / (double) HUNDREDTHS,
                memory,
                now.memoryBytes(),
                0,
                memory / MIB,
                now.memoryBytes() / MIB,
                Objects.requireNonNullElse(now.diskBytes(), 0L),
                stats.limits().diskBytes());
    }
}
