package dev.sandglass.server.e2b;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.server.e2b.json.ForkResult;
import dev.sandglass.server.e2b.json.SnapshotInfo;
import dev.sandglass.server.e2b.json.Wish;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Snapshots are taken and listed, and sandboxes copied. Thread-safe. */
final class SnapshotEndpoints {
    private final Sandboxes sandboxes;
    private final Snapshots snapshots;
    private final SnapshotNames names;
    private final Presentation presentation;
    private final Visible visible;

    SnapshotEndpoints(Sandboxes sandboxes, Snapshots snapshots, SnapshotNames names, Presentation presentation, Visible visible) {
        this.sandboxes = sandboxes;
        this.snapshots = snapshots;
        this.names = names;
        this.presentation = presentation;
        this.visible = visible;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("POST", "/sandboxes/{sandbox}/snapshots", this::create),
                Endpoint.of("POST", "/sandboxes/{sandbox}/fork", this::fork),
                Endpoint.of("GET", "/snapshots", (call, _) -> list(call)));
    }

    /** A name can be given again: it stands for the last one that has it then. */
    private void create(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        Map<String, String> labels = wish.name() == null ? Map.of() : Map.of(SnapshotNames.LABEL, SnapshotNames.checked(wish.name()));
        Snapshot taken = snapshots.create(visible.get(id).id(), new CreateSnapshot(null, null, labels, null, null), Optional.empty());
        call.answer(201, shown(taken));
    }

    private static SnapshotInfo shown(Snapshot snapshot) {
        return new SnapshotInfo(Ids.undashed(snapshot.id()), SnapshotNames.of(snapshot));
    }

    private void list(Call call) throws IOException {
        Optional<String> sandbox = call.query("sandboxID").filter(text -> !text.isEmpty()).map(text -> Ids.sandbox(text).text());
        Optional<String> name = call.query("name").filter(text -> !text.isEmpty());
        List<Snapshot> all = names.all().stream()
                .filter(snapshot -> sandbox.filter(id -> !id.equals(snapshot.sandboxId())).isEmpty())
                .filter(snapshot -> name.filter(wanted -> !SnapshotNames.has(snapshot, wanted)).isEmpty())
                .toList();
        Pages<Snapshot> pages = Pages.of(call, all.stream(), snapshot -> "%015d %s".formatted(snapshot.createdAt().toEpochMilli(), snapshot.id()), Comparator.reverseOrder()).told(call);
        call.answer(200, JsonList.json(pages.page(), SnapshotEndpoints::shown));
    }

    private void fork(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        long count = Objects.requireNonNullElse(wish.count(), 1L);
        Sandbox source = visible.get(id);
        if (!source.state().equals(Presentation.RUNNING)) {
            throw new SandglassException(ErrorCode.CONFLICT, "Sandbox " + Ids.shown(id) + " is paused: connect to it first.", "");
        }
        ForkSandbox request = new ForkSandbox(
                Math.clamp(count, -1, Integer.MAX_VALUE), null, null, null, null, source.labels(), Creation.timeout(wish.timeout()), null);
        List<ForkResult> results = new ArrayList<>();
        try {
            snapshots.forkSandbox(source.id(), request, Optional.empty()).sandboxes().forEach(copy -> results.add(new ForkResult(presentation.created(likeIts(source, copy)), null)));
        } catch (SandglassException problem) {
            if (problem.code().category() == ErrorCode.Category.USAGE) {
                throw problem;
            }
            results.addAll(Collections.nCopies((int) count, new ForkResult(null, ControlPlane.refusal(problem)))); // all are made, or none
        }
        call.answer(201, JsonList.json(results));
    }

    /** What becomes of a copy at its end is what becomes of the one that it was copied from. */
    private Sandbox likeIts(Sandbox source, Sandbox copy) {
        boolean alike = source.onTimeout().equals(copy.onTimeout()) && source.autoResume() == copy.autoResume();
        return alike
                ? copy
                : sandboxes.update(copy.id(), new UpdateSandbox(null, null, null, null, null, null, null, source.onTimeout(), null, null, source.autoResume(), null, null, null));
    }
}
