package dev.sandglass.server.mcp;

import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What grew from what, a line for each, indented below what it grew from. Drawn without recursion: lines of snapshots can be long. */
final class TreeText {
    private static final int MOST_INDENTED = 40;

    private record Node(String line, List<Node> children) {
        Node(String line) {
            this(line, new ArrayList<>());
        }
    }

    private record Place(Node node, int depth) {}

    private final Map<String, Node> snapshots = new HashMap<>();
    private final Map<String, Node> roots = new LinkedHashMap<>();

    private TreeText(List<Snapshot> captured, List<Sandbox> sandboxes) {
        captured.forEach(snapshot -> snapshots.put(snapshot.id(), new Node(line(snapshot))));
        captured.forEach(snapshot -> {
            Node node = snapshots.get(snapshot.id());
            if (node != null) {
                under(snapshot.parent(), snapshot.image()).children.add(node);
            }
        });
        sandboxes.forEach(sandbox -> under(sandbox.snapshot(), sandbox.image()).children.add(new Node(line(sandbox))));
    }

    static String of(List<Snapshot> snapshots, List<Sandbox> sandboxes) {
        String text = new TreeText(snapshots, sandboxes).text();
        return text.isEmpty() ? "There are no snapshots and no sandboxes.\n" : text;
    }

    private Node under(@Nullable String parent, String image) {
        Node known = parent == null ? null : snapshots.get(parent);
        return known != null ? known : roots.computeIfAbsent(image, id -> new Node("image " + id));
    }

    private static String line(Snapshot snapshot) {
        String name = snapshot.name() == null ? "" : " " + snapshot.name();
        String description = snapshot.description().isEmpty() ? "" : ": " + snapshot.description();
        return "snapshot" + name + " (" + snapshot.id() + ", " + snapshot.kind() + ", " + snapshot.state() + ", of " + snapshot.sandboxName() + ")" + description;
    }

    private static String line(Sandbox sandbox) {
        return "sandbox " + sandbox.name() + " (" + sandbox.id() + ", " + sandbox.state() + ")";
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        Deque<Place> places = new ArrayDeque<>();
        List.copyOf(roots.values()).reversed().forEach(root -> places.push(new Place(root, 0)));
        while (!places.isEmpty()) {
            Place place = places.pop();
            text.repeat("  ", Math.min(place.depth, MOST_INDENTED)).append(place.node.line.replace('\n', ' ')).append('\n');
            place.node.children.reversed().forEach(child -> places.push(new Place(child, place.depth + 1)));
        }
        return text.toString();
    }
}
