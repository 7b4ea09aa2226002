package dev.sandglass.engine.volume;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumePosition;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.VolumeStore;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeState;
import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.VolumeList;
import dev.sandglass.wire.VolumeUser;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The volumes of this machine. Thread-safe. */
public final class Volumes {
    private static final long MIB = 1 << 20;
    private static final long DEFAULT_MB = 10_240;
    private static final long LEAST_MB = 1;
    private static final long MOST_MB = 1 << 30;
    private static final Duration READERS = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final VolumeLedger ledger;
    private final VolumeStore store;
    private final Supplier<Set<SandboxId>> unconfirmed;

    public Volumes(Ledger ledger, VolumeStore store) {
        this.ledger = ledger.volumes();
        this.store = store;
        this.unconfirmed = ledger::unconfirmed;
    }

    public Volume create(CreateVolume request) {
        VolumeId id = VolumeId.random();
        VolumeRecord wanted = new VolumeRecord(
                id,
                request.name() == null ? "volume-" + id.text().substring(4) : Rules.name(request.name()),
                VolumeState.CREATING,
                false,
                size(request.sizeMb()) * MIB,
                Optional.empty(),
                labels(request.labels()),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
        store.create(wanted);
        return shown(wanted, List.of());
    }

    private static long size(@Nullable Long asked) {
        long megabytes = asked == null ? DEFAULT_MB : asked;
        if (megabytes < LEAST_MB || megabytes > MOST_MB) {
            throw Rules.invalid("size_mb", String.valueOf(megabytes), LEAST_MB + " to " + MOST_MB);
        }
        return megabytes;
    }

    private static Map<String, String> labels(@Nullable Map<String, String> asked) {
        return Rules.pairs("labels", Rules.LABEL, asked == null ? Map.of() : asked);
    }

    public Volume get(String ref) {
        VolumeRecord record = ledger.resolve(ref);
        return shown(record, ledger.users(record.id()));
    }

    /** A page of those that somebody wants to see. */
    public VolumeList list(VolumeListing listing) {
        List<VolumeRecord> found = ledger.list(listing.after(), listing::wants, listing.limit() + 1);
        List<VolumeRecord> page = found.subList(0, Math.min(found.size(), listing.limit()));
        Map<VolumeId, List<VolumeLedger.User>> users = ledger.users();
        String next = found.size() > page.size() ? VolumePosition.of(page.getLast()).text() : null;
        return new VolumeList(page.stream().map(record -> shown(record, users.getOrDefault(record.id(), List.of()))).toList(), next);
    }

    /** Removes one for good; {@code conflict} if sandboxes have it. */
    public void delete(String ref) {
        VolumeRecord volume = ledger.resolveWhole(ref);
        awaitReaders(volume);
        store.delete(volume);
    }

    /** Who read a file just now may be told so before the sandbox is gone that did it. */
    private void awaitReaders(VolumeRecord volume) {
        long deadline = System.nanoTime() + READERS.toNanos();
        while (hasReadersOnly(volume) && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
    }

    private boolean hasReadersOnly(VolumeRecord volume) {
        List<VolumeLedger.User> users = ledger.users(volume.id());
        Set<SandboxId> passing = users.isEmpty() ? Set.of() : unconfirmed.get();
        return !users.isEmpty() && users.stream().allMatch(user -> passing.contains(user.id()));
    }

    /** Keeps what a volume is now: a volume of its own that never changes. */
    public Volume snapshot(String ref, CopyVolume request) {
        return copy(ref, request, true);
    }

    /** Makes a volume that begins with what another one, or a snapshot of one, has now. */
    public Volume fork(String ref, CopyVolume request) {
        return copy(ref, request, false);
    }

    private Volume copy(String ref, CopyVolume request, boolean isSnapshot) {
        VolumeRecord source = ledger.resolve(ref);
        VolumeRecord wanted = VolumeStore.copyOf(source, Optional.ofNullable(request.name()).map(Rules::name), labels(request.labels()), isSnapshot);
        store.copy(source, wanted);
        return shown(wanted, List.of());
    }

    private Volume shown(VolumeRecord record, List<VolumeLedger.User> users) {
        OptionalLong used = store.used(record.id());
        return new Volume(
                record.id().text(),
                record.name(),
                record.isSnapshot() ? "snapshot" : "volume",
                record.bytes() / MIB,
                used.isPresent() ? used.getAsLong() : null,
                record.source().map(VolumeId::text).orElse(null),
                record.labels(),
                record.createdAt(),
                users.stream().map(user -> new VolumeUser(user.id().text(), user.name(), user.use().path(), user.use().mode().text())).toList());
    }
}
