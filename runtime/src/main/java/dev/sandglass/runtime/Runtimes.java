package dev.sandglass.runtime;

import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.ProcessWatch;
import dev.sandglass.runtime.container.ContainerEngine;
import dev.sandglass.runtime.container.ContainerIsolation;
import dev.sandglass.runtime.gvisor.GvisorIsolation;
import dev.sandglass.runtime.oci.OciRuntime;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The runtimes of this machine, strongest isolation first. Thread-safe.
 *
 * @param all those that Sandglass knows, whether they can run here or not
 */
public record Runtimes(List<Runtime> all) {
    public static final List<String> NAMES = List.of(GvisorIsolation.NAME, ContainerIsolation.NAME);

    /** What {@code auto} stands for here, and why. */
    public record Choice(Runtime runtime, String reason) {}

    /** Opens them on a run directory; the process must be in the mount namespace in which sandboxes are mounted. */
    public static Runtimes open(Path runDirectory) throws IOException {
        RunDirectory run = new RunDirectory(runDirectory);
        run.prepare();
        Cgroups cgroups = Cgroups.detect();
        ProcessWatch processes = ProcessWatch.start();
        return new Runtimes(List.of(
                new OciRuntime(new GvisorIsolation(run, cgroups), run, cgroups, processes),
                new OciRuntime(
                        new ContainerIsolation(run, cgroups, List.of(ContainerEngine.values())), run, cgroups, processes)));
    }

    /** Removes the control groups above those of sandboxes when no sandbox is left; for a daemon that ends for good. */
    public static void tidy(Path runDirectory) throws IOException {
        Cgroups.detect().removeIfEmpty(new RunDirectory(runDirectory).cgroupParent());
    }

    /** The strongest one that can run here. */
    public Choice automatic() {
        StringBuilder passed = new StringBuilder();
        for (Runtime runtime : all) {
            RuntimeStatus status = runtime.status();
            if (status.available()) {
                String engine = status.engine() + " " + status.version();
                return new Choice(runtime, runtime.name() + " (" + engine + ") is the strongest isolation here" + passed);
            }
            passed.append("; not ").append(runtime.name()).append(": ").append(status.reason());
        }
        throw new SandglassException(
                ErrorCode.RUNTIME_UNAVAILABLE,
                "No runtime can run here" + passed,
                "`sandglass setup` installs what is missing; `sandglass doctor` checks it.");
    }

    public List<RuntimeStatus> statuses() {
        return all.stream().map(Runtime::status).collect(Collectors.toList());
    }
}
