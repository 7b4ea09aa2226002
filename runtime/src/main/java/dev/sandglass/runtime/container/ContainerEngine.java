package dev.sandglass.runtime.container;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupPlace;
import dev.sandglass.runtime.oci.SandboxDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The programs that can run a container, best first. */
public enum ContainerEngine {
    /** Enters no control group by itself: the launch does it. */
    CRUN("crun", 16),
    /** Enters its control group itself, and from 1.2 on refuses one that has a process in it. */
    RUNC("runc", 64);

    private static final Path UNIFIED = Path.of("/sys/fs/cgroup/unified/cgroup.controllers");

    private final String program;
    private final int launchTasks;

    ContainerEngine(String program, int launchTasks) {
        this.program = program;
        this.launchTasks = launchTasks;
    }

    String program() {
        return program;
    }

    /** Processes and threads that the engine itself has for a moment. */
    int launchTasks() {
        return launchTasks;
    }

    List<Path> entrances(Cgroup group) {
        return switch (this) {
            case CRUN -> allEntrances(group);
            case RUNC -> List.of();
        };
    }

    static List<Path> allEntrances(Cgroup group) {
        return group.places().stream().map(CgroupPlace::entrance).toList();
    }

    List<String> startCommand(Path state, SandboxDirectory directory, SandboxId id) {
        List<String> command = new ArrayList<>(List.of(program, "--root", state.toString()));
        if (this == CRUN) {
            command.add("--cgroup-manager=disabled");
        }
        command.addAll(List.of("run", "--detach", "--bundle", directory.bundle().toString()));
        command.addAll(List.of("--pid-file", directory.pidFile().toString(), id.text()));
        return command;
    }

    /** Why it cannot run on this host although it is installed. */
    Optional<String> obstacle() {
        return switch (this) {
            case CRUN -> hasHybridControllers()
                    ? Optional.of("it takes no hybrid control groups, and " + UNIFIED.getParent() + " is mounted here")
                    : Optional.empty();
            case RUNC -> Optional.empty();
        };
    }

    private static boolean hasHybridControllers() {
        try {
            return !Files.readString(UNIFIED).isBlank();
        } catch (IOException _) {
            return false;
        }
    }
}
