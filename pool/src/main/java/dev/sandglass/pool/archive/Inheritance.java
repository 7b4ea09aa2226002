package dev.sandglass.pool.archive;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NewFiles;
import dev.sandglass.linux.OpenDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Gives directories of a layer owner and mode of those that they lie on. Stateless. */
final class Inheritance {
    private static final byte[] ITSELF = {'.'};

    private Inheritance() {}

    /** @param below layers, top first */
    static void run(Path tree, Collection<List<Bytes>> directories, List<Path> below) throws IOException {
        for (List<Bytes> directory : directories) {
            Optional<FileFacts> lower = find(directory, below);
            if (lower.isPresent()) {
                dress(tree, directory, lower.get());
            }
        }
    }

    /** As an overlay of the layers shows it. */
    private static Optional<FileFacts> find(List<Bytes> path, List<Path> layers) throws IOException {
        for (Path layer : layers) {
            Seen seen = look(path, layer);
            if (seen.facts.isPresent() || seen.isLast) {
                return seen.facts;
            }
        }
        return Optional.empty();
    }

    /** @param isLast whether nothing below shows */
    private record Seen(Optional<FileFacts> facts, boolean isLast) {}

    private static Seen look(List<Bytes> path, Path layer) throws IOException {
        OpenDirectory directory = OpenDirectory.of(layer);
        try {
            if (path.isEmpty()) {
                return new Seen(Optional.of(directory.facts()), true);
            }
            boolean hides = false;
            for (int i = 0; i < path.size(); i++) {
                byte[] name = path.get(i).toArray();
                Optional<FileFacts> there = directory.find(name);
                if (there.isEmpty()) {
                    return new Seen(Optional.empty(), hides);
                }
                if (!there.get().isDirectory()) {
                    return new Seen(Optional.empty(), true);
                }
                if (i == path.size() - 1) {
                    return new Seen(there, true);
                }
                hides |= isOpaque(directory, name);
                OpenDirectory child = directory.child(name);
                directory.close();
                directory = child;
            }
            return new Seen(Optional.empty(), hides);
        } finally {
            directory.close();
        }
    }

    private static boolean isOpaque(OpenDirectory in, byte[] name) throws ErrnoException {
        return in.attributes(name).stream().map(ExtendedAttribute::name).anyMatch(each -> new String(each, StandardCharsets.ISO_8859_1).equals("trusted.overlay.opaque"));
    }

    private static void dress(Path tree, List<Bytes> path, FileFacts like) throws IOException {
        OpenDirectory directory = OpenDirectory.of(tree);
        try {
            for (Bytes name : path) {
                OpenDirectory child = directory.child(name.toArray());
                directory.close();
                directory = child;
            }
            NewFiles.dress(directory, ITSELF, like, List.of());
        } finally {
            directory.close();
        }
    }
}
