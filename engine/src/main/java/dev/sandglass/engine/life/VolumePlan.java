package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.engine.sandbox.VolumeState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.VolumeMount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Which volumes a sandbox gets: those that are asked for, and those that the snapshot had with which it begins, as they are, as copies, or not at all. Thread-safe. */
final class VolumePlan {
    /** What becomes of the volumes of a snapshot. */
    private enum Inheritance {
        SHARE,
        FORK,
        NONE;

        static Inheritance of(@Nullable String asked) {
            return switch (asked) {
                case null -> SHARE;
                case "share" -> SHARE;
                case "fork" -> FORK;
                case "none" -> NONE;
                default -> throw Rules.invalid("volumes_from", Rules.printable(asked), "share, fork or none");
            };
        }
    }

    private final VolumeLedger ledger;
    private final VolumeStore store;

    VolumePlan(Ledger ledger, VolumeStore store) {
        this.ledger = ledger.volumes();
        this.store = store;
    }

    /**
     * Those that a new sandbox is to have.
     *
     * @param copies of what must be copied for it before it is made, by the place that the copy gets
     */
    record Wanted(List<VolumeUse> uses, Map<VolumeUse, VolumeRecord> copies, Optional<SnapshotId> moment) {
        static final Wanted NOTHING = new Wanted(List.of(), Map.of(), Optional.empty());
    }

    /** What a request means; nothing is made yet. */
    Wanted of(CreateSandbox request, Optional<SnapshotRecord> from) {
        List<VolumeMount> asked = request.volumes() == null ? List.of() : request.volumes();
        List<VolumeUse> before = from.map(SnapshotRecord::volumes).orElse(List.of());
        Inheritance inheritance = Inheritance.of(request.volumesFrom());
        if (asked.isEmpty() && before.isEmpty()) {
            return Wanted.NOTHING;
        }
        List<VolumeUse> uses = new ArrayList<>();
        Map<VolumeUse, VolumeRecord> copies = new HashMap<>();
        Set<String> paths = new HashSet<>();
        asked.forEach(mount -> paths.add(VolumePaths.check(mount.path())));
        for (VolumeUse use : inheritance == Inheritance.NONE ? List.<VolumeUse>of() : before) {
            if (!paths.contains(use.path())) { // else something else was asked for there
                VolumeRecord volume = present(use, from.orElseThrow());
                boolean copied = inheritance == Inheritance.FORK && !volume.isSnapshot();
                Optional<VolumeRecord> copy = copied ? Optional.of(VolumeStore.copyOf(volume, Optional.empty(), Map.of(), false)) : Optional.empty();
                VolumeUse its = copy.map(made -> use.with(made.id(), made.name())).orElse(use);
                copy.ifPresent(made -> copies.put(use, made));
                uses.add(its);
            }
        }
        Set<Integer> captured = new HashSet<>();
        before.forEach(use -> captured.add(use.slot())); // processes may know them as what was there
        asked.forEach(mount -> uses.add(use(mount, uses, captured)));
        uses.sort((one, other) -> Integer.compare(one.slot(), other.slot()));
        return new Wanted(List.copyOf(uses), Map.copyOf(copies), from.map(SnapshotRecord::id));
    }

    /** Makes the copies. They stay with the sandbox for which they are made, or go with it. */
    void copy(Wanted wanted) {
        List<VolumeRecord> made = new ArrayList<>();
        try {
            wanted.copies().forEach((source, copy) -> {
                store.copyFor(source, wanted.moment().orElseThrow(), copy);
                made.add(copy);
            });
        } catch (RuntimeException problem) {
            made.forEach(store::discard);
            throw problem;
        }
    }

    /** Takes the copies away for a sandbox of which the ledger does not know. */
    void discard(Wanted wanted) {
        wanted.copies().values().stream()
                .filter(copy -> ledger.find(copy.id()).filter(found -> found.state() != VolumeState.READY).isPresent())
                .forEach(store::discard);
    }

    /** A volume besides those that a sandbox has, or is to have. */
    VolumeUse use(VolumeMount mount, List<VolumeUse> others, Set<Integer> avoided) {
        VolumeRecord volume = ledger.resolve(mount.volume());
        String path = VolumePaths.check(mount.path());
        VolumePaths.requireApart(others, path);
        if (others.stream().anyMatch(use -> use.volume().equals(volume.id()))) {
            throw Rules.invalid("volumes", volume.name() + " twice", "each volume at one place");
        }
        return new VolumeUse(volume.id(), volume.name(), slot(others, avoided), path, mode(mount, volume));
    }

    /**
     * The same volumes for processes that were captured with others: a number by which they know a volume is that volume's again, or nobody's. {@code conflict} if
     * there are not as many numbers.
     */
    static List<VolumeUse> known(List<VolumeUse> uses, List<VolumeUse> captured) {
        Map<VolumeId, Integer> before = new HashMap<>();
        captured.forEach(use -> before.put(use.volume(), use.slot()));
        Set<Integer> taken = new HashSet<>(before.values());
        uses.stream().filter(use -> !before.containsKey(use.volume()) && !before.containsValue(use.slot())).forEach(use -> taken.add(use.slot()));
        List<VolumeUse> placed = new ArrayList<>();
        for (VolumeUse use : uses) {
            Integer its = before.get(use.volume());
            if (its != null) {
                placed.add(use.at(its));
            } else if (before.containsValue(use.slot())) {
                int free = free(taken).orElseThrow(() -> new SandglassException(
                        ErrorCode.CONFLICT,
                        "The processes of the snapshot had other volumes, and with those there are now they are more than " + VolumeUse.MOST + ".",
                        "Detach some, or go on with the disk of the snapshot only (disk_only)."));
                taken.add(free);
                placed.add(use.at(free));
            } else {
                placed.add(use);
            }
        }
        placed.sort(Comparator.comparingInt(VolumeUse::slot));
        return List.copyOf(placed);
    }

    private static Optional<Integer> free(Set<Integer> taken) {
        return IntStream.rangeClosed(1, VolumeUse.MOST).boxed().filter(slot -> !taken.contains(slot)).findFirst();
    }

    private static VolumeMode mode(VolumeMount mount, VolumeRecord volume) {
        String asked = mount.mode();
        VolumeMode mode = asked == null
                ? (volume.isSnapshot() ? VolumeMode.RO : VolumeMode.RW)
                : VolumeMode.of(asked).orElseThrow(() -> Rules.invalid("volumes.mode", Rules.printable(asked), "rw, shared or ro"));
        if (volume.isSnapshot() && mode != VolumeMode.RO) {
            throw Rules.invalid("volumes.mode", mode.text(), "ro: " + volume.name() + " is a snapshot, which never changes");
        }
        return mode;
    }

    private static int slot(List<VolumeUse> others, Set<Integer> avoided) {
        Set<Integer> taken = new HashSet<>(avoided);
        others.forEach(use -> taken.add(use.slot()));
        return free(taken).orElseThrow(() -> Rules.invalid("volumes", taken.size() + 1 + " of them", "at most " + VolumeUse.MOST + ", with those of its snapshot"));
    }

    private VolumeRecord present(VolumeUse use, SnapshotRecord from) {
        return ledger.find(use.volume()).filter(found -> found.state() == VolumeState.READY).orElseThrow(() -> new SandglassException(
                ErrorCode.VOLUME_NOT_FOUND,
                "The volume " + use.name() + " is gone, which the sandbox had at " + use.path() + " when " + from.name().orElse(from.id().text()) + " was taken.",
                "Make one without it (volumes_from none, in the CLI --volumes none), or with another volume at " + use.path() + "."));
    }
}
