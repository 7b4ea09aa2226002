package dev.sandglass.server.mcp;

import dev.sandglass.engine.diff.Differences;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.snapshot.Ancestry;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.FileChange;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Going back and forth in time: snapshots, forks, rewinds, and what differs between two states. */
final class SnapshotTools {
    /** What a tree shows at most, of snapshots and of sandboxes: the newest. */
    private static final int MOST_SHOWN = 200;
    /** Of the differences of all texts together. */
    private static final int MOST_TEXT = 65_536;

    private final Sandboxes sandboxes;
    private final Snapshots snapshots;
    private final Ancestry ancestry;
    private final Differences differences;

    SnapshotTools(Sandboxes sandboxes, Snapshots snapshots, Ancestry ancestry, Differences differences) {
        this.sandboxes = sandboxes;
        this.snapshots = snapshots;
        this.ancestry = ancestry;
        this.differences = differences;
    }

    Map<String, Tool> tools() {
        return Map.of(
                "snapshot", this::snapshot,
                "snapshot_tree", (_, _) -> tree(),
                "delete_snapshot", (arguments, _) -> delete(arguments.text("snapshot")),
                "fork", this::fork,
                "rewind", (arguments, _) -> rewind(arguments),
                "diff", (arguments, _) -> diff(arguments));
    }

    private Reply snapshot(Arguments arguments, Job job) {
        CreateSnapshot request = new CreateSnapshot(
                arguments.find("name").orElse(null), arguments.find("description").orElse(null), null, arguments.flag("disk_only"),
                arguments.findNumber("expires_seconds").orElse(null));
        Snapshot taken = snapshots.create(arguments.text("sandbox"), request, Optional.empty());
        if (job.cancelled()) {
            snapshots.delete(taken.id());
        }
        return Reply.of(Summaries.of(taken));
    }

    private Reply tree() {
        SnapshotTree tree = ancestry.tree();
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("snapshots", newest(tree.snapshots()).stream().map(Summaries::of).toList());
        shown.put("sandboxes", newest(tree.sandboxes()).stream().map(Summaries::of).toList());
        shown.put("truncated", tree.snapshots().size() > MOST_SHOWN || tree.sandboxes().size() > MOST_SHOWN);
        return Reply.of(TreeText.of(newest(tree.snapshots()), newest(tree.sandboxes())), shown);
    }

    private static <T> List<T> newest(List<T> oldestFirst) {
        return oldestFirst.subList(Math.max(0, oldestFirst.size() - MOST_SHOWN), oldestFirst.size());
    }

    private Reply delete(String snapshot) {
        String id = snapshots.get(snapshot).id();
        snapshots.delete(id);
        return Reply.of(Map.of("deleted", id));
    }

    private Reply fork(Arguments arguments, Job job) {
        ForkSandbox request = new ForkSandbox(
                (int) arguments.number("count"), arguments.find("name").orElse(null), null, null, null, null, null, arguments.flag("disk_only"));
        Forked forked = forked(arguments.text("source"), request);
        if (job.cancelled()) {
            forked.sandboxes().forEach(copy -> sandboxes.destroy(copy.id()));
        }
        return Reply.of(Map.of("sandboxes", forked.sandboxes().stream().map(Summaries::of).toList(), "pause_ms", forked.pauseMs()));
    }

    /** A sandbox goes before a snapshot of that name. */
    private Forked forked(String source, ForkSandbox request) {
        try {
            return snapshots.forkSandbox(source, request, Optional.empty());
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                throw problem;
            }
        }
        try {
            return snapshots.forkSnapshot(source, request, Optional.empty());
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw problem;
            }
            throw new SandglassException(problem.code(), "There is no sandbox or snapshot " + source + ".", "snapshot_tree shows those that there are.", problem);
        }
    }

    private Reply rewind(Arguments arguments) {
        Optional<String> snapshot = arguments.find("snapshot");
        if (snapshot.isPresent() == arguments.flag("undo")) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "snapshot, undo: both or none are given (expected: one of them).", "Name a snapshot, or set undo.");
        }
        Sandbox rewound = sandboxes.rewind(arguments.text("sandbox"), snapshot, arguments.flag("disk_only"));
        return Reply.of(Summaries.of(rewound));
    }

    private Reply diff(Arguments arguments) {
        Diff diff = differences.between(arguments.find("from"), arguments.text("to"), arguments.flag("text"), (int) arguments.number("limit"));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("added", diff.added());
        shown.put("changed", diff.changed());
        shown.put("removed", diff.removed());
        List<Map<String, @Nullable Object>> files = new ArrayList<>();
        int text = 0;
        for (FileChange file : diff.files()) {
            int length = file.text() == null ? 0 : file.text().length();
            text += length;
            files.add(file(file, text <= MOST_TEXT));
        }
        shown.put("files", files);
        shown.put("packages", diff.packages().stream()
                .map(change -> change.manager() + " " + change.name() + ": " + shown(change.before()) + " -> " + shown(change.after()))
                .toList());
        shown.put("processes", diff.processes().stream().map(change -> change.change() + " " + change.pid() + ": " + change.command()).toList());
        shown.put("truncated", diff.truncated() || text > MOST_TEXT);
        return Reply.of(shown);
    }

    private static Map<String, @Nullable Object> file(FileChange file, boolean withText) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("change", file.change());
        shown.put("path", file.path());
        shown.put("fields", file.fields().isEmpty() ? null : file.fields());
        shown.put("text", withText ? file.text() : null);
        return shown;
    }

    private static String shown(@Nullable String version) {
        return version == null ? "absent" : version;
    }
}
