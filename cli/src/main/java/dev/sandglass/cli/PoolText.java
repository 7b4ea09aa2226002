package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.SandboxPool;
import java.util.List;
import java.util.Objects;

/** Pools for people. */
final class PoolText {
    private PoolText() {}

    static String table(List<SandboxPool> pools, boolean styled) {
        Table table = new Table("NAME", "FROM", "MIN", "MAX", "READY", "FILLING", "CLAIMED", "MISSED", "MEMORY", "WARM-UP", "PROBLEM");
        for (SandboxPool one : pools) {
            table.row(
                    one.name(),
                    one.origin(),
                    Long.toString(one.minIdle()),
                    Long.toString(one.maxIdle()),
                    Long.toString(one.ready()),
                    Long.toString(one.filling()),
                    Long.toString(one.claimed()),
                    Long.toString(one.missed()),
                    Bytes.shown(one.memoryBytes()),
                    Objects.requireNonNullElse(one.warmUp(), ""),
                    Objects.requireNonNullElse(one.problem(), ""));
        }
        return table.withoutEmpty("WARM-UP", "PROBLEM").text(styled);
    }

    /** One pool for people. */
    static String line(SandboxPool one) {
        String many = one.maxIdle() == one.minIdle() ? "" : ", up to " + one.maxIdle();
        String problem = one.problem() == null ? "" : "   " + one.problem();
        return Inert.text(one.name() + "   " + one.minIdle() + " kept ready" + many + problem) + "\n";
    }
}
