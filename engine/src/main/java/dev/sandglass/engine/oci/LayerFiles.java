package dev.sandglass.engine.oci;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/** The port that makes trees of an image's layers and layers of trees. Thread-safe. */
public interface LayerFiles {
    /**
     * Fills an empty directory with a layer as an overlay has it: whiteouts, opaque directories. {@code image_refused} if it has what no layer may have.
     *
     * @param layer compressed with gzip or zstd, or plain
     * @param expanded sees the bytes of the layer before they were compressed, to the last
     * @return the directories that the layer does not tell of, though it has something in them: names from the root on, none before one that it is in
     */
    List<List<Bytes>> unpack(InputStream layer, Path tree, Budget budget, OutputStream expanded) throws IOException;

    /** Gives such directories owner and mode of those in the layers below, top first, where there are such. */
    void inherit(Path tree, List<List<Bytes>> untold, List<Path> below) throws IOException;

    /** Writes the tree of a layer as a plain tar archive that any tool takes, without what is this machine's or the sandbox's own; {@code image_refused} if it is larger than one that is taken. */
    void pack(Path tree, OutputStream target) throws IOException;

    /** Writes files into a plain tar archive, and the directories that they are in. */
    void write(List<NamedFile> files, OutputStream target) throws IOException;

    /** Reads an archive, an OCI layout or one of {@code docker save}, whose files are put into an empty directory for that. */
    ImageSource archive(InputStream archive, Path work, Budget budget) throws IOException;
}
