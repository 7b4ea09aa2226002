package dev.sandglass.server.mcp;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** The sessions of clients that come over HTTP. Those that nobody uses are forgotten. Thread-safe. */
final class Sessions {
    private static final int MOST = 256;
    private static final long FORGOTTEN_NANOS = Duration.ofHours(1).toNanos();
    /** When the house is full, one that rested for so long makes room. */
    private static final long RESTED_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int ID_BYTES = 16;

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> sessions = new HashMap<>();

    synchronized Session open(Version version) {
        sessions.values().removeIf(session -> session.idleNanos() > FORGOTTEN_NANOS);
        if (sessions.size() >= MOST) {
            Session oldest = sessions.values().stream().max(Comparator.comparingLong(Session::idleNanos)).orElseThrow();
            if (oldest.idleNanos() < RESTED_NANOS) {
                throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + MOST + " sessions (expected: fewer).", "End some with DELETE, or wait a minute.");
            }
            sessions.remove(oldest.id());
        }
        byte[] id = new byte[ID_BYTES];
        random.nextBytes(id);
        Session session = new Session(HexFormat.of().formatHex(id), version);
        sessions.put(session.id(), session);
        return session;
    }

    synchronized Optional<Session> find(String id) {
        return Optional.ofNullable(sessions.get(id)).filter(session -> session.idleNanos() <= FORGOTTEN_NANOS);
    }

    /** False if there was none. */
    boolean close(String id) {
        Session known;
        synchronized (this) {
            known = sessions.remove(id);
        }
        if (known != null) {
            known.close();
        }
        return known != null;
    }
}
