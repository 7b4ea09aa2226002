package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * One control group, a directory in every hierarchy. Thread-safe, but its owner makes, kills and removes it one at a time.
 */
public final class Cgroup {
    private static final int SHARE_OF_SOCKETS = 8;

    private final List<CgroupHierarchy> hierarchies;
    private final String parent;
    private final String name;

    Cgroup(List<CgroupHierarchy> hierarchies, String parent, String name) {
        this.hierarchies = hierarchies;
        this.parent = parent;
        this.name = name;
    }

    /** The path below each hierarchy's root. */
    public String path() {
        return "/" + parent + "/" + name;
    }

    /** Makes it where it is missing. */
    public void make() throws IOException {
        for (CgroupHierarchy hierarchy : hierarchies) {
            hierarchy.make(parent, name);
        }
    }

    /** Puts limits in force, or changes them. */
    public void limit(CgroupLimits limits) throws IOException {
        for (CgroupHierarchy hierarchy : hierarchies) {
            Path group = directory(hierarchy);
            Set<String> controllers = hierarchy.controllers();
            if (controllers.contains("memory")) {
                limitMemory(hierarchy, limits.memoryBytes());
            }
            if (controllers.contains("pids")) {
                Files.writeString(group.resolve("pids.max"), Long.toString(limits.processes()));
            }
            if (controllers.contains("cpu") && hierarchy.unified()) {
                Files.writeString(
                        group.resolve("cpu.max"), limits.quotaMicros() + " " + CgroupLimits.CPU_PERIOD_MICROS);
            } else if (controllers.contains("cpu")) {
                Files.writeString(group.resolve("cpu.cfs_period_us"), Long.toString(CgroupLimits.CPU_PERIOD_MICROS));
                Files.writeString(group.resolve("cpu.cfs_quota_us"), Long.toString(limits.quotaMicros()));
            }
        }
    }

    /** Its directory in each hierarchy. */
    public List<CgroupPlace> places() {
        return hierarchies.stream()
                .map(each -> new CgroupPlace(each.mount(), directory(each), each.unified(), each.controllers()))
                .toList();
    }

    /** What it uses; zeros when it does not exist. */
    public CgroupUsage usage() throws IOException {
        CgroupFiles files = new CgroupFiles(this::directoryWith);
        return isUnifiedFor("memory") ? files.usageV2() : files.usageV1();
    }

    /** {@link CgroupUsage#oomKills} alone. */
    public long oomKills() throws IOException {
        CgroupFiles files = new CgroupFiles(this::directoryWith);
        return isUnifiedFor("memory") ? files.oomKillsV2() : files.oomKillsV1();
    }

    /** Stops every process in it in its tracks; returns when all of them stand still, and fails when the time is over. */
    public void freeze(long deadlineNanos) throws IOException {
        freezer().freeze(deadlineNanos);
    }

    /** Lets its processes go on. */
    public void thaw() throws IOException {
        freezer().thaw();
    }

    /** Its directory in the hierarchy whose freezer stops it. */
    public Path freezerDirectory() {
        return directoryWith("freezer");
    }

    private CgroupFreezer freezer() {
        return new CgroupFreezer(freezerDirectory());
    }

    /** Kills every process in it, and those that they start meanwhile, and removes it; fails when the time is over. */
    public void destroy(long deadlineNanos) throws IOException {
        end().run(deadlineNanos);
    }

    /** Its processes now, in the order of their numbers; none if it does not exist. */
    public Set<Long> processes() throws IOException {
        return end().processes();
    }

    private CgroupEnd end() {
        return new CgroupEnd(hierarchies.stream().map(this::directory).toList());
    }

    private void limitMemory(CgroupHierarchy hierarchy, long bytes) throws IOException {
        Path group = directory(hierarchy);
        String text = Long.toString(bytes);
        if (hierarchy.unified()) {
            Files.writeString(group.resolve("memory.max"), text);
            writeIfThere(group.resolve("memory.swap.max"), "0");
            writeIfThere(group.resolve("memory.oom.group"), "0");
            return;
        }
        // Version 1 counts what sockets hold apart, in no limit at all.
        writeIfThere(group.resolve("memory.kmem.tcp.limit_in_bytes"), Long.toString(bytes / SHARE_OF_SOCKETS));
        Path memory = group.resolve("memory.limit_in_bytes");
        Path withSwap = group.resolve("memory.memsw.limit_in_bytes");
        // Memory may never be above memory with swap: raise the one first, lower the other first.
        boolean raises = bytes > Long.parseLong(Files.readString(memory).strip());
        if (raises) {
            writeIfThere(withSwap, text);
        }
        Files.writeString(memory, text);
        if (!raises) {
            writeIfThere(withSwap, text);
        }
    }

    private static void writeIfThere(Path file, String text) throws IOException {
        if (Files.exists(file)) {
            Files.writeString(file, text);
        }
    }

    private boolean isUnifiedFor(String controller) {
        return hierarchies.stream()
                .anyMatch(hierarchy -> hierarchy.unified() && hierarchy.controllers().contains(controller));
    }

    private Path directoryWith(String controller) {
        return hierarchies.stream()
                .filter(hierarchy -> hierarchy.controllers().contains(controller))
                .findFirst()
                .or(() -> hierarchies.stream().filter(CgroupHierarchy::unified).findFirst())
                .map(this::directory)
                .orElse(Path.of("/nonexistent"));
    }

    private Path directory(CgroupHierarchy hierarchy) {
        return hierarchy.mount().resolve(parent).resolve(name);
    }
}
