package dev.sandglass.bench.report;

import java.util.List;

/** What is measured beside the raw engines. */
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
    READ,
    PAUSE_SMALL,
    PAUSE_LARGE,
    PAUSE_MANY,
    RESTORE_SMALL,
    RESTORE_LARGE,
    FORK_SMALL,
    FORK_LARGE,
    COPIES,
    READY,
    READY_MANY,
    STREAM,
    REQUEST,
    REQUESTS,
    ROUTE_REQUEST,
    ROUTE_REQUESTS,
    WAKE;

    private static final String DIRECT = " (direct: from the other end of its network's link, with no daemon between)";

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
            case PAUSE_SMALL -> pause("8 MB of memory");
            case PAUSE_LARGE -> pause("256 MB of memory");
            case PAUSE_MANY -> pause("200 processes");
            case RESTORE_SMALL -> "from a snapshot with 8 MB of memory to the first `true` (raw: restore, exec)";
            case RESTORE_LARGE -> "from a snapshot with 256 MB of memory to the first `true` (raw: restore, exec)";
            case FORK_SMALL -> "from a running sandbox with 8 MB of memory to the first `true` in a fork (raw: capture, restore, exec)";
            case FORK_LARGE -> "from a running sandbox with 256 MB of memory to the first `true` in a fork (raw: capture, restore, exec)";
            case READY -> "create from a snapshot to the first output of a command (container: of the disk; gvisor: with memory)";
            case READY_MANY -> "the same, " + size.creates() + " at once, each";
            case STREAM -> "one stream of " + size.fileMegabytes() + " MB through the gateway (socat: a plain relay; the ratio is of times)";
            case REQUEST -> "one HTTPS request out of a sandbox, on an open connection";
            case REQUESTS -> size.requests() + " HTTPS requests out of a sandbox, " + Size.EXECS_AT_ONCE + " at once";
            case ROUTE_REQUEST -> "one HTTP request into a sandbox by a route, on an open connection" + DIRECT;
            case ROUTE_REQUESTS -> size.requests() + " HTTP requests into a sandbox by a route, " + Size.EXECS_AT_ONCE + " at once" + DIRECT;
            case WAKE -> "from a request by a route to the answer of a sandbox that was paused (by hand: `resume`, then the request; container: a pause keeps the disk, so its server starts anew)";
            case COPIES -> size.copies() + " forks of one snapshot (raw: restores, " + Size.CREATES_AT_ONCE + " at once)";
        };
    }

    /** What Sandglass is to reach on a runtime; SPECIFICATION.md says the same. */
    public List<Goal> goals(String runtime) {
        boolean container = runtime.equals("container");
        return switch (this) {
            case LIFE, CROWD -> List.of(new Goal.Times(container ? 1.5 : 1.2));
            case EXEC -> container ? List.of(new Goal.TimesOf(0.1, "raw runsc"), new Goal.Millis(2)) : List.of();
            case WRITE, READ -> List.of(new Goal.Times(2));
            case PAUSE_LARGE -> List.of(new Goal.Times(1.2), new Goal.Millis(1000));
            case PAUSE_SMALL, PAUSE_MANY, RESTORE_SMALL, RESTORE_LARGE, FORK_SMALL, FORK_LARGE -> List.of(new Goal.Times(1.2));
            case STREAM -> List.of(new Goal.Throughput(0.8, "socat"));
            case CREATE, FIRST, DESTROY, FLOOR, SWARM, COPIES, READY, READY_MANY, REQUEST, REQUESTS, ROUTE_REQUEST, ROUTE_REQUESTS, WAKE -> List.of();
        };
    }

    private static String pause(String what) {
        return "how long a snapshot lets " + what + " stand still (raw: pause, checkpoint, resume)";
    }

    boolean isTransfer() {
        return this == WRITE || this == READ || this == STREAM;
    }

    boolean isRequests() {
        return this == REQUESTS || this == ROUTE_REQUESTS;
    }

    /** How many things one sample holds; 1 for one thing. */
    int count(Size size) {
        return switch (this) {
            case CROWD -> size.creates();
            case SWARM -> size.execs();
            case COPIES -> size.copies();
            case REQUESTS, ROUTE_REQUESTS -> size.requests();
            default -> 1;
        };
    }

    /** The parts of a life differ in what they hold: they are shown without ratios. */
    boolean isPart() {
        return this == CREATE || this == FIRST || this == DESTROY;
    }
}
