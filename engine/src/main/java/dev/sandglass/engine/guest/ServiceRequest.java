package dev.sandglass.engine.guest;

import java.util.List;
import java.util.OptionalInt;

/** A question or an order about services; the numbers are those of docs/guest-protocol.md. */
public record ServiceRequest(Operation operation, List<String> names, boolean follow, OptionalInt bytes) {
    /** What to do. */
    public enum Operation {
        LIST(1),
        START(2),
        STOP(3),
        RESTART(4),
        RELOAD(5),
        LOG(6);

        private final int number;

        Operation(int number) {
            this.number = number;
        }
    }

    private static final int FOLLOW = 1;

    /** Of the services that are named, or of all. */
    public static ServiceRequest of(Operation operation, String... names) {
        return new ServiceRequest(operation, List.of(names), false, OptionalInt.empty());
    }

    /**
     * The kept output of a service.
     *
     * @param follow whether what comes is told too, until the operation is closed
     * @param bytes at most so many of the newest
     */
    public static ServiceRequest log(String name, boolean follow, OptionalInt bytes) {
        return new ServiceRequest(Operation.LOG, List.of(name), follow, bytes);
    }

    byte[] encode() {
        Fields fields = new Fields().u8(1, operation.number);
        names.forEach(name -> fields.text(2, name));
        if (follow) {
            fields.u32(3, FOLLOW);
        }
        bytes.ifPresent(most -> fields.u32(4, most));
        return fields.toByteArray();
    }
}
