package dev.sandglass.server;

import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How many there are of everything that a daemon and its sandboxes hold on this host, whatever it is named: mounts, namespaces,
 * control groups, loop devices, quota groups, processes, the daemon's descriptors and threads, files.
 */
final class Census {
    private static final Pattern SANDBOX = Pattern.compile("sbx-[a-z0-9]{12}");
    private static final Pattern AHEAD = Pattern.compile("(?:ready|making)-[a-z0-9]+");
    private static final Pattern NAMESPACE = Pattern.compile("(net|user):\\[\\d+]");

    private final TestDaemon daemon;
    private final String group;
    private final Map<String, Integer> counts = new TreeMap<>();

    private Census(TestDaemon daemon) {
        this.daemon = daemon;
        this.group = new RunDirectory(daemon.run()).cgroupParent();
    }

    static Census of(TestDaemon daemon) throws IOException {
        Census census = new Census(daemon);
        census.mounts();
        census.processes();
        census.daemon();
        census.devices();
        for (Path hierarchy : Leftovers.entries(Path.of("/sys/fs/cgroup"))) {
            census.tree("cgroup", hierarchy.resolve(census.group), 10);
        }
        Path inside = Path.of(census.root());
        census.tree("file", daemon.data(), 2);
        census.tree("file", inside.resolve(daemon.data().resolve("pool").toString().substring(1)), 1);
        census.tree("file", daemon.run(), 10);
        return census;
    }

    /** What there is more of than there was then. */
    Map<String, Integer> beyond(Census earlier) {
        Map<String, Integer> more = new TreeMap<>();
        counts.forEach((what, count) -> {
            int before = earlier.counts.getOrDefault(what, 0);
            if (count > before) {
                more.put(what, count - before);
            }
        });
        return more;
    }

    /** What begins with one of these words. */
    Census only(String... kinds) {
        Census some = new Census(daemon);
        counts.forEach((what, count) -> {
            if (Arrays.stream(kinds).anyMatch(what::startsWith)) {
                some.counts.put(what, count);
            }
        });
        return some;
    }

    private void note(String what) {
        count(SANDBOX.matcher(what).replaceAll("sandbox").replaceAll("\\[\\d+]|\\d+", "#"));
    }

    /** One sandbox counts as much as another, and one network that was made ahead. */
    private void count(String what) {
        String kind = AHEAD.matcher(SANDBOX.matcher(what).replaceAll("sandbox")).replaceAll("ready");
        counts.merge(NAMESPACE.matcher(kind).replaceAll("$1:#"), 1, Integer::sum);
    }

    private void mounts() {
        for (Path process : new Path[] {Path.of("/proc", Long.toString(daemon.pid())), Path.of("/proc/self")}) {
            for (String line : Leftovers.read(process.resolve("mountinfo")).lines().toList()) {
                String[] fields = line.split(" ");
                if (line.contains(daemon.run().toString()) || line.contains(daemon.data().toString()) || process.endsWith("" + daemon.pid())) {
                    count("mount " + fields[3] + " at " + fields[4]);
                }
            }
        }
    }

    /** Those of sandboxes, the daemon's children and their children. Each namespace is noted once. */
    private void processes() throws IOException {
        java.util.Set<String> namespaces = new java.util.TreeSet<>();
        for (Path process : Leftovers.entries(Path.of("/proc"))) {
            String pid = process.getFileName().toString();
            if (pid.matches("[0-9]+") && isOurs(Long.parseLong(pid))) {
                note("process " + Leftovers.read(process.resolve("comm")).strip());
                for (Path namespace : Leftovers.entries(process.resolve("ns"))) {
                    namespaces.add(target(namespace));
                }
            }
        }
        namespaces.forEach(name -> note("namespace " + name));
    }

    private boolean isOurs(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        boolean inside = (Leftovers.read(process.resolve("cgroup")) + Leftovers.read(process.resolve("cmdline"))).contains(group);
        return inside || ProcessHandle.of(pid).flatMap(ProcessHandle::parent).filter(parent -> parent.pid() == daemon.pid()).isPresent();
    }

    private void daemon() throws IOException {
        Path process = Path.of("/proc", Long.toString(daemon.pid()));
        for (Path descriptor : Leftovers.entries(process.resolve("fd"))) {
            note("descriptor " + target(descriptor));
        }
        for (Path thread : Leftovers.entries(process.resolve("task"))) {
            String name = Leftovers.read(thread.resolve("comm")).strip();
            if (!name.startsWith("http-")) { // a small pool, which has a few more or less of them as it likes
                note("thread " + name);
            }
        }
    }

    private void devices() throws IOException {
        for (Path device : Leftovers.entries(Path.of("/sys/block"))) {
            String image = Leftovers.read(device.resolve("loop/backing_file")).strip();
            if (image.equals(daemon.data().resolve("pool.img").toString())) {
                note("loop device");
                quotaGroups(device.getFileName());
            }
        }
    }

    private void quotaGroups(Path device) throws IOException {
        for (Path filesystem : Leftovers.entries(Path.of("/sys/fs/btrfs"))) {
            if (Files.exists(filesystem.resolve("devices").resolve(device))) {
                for (Path quota : Leftovers.entries(filesystem.resolve("qgroups"))) {
                    note("quota group " + quota.getFileName());
                }
            }
        }
    }

    /** Ledgers and logs grow, and may. */
    private void tree(String kind, Path root, int depth) throws IOException {
        if (!Files.isDirectory(root)) {
            return;
        }
        Files.walkFileTree(root, EnumSet.noneOf(java.nio.file.FileVisitOption.class), depth, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                count(kind + " " + directory.toString().replace(root(), ""));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (!kind.equals("cgroup") && !file.getFileName().toString().matches("ledger.*|.*[.]log.*")) {
                    count(kind + " " + file.toString().replace(root(), ""));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** As the daemon sees it, where the pool is mounted. */
    private String root() {
        return "/proc/" + daemon.pid() + "/root";
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException gone) {
            return "gone";
        }
    }
}
