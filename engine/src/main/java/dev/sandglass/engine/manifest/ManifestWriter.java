package dev.sandglass.engine.manifest;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;

/** Writes a manifest, entry by entry, to a stream that it does not close. Not thread-safe. */
public final class ManifestWriter {
    private final MessageDigest digest = ManifestFormat.sha256();
    private final MessageDigest seal = ManifestFormat.sha256();
    private final DataOutputStream output;
    private final ByteArrayOutputStream piece = new ByteArrayOutputStream();
    private final DataOutputStream fields = new DataOutputStream(piece);
    private long entries;
    private long bytes;

    public ManifestWriter(OutputStream output, ManifestHeader header) throws IOException {
        this.output = new DataOutputStream(new DigestOutputStream(new BufferedOutputStream(output, 1 << 16), seal));
        fields.writeLong(ManifestFormat.MAGIC);
        fields.writeInt(ManifestFormat.VERSION);
        pairs(header.facts());
        flush(true);
        pairs(header.states());
        flush(false);
    }

    public void add(ManifestEntry entry) throws IOException {
        fields.writeByte(ManifestFormat.ENTRY);
        fields.writeInt(ManifestFormat.bounded("depth", entry.depth(), 0, ManifestFormat.DEPTH));
        fields.writeByte(ManifestFormat.bounded("name", entry.name().length(), 1, ManifestFormat.NAME));
        fields.write(entry.name().toArray());
        fields.writeInt(entry.permissions());
        fields.writeInt(entry.uid());
        fields.writeInt(entry.gid());
        fields.writeLong(entry.modifiedSeconds());
        fields.writeInt(entry.modifiedNanos());
        content(entry.content());
        fields.writeInt(ManifestFormat.bounded("attributes", entry.attributes().size(), 0, ManifestFormat.ATTRIBUTES));
        int room = ManifestFormat.ATTRIBUTE_BYTES;
        for (Map.Entry<Bytes, Bytes> attribute : entry.attributes().entrySet()) {
            room -= ManifestFormat.bounded("value", attribute.getValue().length(), 0, room);
            fields.writeByte(attribute.getKey().length());
            fields.write(attribute.getKey().toArray());
            fields.writeInt(attribute.getValue().length());
            fields.write(attribute.getValue().toArray());
        }
        flush(true);
        fields.writeLong(entry.host().inode());
        fields.writeLong(entry.host().changedSeconds());
        fields.writeInt(entry.host().changedNanos());
        flush(false);
        entries++;
    }

    /** Writes what comes after the last entry. */
    public ManifestSummary finish() throws IOException {
        fields.writeByte(ManifestFormat.END);
        fields.writeLong(entries);
        fields.writeLong(bytes);
        flush(true);
        byte[] whole = digest.digest();
        output.write(whole);
        output.write(seal.digest());
        output.flush();
        return new ManifestSummary(entries, bytes, HexFormat.of().formatHex(whole));
    }

    private void content(EntryContent content) throws IOException {
        switch (content) {
            case EntryContent.Directory _ -> fields.writeByte(ManifestFormat.DIRECTORY);
            case EntryContent.RegularFile(long size, Bytes sha256) -> {
                fields.writeByte(ManifestFormat.REGULAR);
                fields.writeLong(size);
                ManifestFormat.bounded("sha256", sha256.length(), ManifestFormat.HASH_BYTES, ManifestFormat.HASH_BYTES);
                fields.write(sha256.toArray());
                bytes += size;
            }
            case EntryContent.HardLink(long first) -> {
                fields.writeByte(ManifestFormat.HARD_LINK);
                fields.writeLong(first);
            }
            case EntryContent.SymbolicLink(Bytes target) -> {
                fields.writeByte(ManifestFormat.LINK);
                fields.writeInt(ManifestFormat.bounded("target", target.length(), 0, ManifestFormat.TARGET));
                fields.write(target.toArray());
            }
            case EntryContent.Device(boolean block, int major, int minor) -> {
                fields.writeByte(block ? ManifestFormat.BLOCK : ManifestFormat.CHARACTER);
                fields.writeInt(major);
                fields.writeInt(minor);
            }
            case EntryContent.Fifo _ -> fields.writeByte(ManifestFormat.FIFO);
            case EntryContent.Socket _ -> fields.writeByte(ManifestFormat.SOCKET);
        }
    }

    private void pairs(Map<String, String> pairs) throws IOException {
        fields.writeInt(ManifestFormat.bounded("pairs", pairs.size(), 0, ManifestFormat.PAIRS));
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            text(pair.getKey());
            text(pair.getValue());
        }
    }

    private void text(String text) throws IOException {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        fields.writeInt(ManifestFormat.bounded("text", content.length, 0, ManifestFormat.TEXT));
        fields.write(content);
    }

    private void flush(boolean counts) throws IOException {
        byte[] content = piece.toByteArray();
        piece.reset();
        if (counts) {
            digest.update(content);
        }
        output.write(content);
    }
}
