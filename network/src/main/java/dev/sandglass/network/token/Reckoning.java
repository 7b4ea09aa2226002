package dev.sandglass.network.token;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one request to a model took: what the service says in its answer, or where it does not get to say it, because whoever asked has gone or did not want to know, what it may have been. That is
 * rather too much than too little: to leave early must not be cheaper. Thread-safe.
 */
public final class Reckoning {
    /** Bytes of a token, where nobody tells: more than most have. */
    private static final int TOKEN = 4;

    private final boolean mayAskForMuch;
    private final Tally tally = new Tally();
    private final JsonScan json = new JsonScan(tally);
    private final EventScan events = new EventScan(json);
    private Form form = Form.OTHER;
    private Packing packing = Packing.NONE;
    private boolean isAsked;
    private boolean isAnswered;
    private boolean isGood;
    private long bytes;
    private long length;
    private @Nullable Gunzip gunzip;

    private enum Form {
        EVENTS,
        JSON,
        OTHER
    }

    private enum Packing {
        NONE,
        GZIP,
        OTHER
    }

    /** @param method of the request: those that only read ask for nothing that a model has to say */
    public Reckoning(String method) {
        this.mayAskForMuch = !(method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS") || method.equals("DELETE"));
    }

    /**
     * What was used.
     *
     * @param isSaid whether the service said so
     */
    public record Cost(long tokens, boolean isSaid) {}

    /** The request was sent whole: whoever got it may be at work, whether an answer comes or not. */
    public synchronized void asked() {
        isAsked = true;
    }

    /**
     * An answer begins.
     *
     * @param type its content type, empty if it has none
     * @param encoding its content encoding, empty if it has none
     * @param said its length, less than 0 if nobody said it
     */
    public synchronized void begin(int status, String type, String encoding, long said) {
        isAnswered = true;
        isGood = status >= 200 && status < 300;
        length = said;
        String kind = type.toLowerCase(Locale.ROOT);
        form = kind.contains("event-stream") ? Form.EVENTS : kind.contains("json") ? Form.JSON : Form.OTHER;
        packing = switch (encoding.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> Packing.NONE;
            case "gzip", "x-gzip" -> Packing.GZIP;
            default -> Packing.OTHER;
        };
        gunzip = packing == Packing.GZIP ? new Gunzip(this::look) : null;
    }

    /** Looks at a part of the answer, and leaves it as it is. */
    public synchronized void take(ByteBuffer part) {
        bytes += part.remaining();
        switch (packing) {
            case NONE -> look(part.duplicate());
            case GZIP -> unpack(Objects.requireNonNull(gunzip), part.duplicate());
            case OTHER -> {}
        }
    }

    private void look(ByteBuffer part) {
        switch (form) {
            case EVENTS -> {
                while (part.hasRemaining()) {
                    events.take(part.get());
                }
            }
            case JSON -> {
                while (part.hasRemaining()) {
                    json.take(part.get());
                }
            }
            case OTHER -> {}
        }
    }

    /** What does not unpack is counted as what cannot be unpacked. */
    private void unpack(Gunzip gunzip, ByteBuffer part) {
        if (!gunzip.take(part)) {
            packing = Packing.OTHER;
        }
    }

    /**
     * The request is over, whoever ended it.
     *
     * @param sent bytes of the request's body
     */
    public synchronized Cost end(long sent) {
        if (gunzip != null) {
            gunzip.close();
        }
        json.reset(); // a number at the very end
        Tally told = packing == Packing.OTHER ? new Tally() : tally; // what was damaged is not believed
        if (isAsked && !isAnswered && mayAskForMuch) {
            return new Cost(Math.max(1, tokens(sent)), false);
        }
        if (told.isFinal() || !isGood || !mayAskForMuch) {
            return new Cost(told.total(), true);
        }
        long input = told.hasInput() ? told.input() : tokens(sent);
        return new Cost(Math.max(1, Tally.sum(input, Math.max(told.output(), output()))), false);
    }

    private long output() {
        if (packing == Packing.OTHER) {
            return Math.max(bytes, length);
        }
        return switch (form) {
            case EVENTS -> events.events() + tokens(json.textBytes());
            case JSON, OTHER -> tokens(Math.max(gunzip == null ? bytes : gunzip.bytes(), length));
        };
    }

    private static long tokens(long bytes) {
        return (bytes + TOKEN - 1) / TOKEN;
    }
}
