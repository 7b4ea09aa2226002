package dev.sandglass.server.doctor;

import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.runtime.Runtimes;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Examines this machine. */
public final class Examination {
    private static final long GIB = 1L << 30;

    /**
     * Those of sandboxes.
     *
     * @param directory where they are
     * @param needed whether a sandbox that does not say is to have one
     */
    public record Networks(Path directory, boolean needed) {}

    private Examination() {}

    /**
     * @param reserved what no sandbox reaches
     * @param deep reads the whole base image instead of looking at it
     */
    public static Report run(
            Runtimes runtimes, Supplier<Pool> pool, Function<Pool, BaseImages> images, ReservedAddresses reserved, Networks networks, boolean deep)
            throws IOException {
        List<Finding> findings = new ArrayList<>(HostChecks.run());
        findings.addAll(ProgramChecks.run());
        runtimes.statuses().forEach(status -> findings.add(runtime(status)));
        runtimes.all().stream().filter(runtime -> runtime.status().available()).forEach(runtime -> findings.add(memory(runtime)));
        String chosen = automatic(runtimes, findings);
        storage(pool, images, deep, findings);
        findings.add(NetworkChecks.run(networks.directory(), networks.needed()));
        findings.addAll(RegistryChecks.run(reserved));
        return new Report(chosen, findings);
    }

    private static Finding runtime(RuntimeStatus status) {
        String need = "runtime " + status.name();
        return status.available()
                ? Finding.pass(need, status.engine() + " " + status.version())
                : Finding.warn(need, String.valueOf(status.reason()), "`sandglass setup` installs what is missing.");
    }

    private static Finding memory(Runtime runtime) {
        String need = "full snapshots on " + runtime.name();
        return runtime.obstacleToMemory()
                .map(obstacle -> Finding.warn(need, "disk only: " + obstacle, "Install what is missing, or use the runtime gvisor, which captures memory too."))
                .orElseGet(() -> Finding.pass(need, "with memory and processes"));
    }

    private static String automatic(Runtimes runtimes, List<Finding> findings) {
        try {
            Runtimes.Choice choice = runtimes.automatic();
            findings.add(Finding.pass("auto", choice.reason()));
            return choice.runtime().name();
        } catch (SandglassException problem) {
            findings.add(Finding.fail("auto", problem.what(), problem.hint()));
            return "none";
        }
    }

    private static void storage(
            Supplier<Pool> pool, Function<Pool, BaseImages> images, boolean deep, List<Finding> findings) {
        try {
            Pool opened = pool.get();
            findings.add(poolKind(opened));
            findings.add(room(opened));
            findings.add(image(images.apply(opened), deep));
        } catch (SandglassException problem) {
            findings.add(Finding.fail("pool", problem.what(), problem.hint()));
        }
    }

    private static Finding poolKind(Pool pool) {
        PoolStatus status = pool.status();
        String note = status.note();
        String limits = pool.canLimit() ? "disk limits hold" : "disk limits do NOT hold";
        return pool.canLimit() && note == null
                ? Finding.pass("pool", status.kind() + ", " + limits)
                : Finding.warn("pool", status.kind() + ", " + limits, note == null ? "Put the data directory on btrfs." : note);
    }

    private static Finding room(Pool pool) {
        try {
            pool.requireRoom();
        } catch (SandglassException shortage) {
            return Finding.warn("disk", shortage.what(), shortage.hint());
        }
        PoolStatus status = pool.status();
        String free = status.freeBytes() / GIB + " GiB free";
        return status.freeBytes() >= 5 * GIB
                ? Finding.pass("disk", free)
                : Finding.warn("disk", free, "Make room: sandboxes fail when the disk is full.");
    }

    private static Finding image(BaseImages images, boolean deep) {
        try {
            String id = images.require().id();
            if (deep) {
                images.verify(id);
            }
            return Finding.pass("base image", id + (deep ? ", verified" : ""));
        } catch (SandglassException problem) {
            return Finding.fail("base image", problem.what(), problem.hint());
        }
    }
}
