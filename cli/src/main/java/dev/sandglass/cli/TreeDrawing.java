package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotTree;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Images, snapshots and sandboxes as branches, with columns beside them. Drawn without recursion: lines of snapshots can be long. */
final class TreeDrawing {
    private static final String BOLD = "\u001b[1m";
    private static final String DIM = "\u001b[2m";
    private static final String GREEN = "\u001b[32m";
    private static final String PLAIN = "\u001b[0m";

    /** Something in the tree; cells are its id, what it is, its size and its age. */
    private record Node(String style, String name, List<String> cells, Instant createdAt, List<Node> children) {
        Node(String style, String name, List<String> cells, Instant createdAt) {
            this(style, Inert.text(name), cells.stream().map(Inert::text).toList(), createdAt, new ArrayList<>());
        }
    }

    private record Line(String branches, Node node) {
        int width() {
            return branches.length() + node.name.length();
        }
    }

    /** A node whose line is next, with what stands before it and before those below it. */
    private record Place(Node node, String lead, String leadOfChildren) {}

    private final long now = System.currentTimeMillis() / 1000;
    private final Map<String, Node> images = new LinkedHashMap<>();
    private final Map<String, Node> snapshots = new HashMap<>();
    /** Deleted ones that nobody had named: they tell only that there was something. */
    private final Set<Node> passed = Collections.newSetFromMap(new IdentityHashMap<>());

    TreeDrawing(SnapshotTree tree) {
        tree.snapshots().forEach(snapshot -> snapshots.put(snapshot.id(), node(snapshot)));
        tree.snapshots().forEach(snapshot -> under(snapshot.parent(), snapshot.image()).children.add(node(snapshot.id())));
        tree.sandboxes().forEach(sandbox -> under(sandbox.snapshot(), sandbox.image()).children.add(node(sandbox)));
    }

    private Node under(@Nullable String parent, String image) {
        Node known = parent == null ? null : snapshots.get(parent);
        return known != null ? known : images.computeIfAbsent(image, id -> new Node("", "image " + id, List.of(), Instant.EPOCH));
    }

    private Node node(String snapshot) {
        return Objects.requireNonNull(snapshots.get(snapshot));
    }

    private Node node(Snapshot snapshot) {
        boolean ready = snapshot.state().equals("ready");
        boolean deleted = snapshot.state().equals("deleted");
        String size = Bytes.shown(snapshot.ownBytes()) + (snapshot.memoryBytes() > 0 ? " + " + Bytes.shown(snapshot.memoryBytes()) : "");
        Node node = new Node(
                ready ? BOLD : DIM,
                title(snapshot),
                List.of(snapshot.id(), snapshot.kind(), deleted ? "" : size, age(snapshot.createdAt())),
                snapshot.createdAt());
        if (deleted && snapshot.name() == null) {
            passed.add(node);
        }
        return node;
    }

    /** One that was taken for a sandbox goes by itself when that needs it no more, so nobody wonders that it is gone. */
    static String title(Snapshot snapshot) {
        boolean kept = snapshot.purpose().equals("kept");
        String name = snapshot.name() != null ? snapshot.name() : kept ? "snapshot" : snapshot.purpose() + " of " + snapshot.sandboxName();
        boolean plain = snapshot.state().equals("ready") || (snapshot.state().equals("deleted") && !kept);
        return plain ? name : name + " (" + snapshot.state() + ")";
    }

    private Node node(Sandbox sandbox) {
        boolean running = sandbox.state().equals("running");
        return new Node(
                running ? GREEN : "",
                (running ? "● " : "○ ") + sandbox.name(),
                List.of(sandbox.id(), sandbox.state(), "", age(sandbox.createdAt())),
                sandbox.createdAt());
    }

    private String age(Instant createdAt) {
        return Age.shown(now - createdAt.getEpochSecond());
    }

    String text(boolean styled) {
        List<Line> lines = lines();
        int widest = lines.stream().mapToInt(Line::width).max().orElse(0);
        int[] widths = new int[4];
        lines.forEach(line -> {
            for (int i = 0; i < line.node.cells.size(); i++) {
                widths[i] = Math.max(widths[i], line.node.cells.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            StringBuilder row = new StringBuilder(line.branches);
            boolean coloured = styled && !line.node.style.isEmpty();
            row.append(coloured ? line.node.style : "").append(line.node.name).append(coloured ? PLAIN : "");
            int space = widest - line.width();
            for (int i = 0; i < line.node.cells.size(); i++) {
                row.repeat(' ', space + 3).append(line.node.cells.get(i));
                space = widths[i] - line.node.cells.get(i).length();
            }
            text.append(row.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** A run of those that are passed is one line, that of the newest. */
    private Node folded(Node first) {
        Node newest = first;
        int before = 0;
        while (passed.contains(newest) && newest.children.size() == 1 && passed.contains(newest.children.getFirst())) {
            newest = newest.children.getFirst();
            before++;
        }
        return before == 0 ? first : new Node(newest.style, newest.name + ", and " + before + " before", newest.cells, first.createdAt, newest.children);
    }

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        Deque<Place> places = new ArrayDeque<>();
        List.copyOf(images.values()).reversed().forEach(image -> places.push(new Place(image, "", "")));
        while (!places.isEmpty()) {
            Place place = places.pop();
            Node shown = folded(place.node);
            lines.add(new Line(place.lead, shown));
            List<Node> children = shown.children.stream().sorted(Comparator.comparing(Node::createdAt)).toList();
            for (int i = children.size() - 1; i >= 0; i--) {
                boolean last = i == children.size() - 1;
                places.push(new Place(
                        children.get(i), place.leadOfChildren + (last ? "└─ " : "├─ "), place.leadOfChildren + (last ? "   " : "│  ")));
            }
        }
        return lines;
    }
}
