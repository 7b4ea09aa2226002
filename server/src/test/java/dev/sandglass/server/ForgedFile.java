package dev.sandglass.server;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.ArchiveWriter;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestHeader;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.pool.archive.TreePacking;
import dev.sandglass.pool.manifest.ContentHash;
import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.ArchiveHeader.Part;
import dev.sandglass.wire.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A snapshot's file that no export wrote: whatever entries its parts have, every length and digest in it is right. */
final class ForgedFile {
    private static final int PIECE = 256 * 1024;
    private static final Bytes NOTHING = Bytes.of(new byte[0]);

    /** An entry, with what a regular file has; the rest of it is a hole. */
    record Entry(ManifestEntry entry, Bytes content) {
        static Entry directory(int depth, String name) {
            return of(depth, name, new EntryContent.Directory(), Map.of());
        }

        static Entry link(int depth, String name, String target) {
            return of(depth, name, new EntryContent.SymbolicLink(Bytes.of(target)), Map.of());
        }

        static Entry of(int depth, String name, EntryContent content, Map<Bytes, Bytes> attributes) {
            return new Entry(new ManifestEntry(depth, Bytes.of(name), content, 0755, 0, 0, 1_700_000_000, 0, attributes, new HostFacts(0, 0, 0)), NOTHING);
        }

        static Entry file(int depth, String name, byte[] content, long size) {
            ContentHash hash = new ContentHash();
            hash.update(content, 0, content.length);
            hash.hole(size - content.length);
            return new Entry(of(depth, name, new EntryContent.RegularFile(size, hash.finish()), Map.of()).entry, Bytes.of(content));
        }

        static Entry file(int depth, String name, String content) {
            return file(depth, name, content.getBytes(StandardCharsets.UTF_8), content.length());
        }
    }

    private record Piece(Part part, Bytes manifest, List<Entry> entries, Bytes agent) {}

    private final String image;
    private final List<Piece> pieces = new ArrayList<>();
    private String sandbox = "sbx-000000000001";
    private String architecture = Facts.architecture();
    private int version = ArchiveFormat.VERSION;
    private @Nullable String imageManifest;
    private byte @Nullable [] agent;

    ForgedFile(String image) {
        this.image = image;
    }

    ForgedFile sandbox(String id) {
        sandbox = id;
        return this;
    }

    ForgedFile architecture(String other) {
        architecture = other;
        return this;
    }

    ForgedFile version(int other) {
        version = other;
        return this;
    }

    ForgedFile imageManifest(String json) {
        imageManifest = json;
        return this;
    }

    ForgedFile part(String role, List<Entry> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ManifestWriter writer = new ManifestWriter(bytes, new ManifestHeader(Map.of(), Map.of()));
        for (Entry entry : entries) {
            writer.add(entry.entry);
        }
        ManifestSummary summary = writer.finish();
        pieces.add(new Piece(new Part(role, bytes.size(), summary.entries(), summary.bytes(), summary.digest()), Bytes.of(bytes.toByteArray()), entries, NOTHING));
        return this;
    }

    /** Processes with these files, and an agent. */
    ForgedFile memory(List<Entry> files, byte[] binary) throws IOException {
        agent = binary;
        part(Part.MEMORY, files);
        pieces.add(new Piece(new Part(Part.AGENT, 0, 1, binary.length, Sha256.of(binary)), NOTHING, List.of(), Bytes.of(binary)));
        return this;
    }

    /** @param missing bytes at its end, before it is compressed */
    Path write(Path file, int missing) throws IOException {
        ByteArrayOutputStream expanded = new ByteArrayOutputStream();
        ArchiveWriter writer = new ArchiveWriter(expanded, header());
        for (Piece piece : pieces) {
            writer.content().write(piece.manifest.toArray());
            writer.content().write(piece.agent.toArray());
            for (Entry entry : piece.entries) {
                content(entry, new DataOutputStream(writer.content()));
            }
        }
        writer.finish();
        try (OutputStream target = Files.newOutputStream(file);
                OutputStream compressed = new TreePacking().compressed(target)) {
            compressed.write(expanded.toByteArray(), 0, expanded.size() - missing);
        }
        return file;
    }

    private ArchiveHeader header() {
        ArchiveHeader.Processes memory = agent == null
                ? null
                : new ArchiveHeader.Processes(Sha256.of(agent), "strict", List.of(), 256L << 20, 1, 1L << 30, 64, Map.of());
        return new ArchiveHeader(
                version, "snap-000000000001", null, sandbox, "forged", "gvisor", architecture, image, imageManifest, 1, 0, "", Map.of(),
                Instant.EPOCH, memory, pieces.stream().map(Piece::part).toList(), null);
    }

    private static void content(Entry entry, DataOutputStream output) throws IOException {
        if (!(entry.entry.content() instanceof EntryContent.RegularFile)) {
            return;
        }
        byte[] content = entry.content.toArray();
        for (int at = 0; at < content.length; at += PIECE) {
            int length = Math.min(PIECE, content.length - at);
            output.writeLong(at);
            output.writeInt(length);
            output.write(content, at, length);
        }
        output.writeLong(-1);
    }
}
