package dev.sandglass.bench.report;

/** What is measured of Sandglass itself, with its goal; SPECIFICATION.md says the same. */
public enum Quantity {
    START("daemon: start to first answer", 1500, "ms"),
    HELP("`sandglass --help`", 100, "ms"),
    LIST("`sandglass ls`", 150, "ms"),
    HEAP("daemon: heap in use, idle", 64, "MB"),
    RESIDENT("daemon: memory (RSS), idle", 320, "MB"),
    HEAP_EACH("daemon: heap for each idle %s sandbox", 2, "MB"),
    RESIDENT_EACH("daemon: memory (RSS) for each idle %s sandbox", 4, "MB"),
    CONTAINER_PROCESSES("processes of each idle container sandbox (PSS)", 1, "MB"),
    GVISOR_PROCESSES("processes of each idle gvisor sandbox (PSS)", 32, "MB"),
    FLAT_PAUSE("pause for the disk: %s", 2, "x"),
    UNCHANGED("snapshot of a disk on which nothing changed", 2, "ms"),
    PAUSE_AFTER_WRITING("pause for the disk right after %s MB were written", 150, "ms"),
    EXPORT("export of a snapshot of %s MB to a file", 200, "MB/s"),
    IMPORT("import of that file, checked", 200, "MB/s"),
    FORK_MEMORY("memory of each of %s forks, with 8 MB of its own", 64, "MB");

    private final String title;
    private final double goal;
    private final String unit;

    Quantity(String title, double goal, String unit) {
        this.title = title;
        this.goal = goal;
        this.unit = unit;
    }

    /** What the processes of a sandbox take is another thing on each runtime. */
    public static Quantity processesEach(String runtime) {
        return runtime.equals("gvisor") ? GVISOR_PROCESSES : CONTAINER_PROCESSES;
    }

    /** @param detail what stands for the gap in its title, where it has one */
    public Figure figure(double value, Object... detail) {
        return new Figure(title(detail), value, unit, goal, isRate() ? value >= goal : value <= goal);
    }

    String title(Object... detail) {
        return String.format(title, detail);
    }

    String goal() {
        return Goal.number(goal) + (unit.equals("x") ? "" : " ") + unit;
    }

    /** The more the better; of all else the less. */
    private boolean isRate() {
        return unit.equals("MB/s");
    }
}
