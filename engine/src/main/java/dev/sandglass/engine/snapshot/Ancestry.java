package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.History;
import dev.sandglass.wire.HistoryStep;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SnapshotTree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How snapshots and sandboxes grew from each other. Thread-safe. */
public final class Ancestry {
    private static final int PAGE = 1000;

    private final Ledger ledger;
    private final SnapshotLedger snapshots;
    private final Sandboxes sandboxes;
    private final Snapshots views;

    public Ancestry(Ledger ledger, Sandboxes sandboxes, Snapshots views) {
        this.ledger = ledger;
        this.snapshots = ledger.snapshots();
        this.sandboxes = sandboxes;
        this.views = views;
    }

    /** All that is there, with the deleted snapshots that hold it together. */
    public SnapshotTree tree() {
        List<Sandbox> living = sandboxes.list();
        Map<SnapshotId, SnapshotRecord> found = new HashMap<>();
        present().forEach(snapshot -> found.put(snapshot.id(), snapshot));
        List<SnapshotRecord> ready = List.copyOf(found.values());
        ready.forEach(snapshot -> addLine(snapshot.parent(), found));
        living.forEach(sandbox -> addLine(Optional.ofNullable(sandbox.snapshot()).map(SnapshotId::new), found));
        return new SnapshotTree(
                found.values().stream()
                        .sorted(Comparator.comparing(SnapshotRecord::createdAt).thenComparing(snapshot -> snapshot.id().text()))
                        .map(views::shown)
                        .toList(),
                living);
    }

    private List<SnapshotRecord> present() {
        List<SnapshotRecord> all = new ArrayList<>();
        List<SnapshotRecord> page;
        do {
            page = snapshots.list(all.isEmpty() ? Optional.empty() : Optional.of(SnapshotPosition.of(all.getLast())), PAGE, false);
            all.addAll(page);
        } while (page.size() == PAGE);
        return all;
    }

    /** Adds a snapshot and what it grew from, up to what is known already. */
    private void addLine(Optional<SnapshotId> from, Map<SnapshotId, SnapshotRecord> found) {
        Optional<SnapshotId> next = from;
        while (next.isPresent() && !found.containsKey(next.get())) {
            Optional<SnapshotRecord> older = snapshots.find(next.get());
            older.ifPresent(snapshot -> found.put(snapshot.id(), snapshot));
            next = older.flatMap(SnapshotRecord::parent);
        }
    }

    /** What happened on the way from the image to the sandbox. */
    public History history(String ref) {
        Sandbox now = sandboxes.get(ref);
        List<HistoryStep> steps = new ArrayList<>();
        SnapshotRecord before = null;
        for (SnapshotRecord snapshot : line(Optional.ofNullable(now.snapshot()).map(SnapshotId::new))) {
            boolean isOfOne = !snapshot.sandbox().equals(Imported.NOBODY);
            if (isOfOne && (before == null || !before.sandbox().equals(snapshot.sandbox()))) {
                steps.add(began(snapshot.sandbox(), snapshot.sandboxName(), before));
            }
            steps.add(new HistoryStep("taken", snapshot.createdAt(), Views.sandbox(snapshot), snapshot.sandboxName(), views.shown(snapshot)));
            before = snapshot;
        }
        if (before == null || !before.sandbox().text().equals(now.id())) {
            steps.add(began(new SandboxId(now.id()), now.name(), before));
        }
        return new History(now, steps);
    }

    /** The snapshot and all that it grew from, oldest first. */
    private List<SnapshotRecord> line(Optional<SnapshotId> last) {
        List<SnapshotRecord> line = new ArrayList<>();
        for (Optional<SnapshotRecord> next = last.flatMap(snapshots::find); next.isPresent(); next = next.get().parent().flatMap(snapshots::find)) {
            line.add(next.get());
        }
        return line.reversed();
    }

    private HistoryStep began(SandboxId sandbox, String name, @Nullable SnapshotRecord from) {
        Instant at = ledger.find(sandbox)
                .map(SandboxRecord::createdAt)
                .filter(created -> from == null || created.isAfter(from.createdAt())) // else it was there before and was turned back to it
                .orElse(null);
        return new HistoryStep("began", at, sandbox.text(), name, from == null ? null : views.shown(from));
    }
}
