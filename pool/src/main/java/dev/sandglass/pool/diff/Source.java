package dev.sandglass.pool.diff;

import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.OpenDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A directory of one layer. */
record Source(Layer layer, OpenDirectory directory) {
    private static final String OVERLAY = "trusted.overlay.";
    private static final String OPAQUE = "trusted.overlay.opaque";

    Source child(byte[] name) throws IOException {
        return new Source(layer, directory.child(name));
    }

    /** Whether it hides what layers below have at its path. */
    boolean isOpaque() throws IOException {
        for (ExtendedAttribute attribute : directory.attributes()) {
            if (attribute.is(OPAQUE, "y")) {
                return true;
            }
        }
        return false;
    }

    /** The attributes of an entry that are not the overlay's own. */
    List<ExtendedAttribute> attributes(byte[] name) throws IOException {
        List<ExtendedAttribute> kept = new ArrayList<>(directory.attributes(name));
        kept.removeIf(attribute -> attribute.hasPrefix(OVERLAY));
        return kept;
    }

    static void close(List<Source> sources) throws IOException {
        for (Source source : sources) {
            source.directory.close();
        }
    }
}
