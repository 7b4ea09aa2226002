package dev.sandglass.bench.report;

/** What is measured. */
public enum Measure {
    LIFE,
    CREATE,
    FIRST,
    DESTROY,
    EXEC,
    FLOOR,
    CROWD,
    SWARM,
    WRITE,
    READ;

    public String title(Size size) {
        return switch (this) {
            case LIFE -> "create + first `true` + destroy";
            case CREATE -> "create (raw: mount)";
            case FIRST -> "first `true` (raw: run)";
            case DESTROY -> "destroy (raw: remove)";
            case EXEC -> "exec of `true` in a running sandbox";
            case FLOOR -> "what a program inside needs to start `true` and wait for it: no exec can be quicker";
            case CROWD -> size.creates() + " creates, " + Size.CREATES_AT_ONCE + " at once (raw: start detached)";
            case SWARM -> size.execs() + " execs of `true`, " + Size.EXECS_AT_ONCE + " at once";
            case WRITE -> "write a file of " + size.fileMegabytes() + " MB (raw: exec `cat`)";
            case READ -> "read a file of " + size.fileMegabytes() + " MB (raw: exec `cat`)";
        };
    }

    boolean isTransfer() {
        return this == WRITE || this == READ;
    }

    /** How many things one sample holds; 1 for one thing. */
    int count(Size size) {
        return this == CROWD ? size.creates() : this == SWARM ? size.execs() : 1;
    }

    /** The parts of a life differ in what they hold: they are shown without ratios. */
    boolean isPart() {
        return this == CREATE || this == FIRST || this == DESTROY;
    }
}
