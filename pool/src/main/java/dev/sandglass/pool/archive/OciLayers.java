package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.oci.ImageSource;
import dev.sandglass.engine.oci.LayerFiles;
import dev.sandglass.engine.oci.NamedFile;
import dev.sandglass.engine.oci.Refusal;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.tar.TarException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Layers of images as trees of the pool. Stateless. */
public final class OciLayers implements LayerFiles {
    private static final int BUFFER = 256 * 1024;
    private static final int MAGIC = 4;
    private static final int ZSTD_MAGIC = 0xfd2fb528;
    /** Of one layer when it is expanded, on its way in or out. */
    private static final long MOST = 64L << 30;

    private interface Work<T> {
        T run() throws IOException;
    }

    @Override
    public List<List<Bytes>> unpack(InputStream layer, Path tree, Budget budget, OutputStream expanded) throws IOException {
        return refusing(() -> OwnThread.call("unpack", () -> {
            InputStream tar = new Copied(expanded(layer), expanded);
            Set<List<Bytes>> untold = LayerUnpacking.unpack(new BufferedInputStream(tar, BUFFER), tree, budget, MOST);
            tar.transferTo(OutputStream.nullOutputStream()); // what follows the end of the archive is in its digest too
            return List.copyOf(untold);
        }));
    }

    /** Plain if it is neither: then it is an archive, or is refused as none. */
    static InputStream expanded(InputStream source) throws IOException {
        PushbackInputStream begun = new PushbackInputStream(source, MAGIC);
        byte[] start = begun.readNBytes(MAGIC);
        begun.unread(start);
        int word = 0;
        for (int i = 0; i < start.length; i++) {
            word |= Byte.toUnsignedInt(start[i]) << (8 * i);
        }
        if (start.length == MAGIC && word == ZSTD_MAGIC) {
            return new ExpandingInputStream(begun);
        }
        return (word & 0xffff) == GZIPInputStream.GZIP_MAGIC ? new GZIPInputStream(begun, BUFFER) : begun;
    }

    @Override
    public void inherit(Path tree, List<List<Bytes>> untold, List<Path> below) throws IOException {
        OwnThread.run("inherit", () -> Inheritance.run(tree, untold, below));
    }

    @Override
    public void pack(Path tree, OutputStream target) throws IOException {
        OwnThread.run("pack", () -> LayerPacking.run(tree, target, MOST));
    }

    @Override
    public void write(List<NamedFile> files, OutputStream target) throws IOException {
        PaxWriter writer = new PaxWriter(target);
        for (String directory : List.of("blobs/", "blobs/sha256/")) {
            writer.entry('5', new PaxWriter.Facts(directory, 0755, 0, 0, 0, Map.of()), "", 0);
        }
        byte[] piece = new byte[BUFFER];
        for (NamedFile file : files) {
            long size = Files.size(file.path());
            writer.entry('0', new PaxWriter.Facts(file.name(), 0644, 0, 0, 0, Map.of()), "", size);
            try (InputStream in = Files.newInputStream(file.path())) {
                for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                    writer.content(piece, 0, count);
                }
            }
            writer.pad(size);
        }
        writer.finish();
    }

    @Override
    public ImageSource archive(InputStream archive, Path work, Budget budget) throws IOException {
        return refusing(() -> ArchivedImage.read(new BufferedInputStream(expanded(archive), BUFFER), work, budget));
    }

    /** What is wrong with an archive is said of an image here. */
    private static <T> T refusing(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (TarException | EOFException | ZipException damaged) {
            throw Refusal.of("a layer or archive is damaged: " + Refusal.shown(damaged.getMessage()));
        } catch (SandglassException refused) {
            if (refused.code() == ErrorCode.ARCHIVE_REFUSED) {
                throw Refusal.of(Refusal.shown(refused.what().replaceFirst("^The file is not taken: ", "").replaceFirst("\\.$", "")));
            }
            throw refused;
        }
    }

    /** A stream whose bytes somebody else sees too. */
    private static final class Copied extends FilterInputStream {
        private final OutputStream copy;

        Copied(InputStream source, OutputStream copy) {
            super(source);
            this.copy = copy;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = in.read(buffer, offset, length);
            if (count > 0) {
                copy.write(buffer, offset, count);
            }
            return count;
        }

        @Override
        public long skip(long bytes) throws IOException {
            byte[] dropped = new byte[(int) Math.min(bytes, BUFFER)];
            return bytes <= 0 ? 0 : Math.max(0, read(dropped, 0, dropped.length));
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
