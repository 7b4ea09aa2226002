package dev.sandglass.pool.diff;

import dev.sandglass.engine.diff.Difference;
import dev.sandglass.engine.diff.TreeComparison;
import dev.sandglass.engine.diff.Version;
import dev.sandglass.linux.DirectoryEntry;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NameRoom;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Goes through two overlays at once, directory by directory. For one run; not thread-safe. */
final class Comparison implements AutoCloseable {
    /** Directories that may be open at once: far below what the daemon may have open. */
    private static final int MOST_OPEN = 2048;

    private static final byte[] ITSELF = {'.'};
    private static final View.Absent ABSENT = new View.Absent();

    /** A directory that is being compared; its directories are closed with it. */
    private static final class Level {
        private final byte[] name;
        private final List<Source> before;
        private final List<Source> after;
        private final boolean openBefore;
        private final boolean openAfter;
        private final Lower lower;
        private Names names = Names.NONE;
        /** What was held of names before those of this one. */
        private long heldBefore;

        Level(byte[] name, List<Source> before, boolean openBefore, List<Source> after, boolean openAfter, Lower lower) {
            this.name = name;
            this.before = before;
            this.after = after;
            this.openBefore = openBefore;
            this.openAfter = openAfter;
            this.lower = lower;
        }

        void list(NameRoom room) throws IOException {
            heldBefore = room.held();
            List<Source> listed = new ArrayList<>(before);
            listed.addAll(after);
            if (openBefore != openAfter) {
                listed.addAll(lower.sources()); // one shows what the other hides
            }
            names = Names.of(listed, room);
        }

        int open() {
            return before.size() + after.size() + lower.open();
        }

        void close() throws IOException {
            Source.close(before);
            Source.close(after);
            lower.close();
        }
    }

    private final TreeComparison.Visitor visitor;
    private final Contents contents;
    private final Deque<Level> levels = new ArrayDeque<>();
    /** Directories that were opened for the present step and belong to no level yet. */
    private final List<Source> loose = new ArrayList<>();

    private final NameRoom room = new NameRoom();
    private boolean whole = true;

    Comparison(TreeComparison.Visitor visitor, Contents contents) {
        this.visitor = visitor;
        this.contents = contents;
    }

    /** Compares overlays of layers, top first, on layers that both have; tells whether all was compared. */
    boolean run(List<Layer> before, List<Layer> after, List<Layer> common) throws IOException {
        Lower lower = Lower.of(common);
        List<Source> left = roots(before);
        List<Source> right = roots(after);
        enter(new Level(new byte[0], left, true, right, true, lower));
        if (levels.isEmpty()) {
            return false;
        }
        compare(ITSELF, root(left, lower), root(right, lower));
        while (!levels.isEmpty() && !contents.isLate()) {
            step(levels.element());
        }
        return whole && levels.isEmpty();
    }

    private List<Source> roots(List<Layer> layers) throws IOException {
        List<Source> roots = new ArrayList<>();
        for (Layer layer : layers) {
            roots.add(loose(new Source(layer, OpenDirectory.of(layer.directory()))));
        }
        return roots;
    }

    private Source loose(Source opened) {
        loose.add(opened);
        return opened;
    }

    private static View root(List<Source> own, Lower lower) throws IOException {
        Source top = own.isEmpty() ? lower.sources().getFirst() : own.getFirst();
        return new View.Tree(top, ITSELF, top.directory().facts(), own, true);
    }

