package dev.sandglass.server.e2b;

import dev.sandglass.engine.life.Listing;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names of snapshots as E2B clients give them: several can have the same, which stands for the last one then, so they are kept in a label. The names of ours count too. Thread-safe.
 */
final class SnapshotNames {
    static final String LABEL = "sandglass.e2b.name";
    private static final String TAG = ":default";
    private static final Pattern NAME = Pattern.compile("(?:[a-z0-9][a-z0-9_-]*/)?[A-Za-z0-9][A-Za-z0-9_.-]{0,62}(?::[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?");
    private static final String OF_TEMPLATE = "sandglass.template";
    private static final int PAGE = 1000;

    private final Snapshots snapshots;

    SnapshotNames(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    /** A name that was asked for; {@code invalid_request}. */
    static String checked(String asked) {
        if (!NAME.matcher(asked).matches()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "name: " + Ids.shown(asked) + " (expected: letters, digits, '_', '.' and '-')", "");
        }
        return asked;
    }

    /** The names of a snapshot, each with its tag. */
    static List<String> of(Snapshot snapshot) {
        return name(snapshot).map(SnapshotNames::tagged).stream().toList();
    }

    private static Optional<String> name(Snapshot snapshot) {
        return Optional.ofNullable(snapshot.labels().get(LABEL)).or(() -> Optional.ofNullable(snapshot.name()));
    }

    private static String tagged(String name) {
        return name.indexOf(':') < 0 ? name + TAG : name;
    }

    /** Whether a snapshot has that name, with whatever tag if none is said. */
    static boolean has(Snapshot snapshot, String asked) {
        Optional<String> name = name(snapshot).map(SnapshotNames::tagged).map(SnapshotNames::own);
        String wanted = own(asked);
        return name.filter(own -> own.equals(wanted) || own.startsWith(wanted + ":")).isPresent();
    }

    /** Without the team before it. */
    private static String own(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** The last one of that name; of no tag in particular the one that is the default. */
    Optional<Snapshot> find(String asked) {
        String wanted = tagged(asked);
        return all().stream().filter(snapshot -> has(snapshot, wanted)).max(Comparator.comparing(Snapshot::createdAt).thenComparing(Snapshot::id));
    }

    /** Those that somebody asked for, without what templates were built into. */
    List<Snapshot> all() {
        List<Snapshot> all = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            SnapshotList page = snapshots.list(new Listing(Set.of("ready"), Optional.empty(), Optional.empty(), Map.of(), false, cursor, PAGE));
            page.snapshots().stream().filter(snapshot -> !snapshot.labels().containsKey(OF_TEMPLATE)).forEach(all::add);
            cursor = Optional.ofNullable(page.nextCursor());
        } while (cursor.isPresent());
        return all;
    }
}
