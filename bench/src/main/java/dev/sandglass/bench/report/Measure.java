package dev.sandglass.bench.report;

/** What is measured. */
public enum Measure {
    LIFE("create + first `true` + destroy"),
    CREATE("create (raw: mount)"),
    FIRST("first `true` (raw: run)"),
    DESTROY("destroy (raw: remove)"),
    EXEC("exec of `true` in a running sandbox"),
    WRITE("write a file of 64 MB (raw: exec `cat`)"),
    READ("read a file of 64 MB (raw: exec `cat`)"),
    CROWD("create 8 sandboxes at once (raw: start detached)");

    /** The size of the file that is written and read. */
    public static final int FILE_BYTES = 64 << 20;
    /** How many are created at once. */
    public static final int CROWD_SIZE = 8;

    private final String title;

    Measure(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    boolean isTransfer() {
        return this == WRITE || this == READ;
    }

    /** The parts of a life differ in what they hold: they are shown without ratios. */
    boolean isPart() {
        return this == CREATE || this == FIRST || this == DESTROY;
    }
}
