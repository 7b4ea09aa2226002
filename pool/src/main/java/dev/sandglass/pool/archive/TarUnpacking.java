package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NewFile;
import dev.sandglass.linux.NewFiles;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.wire.tar.TarEntry;
import dev.sandglass.wire.tar.TarReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Makes a tree of a tar archive of an overlay's upper directory: the rules are those of a snapshot's file. Entries may come in any order, a directory
 * may be told of late, twice or never, everything else comes once. One directory is open at a time, however deep they are. For one run; not thread-safe.
 */
class TarUnpacking {
    private static final int PIECE = 256 * 1024;
    /** What may follow an archive's end: tools fill up to a multiple of their block size. */
    private static final long FILLING = 1 << 20;
    /** What an entry takes in the manifest that is written of the tree, beside its name and what else it has. */
    private static final long IN_MANIFEST = 112;

    /** @param facts as they were before anything was made in it */
    private record Level(Bytes name, long inode, FileFacts facts) {}

    private final InputStream stream;
    private final TarReader archive;
    private final Path tree;
    private final Budget budget;
    private final ByteBuffer direct = ByteBuffer.allocateDirect(PIECE);
    private final byte[] heap = new byte[PIECE];
    /** The directories that lead to the open one; not the root. */
    private final Deque<Level> levels = new ArrayDeque<>();

    private final long rootInode;
    private OpenDirectory directory;
    private ManifestEntry root = TarFacts.ofUntold(Bytes.of("upper"));
    private long entries;

    TarUnpacking(InputStream stream, Path tree, Budget budget) throws IOException {
        this.stream = stream;
        this.archive = new TarReader(stream);
        this.tree = tree;
        this.budget = budget;
        this.directory = OpenDirectory.of(tree);
        this.rootInode = directory.facts().inode();
    }

    /** @param most bytes of the archive, whatever they are for: what is small when it is compressed must have an end too */
    static void run(InputStream tar, Path tree, Budget budget, long most) throws IOException {
        TarUnpacking unpacking = new TarUnpacking(new BoundedStream(tar, most), tree, budget);
        unpacking.runAndClose();
        if (unpacking.entries == 0) {
            throw ArchiveFormat.refused("it is empty");
        }
    }

    final void runAndClose() throws IOException {
        try {
            run();
        } finally {
            directory.close();
        }
    }

    /** What the entry says; nothing if it is left out. */
    Optional<TarEntry> told(TarEntry entry) throws IOException {
        return Optional.of(entry);
    }

    /** Whether an entry was something else than a file to be made, and is done. */
    boolean isMark(List<Bytes> path) throws IOException {
        return false;
    }

    /** A directory is made of which nothing was told yet. */
    void untold(List<Bytes> path) {}

    /** An entry is about to be made where something is. */
    void meet(byte[] name, FileFacts there, ManifestEntry facts) throws IOException {}

    private void run() throws IOException {
        for (TarEntry next = archive.next(); next != null; next = archive.next()) {
            Optional<TarEntry> told = told(next);
            if (told.isEmpty()) {
                continue;
            }
            TarEntry entry = told.get();
            List<Bytes> path = TarFacts.path(entry.name());
            if (isMark(path)) {
                take(path.getLast().length(), 0);
                continue;
            }
            ManifestEntry facts = TarFacts.of(entry, path);
            if (entry.size() > 0 && entry.kind() != TarEntry.Kind.FILE) {
                throw Portability.refused(path, "it is no file and has content");
            }
            Portability.require(facts, path);
            take(facts.name().length(), Unpacking.ownBytes(facts));
            try {
                make(path, facts, entry);
            } catch (ErrnoException problem) {
                if (Unpacking.isImpossible(problem)) {
                    throw Portability.refused(path, String.valueOf(problem.getMessage()));
                }
                throw problem;
            }
        }
        goTo(List.of());
        Unpacking.dressRoot(tree, root);
        finish();
    }

    /** To the last byte, so that the sum over all of them is compared. */
    private void finish() throws IOException {
        long rest = 0;
        for (int count = stream.read(heap); count >= 0; count = stream.read(heap)) {
            rest += count;
            if (rest > FILLING) {
                throw ArchiveFormat.refused("there is more behind its end");
            }
        }
    }

    private void take(long name, long more) {
        entries++;
        if (entries > ArchiveFormat.ENTRIES) {
            throw ArchiveFormat.refused("it has more than " + ArchiveFormat.ENTRIES + " entries");
        }
        budget.takeEntry(name, more);
        budget.take(IN_MANIFEST + name + more);
    }

