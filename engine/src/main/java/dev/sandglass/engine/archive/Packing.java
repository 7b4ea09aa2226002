package dev.sandglass.engine.archive;

import dev.sandglass.engine.manifest.ManifestSummary;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * The port that makes streams of trees and trees of streams. A portable manifest is one without anything that is true on one
 * machine only, so that the same content has the same digest everywhere. Thread-safe.
 */
public interface Packing {
    /** Work that takes long, or makes system calls that do. */
    interface Work<T> {
        T run() throws IOException;
    }

    /** Does it where it holds up nobody else, and waits for its end. */
    <T> T apart(Work<T> work) throws IOException;

    /** A stream whose bytes come out compressed; closing it writes its end and leaves the target open. */
    OutputStream compressed(OutputStream target) throws IOException;

    /** The bytes before they were compressed; {@code archive_refused} where that is not what they are. */
    InputStream expanded(InputStream source) throws IOException;

    /** Writes the portable form of a manifest; {@code archive_refused} if it has what no file of a snapshot may have. */
    ManifestSummary portable(Path manifest, Path target) throws IOException;

    /** Reads a portable manifest whole, and refuses what a file of a snapshot may not have. */
    ManifestSummary inspect(Path portable) throws IOException;

    /** Writes the content of all files of a tree in the order of its portable manifest, and holds it to that. */
    void pack(String root, Path tree, Path portable, OutputStream target) throws IOException;

    /** Fills an empty directory with what the portable manifest says and the stream has. What is there after a failure is the caller's. */
    void unpack(InputStream source, Path portable, Path tree, Budget budget) throws IOException;

    /** Fills an empty directory with what a tar archive of an overlay's upper directory has, plain or compressed with gzip. */
    void untar(InputStream source, Path tree, Budget budget) throws IOException;

    /** Reads what belongs to the portable manifest, and holds it to that, without making anything. */
    void skip(InputStream source, Path portable) throws IOException;
}
