package dev.sandglass.pool.diff;

import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.OpenDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A directory as the layers show it that both overlays have. It is opened when somebody needs it, which is seldom: most of what differs is in the
 * layers above. Not thread-safe.
 */
final class Lower implements AutoCloseable {
    private final @Nullable Lower parent;
    private final byte[] name;
    private final List<Layer> layers;
    private @Nullable List<Source> opened;

    private Lower(@Nullable Lower parent, byte[] name, List<Layer> layers) {
        this.parent = parent;
        this.name = name;
        this.layers = layers;
    }

    /** The root of layers, top first. */
    static Lower of(List<Layer> layers) {
        return new Lower(null, new byte[0], layers);
    }

    Lower child(byte[] childName) {
        return new Lower(this, childName, layers);
    }

    /** Its directories, top first; none if it is not there, or is no directory. */
    List<Source> sources() throws IOException {
        if (opened == null) {
            opened = new ArrayList<>(); // what an error leaves open is closed with all the rest
            if (parent == null) {
                for (Layer layer : layers) {
                    opened.add(new Source(layer, OpenDirectory.of(layer.directory())));
                }
            } else {
                enter(parent.sources(), opened);
            }
        }
        return opened;
    }

    private void enter(List<Source> above, List<Source> found) throws IOException {
        for (Source source : above) {
            Optional<FileFacts> facts = source.directory().find(name);
            if (facts.isPresent() && !facts.get().isDirectory()) {
                return;
            }
            if (facts.isPresent()) {
                found.add(source.child(name));
                if (found.getLast().isOpaque()) {
                    return;
                }
            }
        }
    }

    /** What is in it under a name. */
    View find(byte[] entry) throws IOException {
        for (Source source : sources()) {
            Optional<FileFacts> facts = source.directory().find(entry);
            if (facts.isPresent()) {
                if (facts.get().isWhiteout()) {
                    return new View.Absent();
                }
                return facts.get().isDirectory()
                        ? new View.Tree(source, entry, facts.get(), List.of(), true)
                        : new View.Leaf(source, entry, facts.get());
            }
        }
        return new View.Absent();
    }

    int open() {
        return opened == null ? 0 : opened.size();
    }

    @Override
    public void close() throws IOException {
        if (opened != null) {
            Source.close(opened);
            opened = null;
        }
    }
}