    private void make(List<Bytes> path, ManifestEntry facts, TarEntry entry) throws IOException {
        if (path.isEmpty()) {
            if (!facts.isDirectory()) {
                throw ArchiveFormat.refused("its root is no directory");
            }
            root = facts;
            return;
        }
        goTo(path.subList(0, path.size() - 1));
        byte[] name = path.getLast().toArray();
        Optional<FileFacts> there = directory.find(name);
        if (there.isPresent()) {
            meet(name, there.get(), facts);
        }
        switch (facts.content()) {
            case EntryContent.HardLink _ -> {
                link(TarFacts.path(entry.link()), name, path);
                return;
            }
            case EntryContent.Directory _ -> makeDirectory(path.getLast());
            case EntryContent.RegularFile file -> fill(name, file.size());
            case EntryContent.SymbolicLink(Bytes target) -> NewFiles.symbolicLink(directory, name, target.toArray());
            case EntryContent.Device _, EntryContent.Fifo _, EntryContent.Socket _ -> NewFiles.node(directory, name, Unpacking.facts(facts));
        }
        NewFiles.dress(directory, name, Unpacking.facts(facts), Unpacking.attributes(facts));
    }

    private void fill(byte[] name, long size) throws IOException {
        budget.require(size);
        try (NewFile file = NewFiles.file(directory, name)) {
            long at = 0;
            for (int count = archive.read(heap); count >= 0; count = archive.read(heap)) {
                budget.take(count);
                if (!isZero(count)) { // as it was a hole, most likely
                    file.write(direct.clear().put(heap, 0, count).flip(), at);
                }
                at += count;
            }
            if (size > 0) {
                file.size(size);
            }
        }
    }

    private boolean isZero(int count) {
        return heap[0] == 0 && Arrays.mismatch(heap, 0, count - 1, heap, 1, count) < 0;
    }

    /** One more name of something that came before. */
    private void link(List<Bytes> first, byte[] name, List<Bytes> path) throws IOException {
        if (first.isEmpty()) {
            throw Portability.refused(path, "it is one more name of a directory");
        }
        OpenDirectory from = OpenDirectory.of(tree);
        try {
            for (Bytes part : first.subList(0, first.size() - 1)) {
                OpenDirectory child = from.child(part.toArray());
                from.close();
                from = child;
            }
            if (!NewFiles.hardLink(from, first.getLast().toArray(), directory, name)) {
                throw Portability.refused(path, "it is one more name of something that has none");
            }
        } finally {
            from.close();
        }
    }

    /** Opens that directory instead of the one that is open; what is missing on the way is made. */
    final void goTo(List<Bytes> path) throws IOException {
        int common = 0;
        for (Iterator<Level> open = levels.descendingIterator();
                open.hasNext() && common < path.size() && open.next().name.equals(path.get(common)); ) {
            common++;
        }
        while (levels.size() > common) {
            leave();
        }
        for (Bytes name : path.subList(common, path.size())) {
            enter(name);
        }
    }

    private void enter(Bytes name) throws IOException {
        Optional<FileFacts> there = directory.find(name.toArray());
        if (there.isPresent()) {
            meet(name.toArray(), there.get(), TarFacts.ofUntold(name));
        }
        if (makeDirectory(name)) {
            take(name.length(), 0);
            NewFiles.dress(directory, name.toArray(), Unpacking.facts(TarFacts.ofUntold(name)), List.of());
            untold(place(name));
        }
        OpenDirectory child = directory.child(name.toArray());
        directory.close();
        directory = child;
        FileFacts facts = child.facts();
        levels.push(new Level(name, facts.inode(), facts));
    }

    private List<Bytes> place(Bytes name) {
        List<Bytes> path = new ArrayList<>();
        levels.descendingIterator().forEachRemaining(level -> path.add(level.name));
        path.add(name);
        return path;
    }

    /** The directory that is open. */
    final OpenDirectory open() {
        return directory;
    }

    /** What was told of the directory that is open; nothing of the root. */
    final Optional<FileFacts> openFacts() {
        return Optional.ofNullable(levels.peek()).map(Level::facts);
    }

    /** False if it is there. */
    private boolean makeDirectory(Bytes name) throws IOException {
        Optional<FileFacts> known = directory.find(name.toArray());
        if (known.isEmpty()) {
            NewFiles.directory(directory, name.toArray()).close();
        } else if (known.get().type() != FileFacts.DIRECTORY) {
            throw ArchiveFormat.refused(name + " is no directory, and something is to be in it");
        }
        return known.isEmpty();
    }

    /** What was made in a directory changed its time. */
    private void leave() throws IOException {
        Level level = levels.pop();
        OpenDirectory parent = directory.parent(levels.isEmpty() ? rootInode : levels.element().inode);
        directory.close();
        directory = parent;
        NewFiles.dress(directory, level.name.toArray(), level.facts, List.of());
    }
}
