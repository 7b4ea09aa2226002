package dev.sandglass.runtime;

import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.ProcessWatch;
import dev.sandglass.runtime.container.ContainerEngine;
import dev.sandglass.runtime.container.ContainerIsolation;
import dev.sandglass.runtime.gvisor.GvisorIsolation;
import dev.sandglass.runtime.oci.Isolation;
import dev.sandglass.runtime.oci.OciRuntime;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The engines that every contract is tested on. */
enum Engine {
    CRUN,
    RUNC,
    RUNSC;

    Runtime open(RunDirectory run, Cgroups cgroups) throws IOException {
        run.prepare();
        Isolation isolation =
                switch (this) {
                    case CRUN -> new ContainerIsolation(run, cgroups, List.of(ContainerEngine.CRUN));
                    case RUNC -> new ContainerIsolation(run, cgroups, List.of(ContainerEngine.RUNC));
                    case RUNSC -> new GvisorIsolation(run, cgroups);
                };
        return new OciRuntime(isolation, run, cgroups, ProcessWatch.start());
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isGvisor() {
        return this == RUNSC;
    }
}
