package dev.sandglass.runtime.container;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.MountTable;
import dev.sandglass.runtime.oci.SandboxDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the processes of a container that is frozen into an image; it is frozen afterwards too. */
record CriuDump(Criu criu, SandboxId id, SandboxDirectory directory, Cgroup group, CriuImage image) {
    /** A deleted file that is still open is kept with its content, up to so much of it. */
    private static final String MOST_OF_A_DELETED_FILE = "64M";

    void run() throws IOException {
        long pid = Long.parseLong(Files.readString(directory.pidFile()).strip());
        CriuImage.Outside outside = new CriuImage.Outside(new SandboxStreams(pid, directory).keys(), places(pid));
        Path log = directory.path().resolve("criu.log");
        int status = new Capturing(directory.path()).run(command(pid, outside), log);
        if (status != 0) {
            throw new CriuLog(log).failure(id, status);
        }
        image.describe(outside);
    }

    /** Those that CRIU could not make by itself: parts of filesystems that are the host's. */
    private static List<CriuImage.Place> places(long pid) throws IOException {
        return MountTable.of(pid).stream()
                .filter(entry -> !entry.root().equals("/") && !entry.type().equals("proc"))
                .map(entry -> new CriuImage.Place(entry.target(), entry.flags()))
                .toList();
    }

    private List<String> command(long pid, CriuImage.Outside outside) {
        List<String> command = new ArrayList<>(List.of(criu.program().toString(), "dump", "--tree", Long.toString(pid)));
        command.addAll(List.of("--images-dir", image.directory().toString(), "--work-dir", directory.path().toString()));
        command.addAll(List.of("--freeze-cgroup", group.freezerDirectory().toString(), "--leave-running"));
        command.addAll(List.of("--ghost-limit", MOST_OF_A_DELETED_FILE, "--network-lock", "skip"));
        command.addAll(CriuRestore.FLAGS);
        outside.streams().forEach(key -> command.addAll(List.of("--external", key)));
        outside.mounts().forEach(place -> command.addAll(List.of("--external", "mnt[" + place.target() + "]:" + place.target())));
        return command;
    }
}
