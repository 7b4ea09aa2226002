package dev.sandglass.engine.manifest;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads a manifest, entry by entry, and refuses what no writer wrote: within bounds, whatever comes. What it gave counts only
 * when {@link #summary} is there, for the seal stands at the end. Not thread-safe.
 */
public final class ManifestReader implements AutoCloseable {
    private final MessageDigest digest = ManifestFormat.sha256();
    private final MessageDigest seal = ManifestFormat.sha256();
    private final DigestInputStream digested;
    private final DataInputStream input;
    private final ManifestHeader header;
    private final List<Bytes> path = new ArrayList<>();
    private boolean inDirectory;
    private long entries;
    private long bytes;
    private Optional<ManifestSummary> summary = Optional.empty();

    public ManifestReader(InputStream stream) throws IOException {
        this.digested = new DigestInputStream(new DigestInputStream(new BufferedInputStream(stream, 1 << 16), seal), digest);
        this.input = new DataInputStream(digested);
        try {
            if (input.readLong() != ManifestFormat.MAGIC) {
                throw ManifestFormat.damaged("manifest: it is none");
            }
            ManifestFormat.bounded("version", input.readInt(), ManifestFormat.VERSION, ManifestFormat.VERSION);
            Map<String, String> facts = pairs();
            digested.on(false);
            this.header = new ManifestHeader(facts, pairs());
            digested.on(true);
        } catch (EOFException early) {
            throw ManifestFormat.damaged("manifest: it ends too early");
        }
    }

    public static ManifestReader open(Path file) throws IOException {
        InputStream stream = Files.newInputStream(file);
        try {
            return new ManifestReader(stream);
        } catch (IOException | RuntimeException problem) {
            stream.close();
            throw problem;
        }
    }

    public ManifestHeader header() {
        return header;
    }

    /** The next entry; none at the end, when everything that was given is sure. */
    public Optional<ManifestEntry> next() throws IOException {
        if (summary.isPresent()) {
            return Optional.empty();
        }
        try {
            if (ManifestFormat.bounded("mark", input.readUnsignedByte(), ManifestFormat.END, ManifestFormat.ENTRY) == ManifestFormat.END) {
                finish();
                return Optional.empty();
            }
            ManifestEntry entry = entry();
            entries++;
            return Optional.of(entry);
        } catch (EOFException early) {
            throw ManifestFormat.damaged("manifest: it ends too early");
        }
    }

    /** The parts of the path of the entry that came last. */
    public List<Bytes> path() {
        return List.copyOf(path);
    }

    /** The whole, once the end was reached. */
    public Optional<ManifestSummary> summary() {
        return summary;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }

    private ManifestEntry entry() throws IOException {
        int depth = ManifestFormat.bounded("depth", input.readInt(), 0, Math.min(ManifestFormat.DEPTH, deepest()));
        Bytes name = name();
        place(depth, name);
        int permissions = ManifestFormat.bounded("permissions", input.readInt(), 0, 07777);
        int uid = input.readInt();
        int gid = input.readInt();
        long modifiedSeconds = input.readLong();
        int modifiedNanos = ManifestFormat.bounded("nanoseconds", input.readInt(), 0, 999_999_999);
        EntryContent content = content();
        Map<Bytes, Bytes> attributes = attributes();
        digested.on(false);
        HostFacts host = new HostFacts(input.readLong(), input.readLong(), input.readInt());
        digested.on(true);
        inDirectory = content instanceof EntryContent.Directory;
        return new ManifestEntry(depth, name, content, permissions, uid, gid, modifiedSeconds, modifiedNanos, attributes, host);
    }

    /** Only a directory has something below it. */
    private int deepest() {
        return path.isEmpty() ? 0 : inDirectory ? path.size() : path.size() - 1;
    }

    private Bytes name() throws IOException {
        Bytes name = bytes(ManifestFormat.bounded("name", input.readUnsignedByte(), 1, ManifestFormat.NAME));
        for (byte each : name.toArray()) {
            if (each == 0 || each == '/') {
                throw ManifestFormat.damaged("manifest: name: " + name + " (expected: no slash and no zero byte)");
            }
        }
        if (name.equals(Bytes.of(".")) || name.equals(Bytes.of(".."))) {
            throw ManifestFormat.damaged("manifest: name: " + name);
        }
        return name;
    }

    /** Names of one directory go up, so none is there twice. */
    private void place(int depth, Bytes name) {
        if (depth < path.size() && path.get(depth).compareTo(name) >= 0) {
            throw ManifestFormat.damaged("manifest: " + name + " after " + path.get(depth) + " (expected: in order)");
        }
        path.subList(depth, path.size()).clear();
        path.add(name);
    }

    private EntryContent content() throws IOException {
        int type = input.readUnsignedByte();
        return switch (type) {
            case ManifestFormat.DIRECTORY -> new EntryContent.Directory();
            case ManifestFormat.REGULAR -> regular();
            case ManifestFormat.HARD_LINK -> hardLink();
            case ManifestFormat.LINK ->
                new EntryContent.SymbolicLink(bytes(ManifestFormat.bounded("target", input.readInt(), 0, ManifestFormat.TARGET)));
            case ManifestFormat.BLOCK, ManifestFormat.CHARACTER ->
                new EntryContent.Device(type == ManifestFormat.BLOCK, input.readInt(), input.readInt());
            case ManifestFormat.FIFO -> new EntryContent.Fifo();
            case ManifestFormat.SOCKET -> new EntryContent.Socket();
            default -> throw ManifestFormat.damaged("manifest: type: " + type);
        };
    }

    private EntryContent regular() throws IOException {
        long size = input.readLong();
        if (size < 0 || bytes + size < 0) {
            throw ManifestFormat.damaged("manifest: size: " + size);
        }
        bytes += size;
        return new EntryContent.RegularFile(size, bytes(ManifestFormat.HASH_BYTES));
    }

    private EntryContent hardLink() throws IOException {
        long first = input.readLong();
        if (first < 0 || first >= entries) {
            throw ManifestFormat.damaged("manifest: hard link to entry " + first + " (expected: < " + entries + ")");
        }
        return new EntryContent.HardLink(first);
    }

    private Map<Bytes, Bytes> attributes() throws IOException {
        int count = ManifestFormat.bounded("attributes", input.readInt(), 0, ManifestFormat.ATTRIBUTES);
        if (count == 0) {
            return Map.of();
        }
        Map<Bytes, Bytes> attributes = new TreeMap<>();
        int room = ManifestFormat.ATTRIBUTE_BYTES;
        for (int index = 0; index < count; index++) {
            Bytes name = bytes(input.readUnsignedByte());
            int length = ManifestFormat.bounded("value", input.readInt(), 0, Math.min(room, ManifestFormat.ATTRIBUTE_VALUE));
            room -= length;
            attributes.put(name, bytes(length));
        }
        return attributes;
    }

    private Map<String, String> pairs() throws IOException {
        int count = ManifestFormat.bounded("pairs", input.readInt(), 0, ManifestFormat.PAIRS);
        Map<String, String> pairs = new TreeMap<>();
        for (int index = 0; index < count; index++) {
            String key = text();
            pairs.put(key, text());
        }
        return pairs;
    }

    private String text() throws IOException {
        int length = ManifestFormat.bounded("text", input.readInt(), 0, ManifestFormat.TEXT);
        return new String(bytes(length).toArray(), StandardCharsets.UTF_8);
    }

    private Bytes bytes(int length) throws IOException {
        byte[] content = new byte[length];
        input.readFully(content);
        return Bytes.of(content);
    }

    private void finish() throws IOException {
        long countedEntries = input.readLong();
        long countedBytes = input.readLong();
        digested.on(false);
        byte[] whole = digest.digest();
        boolean isWhole = Arrays.equals(whole, bytes(ManifestFormat.HASH_BYTES).toArray());
        byte[] sealed = seal.digest();
        boolean isSealed = Arrays.equals(sealed, bytes(ManifestFormat.HASH_BYTES).toArray());
        boolean isCounted = countedEntries == entries && countedBytes == bytes;
        if (!isCounted || !isWhole || !isSealed || input.read() >= 0) {
            throw ManifestFormat.damaged("manifest: its own digest does not match");
        }
        summary = Optional.of(new ManifestSummary(entries, bytes, HexFormat.of().formatHex(whole)));
    }
}
