package dev.sandglass.engine.guest;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A service as the agent tells it: hostile, but within bounds.
 *
 * @param pid 0 where none runs
 * @param status as of a command that ended, if it ever did
 * @param health empty where nothing is checked
 * @param restart as in a unit file
 */
public record ServiceFacts(
        String name,
        State state,
        long pid,
        Instant since,
        long restarts,
        OptionalInt status,
        Optional<String> description,
        boolean enabled,
        int port,
        Optional<Health> health,
        Optional<String> reason,
        Optional<String> path,
        List<String> unsupported,
        Optional<String> command,
        Optional<String> user,
        Optional<String> directory,
        String restart) {
    private static final int SHORT = 256;
    private static final int LONG = 4096;
    private static final int MOST_UNSUPPORTED = 64;

    /** What it does; in the order of docs/guest-protocol.md. */
    public enum State {
        INACTIVE,
        STARTING,
        RUNNING,
        EXITED,
        STOPPING,
        WAITING,
        FAILED
    }

    /** What its check says; in the order of docs/guest-protocol.md. */
    public enum Health {
        UNKNOWN,
        HEALTHY,
        UNHEALTHY
    }

    public static ServiceFacts of(FieldReader fields) throws IOException {
        return new ServiceFacts(
                cut(fields.text(1).orElse(""), SHORT),
                one(State.values(), fields.number(2), "service state"),
                Math.max(0, fields.number(3)),
                GuestExit.timeOf(fields.number(4)),
                Math.max(0, fields.number(5)),
                fields.has(6) ? OptionalInt.of((int) fields.number(6)) : OptionalInt.empty(),
                text(fields, 7, LONG),
                fields.number(8) != 0,
                Math.clamp(fields.number(9), 0, 65535),
                fields.has(10) ? Optional.of(one(Health.values(), fields.number(10), "service health")) : Optional.empty(),
                text(fields, 11, LONG),
                text(fields, 12, LONG),
                fields.texts(13).stream().limit(MOST_UNSUPPORTED).map(text -> cut(text, SHORT)).toList(),
                text(fields, 14, LONG),
                text(fields, 15, SHORT),
                text(fields, 16, LONG),
                cut(fields.text(17).orElse("no"), SHORT));
    }

    private static <T> T one(T[] all, long number, String what) throws ProtocolException {
        if (number < 0 || number >= all.length) {
            throw new ProtocolException(what + ": " + number + " (expected: 0 to " + (all.length - 1) + ")");
        }
        return all[(int) number];
    }

    private static Optional<String> text(FieldReader fields, int tag, int most) {
        return fields.text(tag).filter(text -> !text.isEmpty()).map(text -> cut(text, most));
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most);
    }
}