    /** Unless there is more in it than can be held: then it is left out. */
    private void enter(Level level) throws IOException {
        levels.push(level);
        loose.clear();
        try {
            level.list(room);
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.LIMIT_REACHED) {
                throw problem;
            }
            whole = false;
            leave();
        }
    }

    private void leave() throws IOException {
        Level level = levels.pop();
        room.backTo(level.heldBefore);
        level.close();
    }

    private void step(Level level) throws IOException {
        byte[] name = level.names.next();
        if (name == null) {
            leave();
            return;
        }
        if (isShared(level)) {
            return;
        }
        View before = view(level, name, true);
        View after = view(level, name, false);
        compare(name, before, after);
        descend(level, name, before, after);
    }

    /** Whether both overlays surely show the same file. */
    private static boolean isShared(Level level) throws IOException {
        int left = top(level, 0, level.before.size());
        int right = top(level, level.before.size(), level.before.size() + level.after.size());
        if (left < 0 || right < 0) {
            return false;
        }
        DirectoryEntry before = level.names.entry(left);
        DirectoryEntry after = level.names.entry(right);
        return before != null
                && after != null
                && before.type() != FileFacts.DIRECTORY
                && before.type() != 0
                && before.type() == after.type()
                && before.inode() == after.inode()
                && level.before.get(left).layer().shares(before.inode(), level.after.get(right - level.before.size()).layer());
    }

    /** The first of some directories that has the present name; -1 if none has it. */
    private static int top(Level level, int from, int to) {
        for (int i = from; i < to; i++) {
            if (level.names.entry(i) != null) {
                return i;
            }
        }
        return -1;
    }

    /** What one of the overlays shows under the present name. */
    private View view(Level level, byte[] name, boolean isBefore) throws IOException {
        List<Source> sources = isBefore ? level.before : level.after;
        int first = isBefore ? 0 : level.before.size();
        boolean open = isBefore ? level.openBefore : level.openAfter;
        int top = top(level, first, first + sources.size());
        if (top < 0) {
            return open ? level.lower.find(name) : ABSENT;
        }
        Source where = sources.get(top - first);
        FileFacts facts = where.directory().facts(name);
        if (!facts.isDirectory()) {
            return facts.isWhiteout() ? ABSENT : new View.Leaf(where, name, facts);
        }
        List<Source> own = new ArrayList<>();
        for (int i = top; i < first + sources.size(); i++) {
            Source source = sources.get(i - first);
            if (level.names.entry(i) == null) {
                continue;
            }
            if (!source.directory().facts(name).isDirectory()) {
                return new View.Tree(where, name, facts, own, false);
            }
            own.add(loose(source.child(name)));
            if (own.getLast().isOpaque()) {
                return new View.Tree(where, name, facts, own, false);
            }
        }
        return new View.Tree(where, name, facts, own, open);
    }

    private void descend(Level level, byte[] name, View before, View after) throws IOException {
        List<Source> left = before instanceof View.Tree tree ? tree.own() : List.of();
        List<Source> right = after instanceof View.Tree tree ? tree.own() : List.of();
        boolean openLeft = before instanceof View.Tree tree && tree.open();
        boolean openRight = after instanceof View.Tree tree && tree.open();
        if (left.isEmpty() && right.isEmpty() && openLeft == openRight) {
            return; // no directories, or the same ones
        }
        int open = levels.stream().mapToInt(Level::open).sum() + left.size() + right.size();
        if (open > MOST_OPEN) {
            whole = false;
            closeLoose();
        } else {
            enter(new Level(name, left, openLeft, right, openRight, level.lower.child(name)));
        }
    }

    private void closeLoose() throws IOException {
        Source.close(loose);
        loose.clear();
    }

    private void compare(byte[] name, View before, View after) throws IOException {
        Optional<Version> left = version(before);
        Optional<Version> right = version(after);
        List<String> fields = before instanceof View.Present old && after instanceof View.Present now ? fields(old, now) : List.of();
        if (left.isPresent() != right.isPresent() || !fields.isEmpty()) {
            visitor.differs(new Difference(path(name), left, right, fields));
        }
    }

    private static Optional<Version> version(View view) {
        return view instanceof View.Present present ? Optional.of(present) : Optional.empty();
    }

    private List<String> fields(View.Present before, View.Present after) throws IOException {
        List<String> fields = new ArrayList<>();
        if (before.facts().type() != after.facts().type()) {
            fields.add("kind");
        } else if (!contents.areSame(before, after)) {
            fields.add(before.facts().type() == FileFacts.LINK ? "target" : "content");
        }
        if (before.permissions() != after.permissions() && before.facts().type() != FileFacts.LINK) {
            fields.add("mode");
        }
        if (before.uid() != after.uid() || before.gid() != after.gid()) {
            fields.add("owner");
        }
        if (!ExtendedAttribute.areSame(before.attributes(), after.attributes())) {
            fields.add("attributes");
        }
        return fields;
    }

    /** Of an entry of the innermost directory. */
    private String path(byte[] name) {
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        levels.descendingIterator().forEachRemaining(level -> {
            path.writeBytes(level.name);
            path.write('/');
        });
        path.writeBytes(Arrays.equals(name, ITSELF) ? new byte[0] : name);
        return path.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        room.close();
        closeLoose();
        while (!levels.isEmpty()) {
            levels.pop().close();
        }
    }
}
