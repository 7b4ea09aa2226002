package dev.sandglass.engine.archive;

import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the file of a snapshot, part by part, and refuses what no writer wrote: within bounds, whatever comes. Not thread-safe. */
public final class ArchiveReader {
    private static final int PIECE = 1 << 16;

    private final DataInputStream input;
    private final ArchiveHeader header;

    public ArchiveReader(InputStream expanded) throws IOException {
        this.input = new DataInputStream(expanded);
        try {
            if (input.readLong() != ArchiveFormat.MAGIC) {
                throw ArchiveFormat.refused("it is no snapshot's");
            }
            ArchiveFormat.bounded("version", input.readInt(), ArchiveFormat.VERSION, ArchiveFormat.VERSION);
            byte[] text = new byte[(int) ArchiveFormat.bounded("header", input.readInt(), 1, ArchiveFormat.HEADER_BYTES)];
            input.readFully(text);
            this.header = checked(parsed(text));
        } catch (EOFException early) {
            throw ArchiveFormat.refused("it ends too early");
        }
    }

    private static ArchiveHeader parsed(byte[] text) {
        try {
            return Json.read(ArchiveHeader.class, text);
        } catch (SandglassException malformed) {
            throw ArchiveFormat.refused("its header is none");
        }
    }

    private static ArchiveHeader checked(ArchiveHeader header) {
        ArchiveFormat.bounded("version", header.version(), ArchiveFormat.VERSION, ArchiveFormat.VERSION);
        ArchiveFormat.bounded("parts", header.parts().size(), 1, ArchiveFormat.PARTS);
        long entries = 0;
        long bytes = 0;
        long manifests = 0;
        for (ArchiveHeader.Part part : header.parts()) {
            boolean isAgent = part.role().equals(ArchiveHeader.Part.AGENT);
            ArchiveFormat.bounded("manifest", part.manifestBytes(), 0, isAgent ? 0 : ArchiveFormat.MANIFEST_BYTES);
            ArchiveFormat.bounded("entries", part.entries(), 0, ArchiveFormat.ENTRIES);
            ArchiveFormat.bounded("bytes", part.bytes(), 0, mostBytes(part.role()));
            manifests += part.manifestBytes();
            entries += part.entries();
            bytes += part.bytes();
        }
        ArchiveFormat.bounded("manifests", manifests, 0, ArchiveFormat.MANIFEST_BYTES);
        ArchiveFormat.bounded("entries", entries, 0, ArchiveFormat.ENTRIES);
        ArchiveFormat.bounded("bytes", bytes, 0, ArchiveFormat.BYTES);
        return header;
    }

    private static long mostBytes(String role) {
        return switch (role) {
            case ArchiveHeader.Part.AGENT -> ArchiveFormat.AGENT_BYTES;
            case ArchiveHeader.Part.IMAGE -> ArchiveFormat.IMAGE_BYTES;
            default -> ArchiveFormat.BYTES;
        };
    }

    public ArchiveHeader header() {
        return header;
    }

    /** Reads the manifest of a part into a file, and holds it to the header. */
    public void manifest(ArchiveHeader.Part part, Path file, Packing packing) throws IOException {
        try (OutputStream target = Files.newOutputStream(file)) {
            copy(part.manifestBytes(), target);
        }
        ManifestSummary found = packing.inspect(file);
        if (!found.equals(new ManifestSummary(part.entries(), part.bytes(), part.digest()))) {
            throw ArchiveFormat.refused("the manifest of a part has the digest " + found.digest() + " (expected: " + part.digest() + ")");
        }
    }

    /** Reads the bytes of an agent. */
    public byte[] agent(ArchiveHeader.Part part) throws IOException {
        byte[] binary = input.readNBytes((int) part.bytes());
        if (binary.length < part.bytes()) {
            throw ArchiveFormat.refused("it ends too early");
        }
        return binary;
    }

    /** What follows a manifest. */
    public InputStream content() {
        return input;
    }

    /** Refuses a file that does not end here. */
    public void finish() throws IOException {
        try {
            if (input.readLong() != ArchiveFormat.MAGIC || input.read() >= 0) {
                throw ArchiveFormat.refused("something stands behind its end");
            }
        } catch (EOFException early) {
            throw ArchiveFormat.refused("it ends too early");
        }
    }

    private void copy(long bytes, OutputStream target) throws IOException {
        byte[] piece = new byte[PIECE];
        for (long left = bytes; left > 0; ) {
            int read = input.read(piece, 0, (int) Math.min(PIECE, left));
            if (read < 0) {
                throw ArchiveFormat.refused("it ends too early");
            }
            target.write(piece, 0, read);
            left -= read;
        }
    }
}
