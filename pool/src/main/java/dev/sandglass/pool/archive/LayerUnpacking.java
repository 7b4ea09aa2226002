package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NewFiles;
import dev.sandglass.wire.tar.TarEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes the upper directory of an overlay of a layer of an image. Files that only say that something below is gone become what an overlay has for that. A later entry takes the place of
 * an earlier one of the same name. Devices are left out: none works in a sandbox. For one run; not thread-safe.
 */
final class LayerUnpacking extends TarUnpacking {
    private static final String WHITEOUT = ".wh.";
    private static final String OPAQUE = ".wh..wh..opq";
    /** Of a filesystem of long ago, for itself. */
    private static final String OWN_MARKS = ".wh..wh.";

    private static final int MOST_UNTOLD = 100_000;
    /** Of the names that lead to all of them: each is kept with those before it. */
    private static final int MOST_NAMES = 1_000_000;
    private static final List<ExtendedAttribute> IS_OPAQUE =
            List.of(ExtendedAttribute.of("trusted.overlay.opaque", "y".getBytes(StandardCharsets.US_ASCII)));
    private static final FileFacts GONE = new FileFacts(FileFacts.CHARACTER, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);

    private final Set<List<Bytes>> untold = new LinkedHashSet<>();
    private int names;

    private LayerUnpacking(InputStream stream, Path tree, Budget budget) throws IOException {
        super(stream, tree, budget);
        untold.add(List.of()); // the root is one too
    }

    /** @return the directories of which nothing is told, names from the root on; without a name the root itself */
    static Set<List<Bytes>> unpack(InputStream tar, Path tree, Budget budget, long most) throws IOException {
        LayerUnpacking unpacking = new LayerUnpacking(new BoundedStream(tar, most), tree, budget);
        unpacking.runAndClose();
        return unpacking.untold;
    }

    @Override
    Optional<TarEntry> told(TarEntry entry) {
        if (entry.kind() == TarEntry.Kind.CHARACTER_DEVICE || entry.kind() == TarEntry.Kind.BLOCK_DEVICE) {
            return Optional.empty();
        }
        return Optional.of(new TarEntry(
                relative(entry.name()),
                entry.kind(),
                entry.mode() & 07777,
                entry.uid(),
                entry.gid(),
                entry.kind() == TarEntry.Kind.FILE ? entry.size() : 0,
                entry.modifiedAt(),
                entry.kind() == TarEntry.Kind.HARD_LINK ? relative(entry.link()) : entry.link(),
                0,
                0,
                own(entry.attributes())));
    }

    private static String relative(String name) {
        int at = 0;
        while (at < name.length() && name.charAt(at) == '/') {
            at++;
        }
        return name.substring(at);
    }

    /** What speaks to the overlay is ours to say. */
    private static Map<String, String> own(Map<String, String> attributes) {
        Map<String, String> kept = new HashMap<>(attributes);
        kept.keySet().removeIf(name -> name.startsWith("trusted."));
        return kept;
    }

    @Override
    boolean isMark(List<Bytes> path) throws IOException {
        String name = path.isEmpty() ? "" : new String(path.getLast().toArray(), StandardCharsets.ISO_8859_1);
        if (!name.startsWith(WHITEOUT)) {
            untold.remove(path);
            return false;
        }
        if (name.equals(OPAQUE)) {
            goTo(path.subList(0, path.size() - 1));
            hideBelow(path);
        } else if (!name.startsWith(OWN_MARKS)) {
            goTo(path.subList(0, path.size() - 1));
            whiteOut(name.substring(WHITEOUT.length()).getBytes(StandardCharsets.ISO_8859_1), path);
        }
        return true;
    }

    private void hideBelow(List<Bytes> path) throws IOException {
        FileFacts facts = openFacts().orElseThrow(() -> Portability.refused(path, "it hides all layers below"));
        NewFiles.dress(open(), new byte[] {'.'}, facts, IS_OPAQUE);
    }

    /** What this layer has under that name is not what is gone. */
    private void whiteOut(byte[] name, List<Bytes> path) throws IOException {
        boolean isName = name.length > 0 && !(name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.')));
        if (!isName) {
            throw Portability.refused(path, "it is no name of a file that is gone");
        }
        Optional<FileFacts> there = open().find(name);
        if (there.isEmpty()) {
            NewFiles.node(open(), name, GONE);
        } else if (there.get().isDirectory()) {
            NewFiles.dress(open(), name, there.get(), IS_OPAQUE);
        }
    }

    @Override
    void untold(List<Bytes> path) {
        names += path.size();
        if (untold.size() == MOST_UNTOLD || names > MOST_NAMES) {
            throw Portability.refused(path, "there are too many directories of which nothing is told");
        }
        untold.add(List.copyOf(path));
    }

    @Override
    void meet(byte[] name, FileFacts there, ManifestEntry facts) throws IOException {
        boolean isDirectory = facts.content() instanceof EntryContent.Directory;
        if (there.isDirectory() && isDirectory) {
            return;
        }
        if (there.isDirectory()) {
            throw Portability.refused(List.of(facts.name()), "it is a directory and something else");
        }
        if (isDirectory && !there.isWhiteout()) {
            throw Portability.refused(List.of(facts.name()), "it is a directory and something else");
        }
        NewFiles.remove(open(), name);
        if (isDirectory) { // what was below it is gone
            NewFiles.directory(open(), name).close();
            NewFiles.dress(open(), name, Unpacking.facts(TarFacts.ofUntold(facts.name())), IS_OPAQUE);
        }
    }
}
