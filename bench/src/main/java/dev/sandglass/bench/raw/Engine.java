package dev.sandglass.bench.raw;

import dev.sandglass.linux.Cgroups;
import dev.sandglass.runtime.container.ContainerEngine;
import dev.sandglass.runtime.container.ContainerIsolation;
import dev.sandglass.runtime.gvisor.GvisorIsolation;
import dev.sandglass.runtime.oci.Isolation;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The engines that are measured by themselves. */
public enum Engine {
    CRUN("crun", "container"),
    RUNC("runc", "container"),
    RUNSC("runsc", "gvisor");

    /** Options of a start that another use of the same command line must not have, each with a value or not. */
    private static final Set<String> DETACH = Set.of("--detach", "-detach");

    private static final Set<String> PID_FILE = Set.of("--pid-file", "-pid-file");

    private final String program;
    private final String family;

    Engine(String program, String family) {
        this.program = program;
        this.family = family;
    }

    public String program() {
        return program;
    }

    /** The runtime of Sandglass beside which it is shown. */
    public String family() {
        return family;
    }

    Isolation isolation(RunDirectory run) throws IOException {
        Cgroups cgroups = Cgroups.detect();
        return switch (this) {
            case CRUN -> new ContainerIsolation(run, cgroups, List.of(ContainerEngine.CRUN));
            case RUNC -> new ContainerIsolation(run, cgroups, List.of(ContainerEngine.RUNC));
            case RUNSC -> new GvisorIsolation(run, cgroups);
        };
    }

    /** The start command of Sandglass, but in the foreground. */
    static List<String> foreground(List<String> start) {
        List<String> command = new ArrayList<>();
        for (int i = 0; i < start.size(); i++) {
            if (PID_FILE.contains(start.get(i))) {
                i++;
            } else if (!DETACH.contains(start.get(i))) {
                command.add(start.get(i));
            }
        }
        return command;
    }

    /** The start command up to its verb: the program and the options that every verb takes. */
    static List<String> common(List<String> start) {
        return start.subList(0, start.indexOf("run"));
    }
}
