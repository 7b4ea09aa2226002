package dev.sandglass.pool.archive;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.archive.Packing;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestHeader;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.pool.manifest.Comparison;
import dev.sandglass.pool.manifest.Walk;
import dev.sandglass.wire.tar.TarException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Trees of a pool as streams, compressed with zstd. Stateless. */
public final class TreePacking implements Packing {
    /** The first of the quick ones, a third quicker than level 1 for a tenth more bytes (`zstd -b1`, `zstd -b --fast=1` on the files of a system): compressing is most of what an export does. */
    private static final int LEVEL = -1;

    private static final int BUFFER = 256 * 1024;

    @Override
    public <T> T apart(Work<T> work) throws IOException {
        return OwnThread.call("packing", work::run);
    }

    @Override
    public OutputStream compressed(OutputStream target) throws IOException {
        ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(new Uncloseable(target), LEVEL);
        zstd.setChecksum(true);
        return new BufferedOutputStream(zstd, BUFFER);
    }

    @Override
    public InputStream expanded(InputStream source) throws IOException {
        return new BufferedInputStream(new ExpandingInputStream(source), BUFFER);
    }

    @Override
    public ManifestSummary portable(Path manifest, Path target) throws IOException {
        try (ManifestReader reader = ManifestReader.open(manifest);
                OutputStream output = Files.newOutputStream(target)) {
            ManifestWriter writer = new ManifestWriter(output, new ManifestHeader(Map.of(), Map.of()));
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                ManifestEntry portable = Portability.of(entry.get());
                Portability.require(portable, reader.path());
                writer.add(portable);
            }
            return writer.finish();
        }
    }

    @Override
    public ManifestSummary inspect(Path portable) throws IOException {
        try (ManifestReader reader = ManifestReader.open(portable)) {
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                Portability.require(entry.get(), reader.path());
            }
            return reader.summary().orElseThrow();
        }
    }

    @Override
    public void pack(String root, Path tree, Path portable, OutputStream target) throws IOException {
        try (ManifestReader reader = ManifestReader.open(portable)) {
            Comparison comparison = new Comparison(reader, Comparison.Of.SIZE);
            Extents extents = new Extents();
            DataOutputStream output = new DataOutputStream(target);
            Walk walk = new Walk((found, place) -> {
                ManifestEntry written = comparison.take(Portability.of(found), place.path());
                if (written.content() instanceof EntryContent.RegularFile(long size, Bytes sha256)) {
                    try (OpenFile file = place.directory().file(place.name().toArray())) {
                        if (!extents.send(file, size, output).equals(sha256)) {
                            throw Comparison.damaged(place.path(), "its content is not what it was");
                        }
                    }
                }
            });
            walk.root(root, tree);
            comparison.finish();
        }
    }

    @Override
    public void unpack(InputStream source, Path portable, Path tree, Budget budget) throws IOException {
        Unpacking.run(new DataInputStream(source), portable, tree, budget);
    }

    @Override
    public void untar(InputStream source, Path tree, Budget budget) throws IOException {
        try (InputStream tar = new BufferedInputStream(unzipped(new PushbackInputStream(source, 2)), BUFFER)) {
            TarUnpacking.run(tar, tree, budget, ArchiveFormat.BYTES);
        } catch (TarException | EOFException | ZipException damaged) {
            throw ArchiveFormat.refused(String.valueOf(damaged.getMessage()));
        }
    }

    private static InputStream unzipped(PushbackInputStream source) throws IOException {
        byte[] start = source.readNBytes(2);
        source.unread(start);
        boolean isZipped = start.length == 2 && (Byte.toUnsignedInt(start[0]) | Byte.toUnsignedInt(start[1]) << 8) == GZIPInputStream.GZIP_MAGIC;
        return isZipped ? new GZIPInputStream(source, BUFFER) : source;
    }

    @Override
    public void skip(InputStream source, Path portable) throws IOException {
        DataInputStream input = new DataInputStream(source);
        Extents extents = new Extents();
        try (ManifestReader reader = ManifestReader.open(portable)) {
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                if (entry.get().content() instanceof EntryContent.RegularFile file) {
                    extents.receive(input, file, reader.path(), (_, _) -> {});
                }
            }
        }
    }
}
