package dev.sandglass.engine.template;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Archives that steps of templates copy from, by the hash that their client calls them: it is over what was packed, so it says nothing of the archive's own bytes. They are there for a while, so that the
 * next build does not need them sent again; the least used go. Thread-safe.
 */
public final class Uploads {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}");
    private static final String UNFINISHED = ".new";
    private static final long MOST_BYTES_OF_ONE = 4L << 30;
    private static final long MOST_BYTES = 8L << 30;
    private static final Duration KEPT = Duration.ofDays(7);
    private static final int BUFFER = 1 << 16;

    private final Path directory;

    private Uploads(Path directory) {
        this.directory = directory;
    }

    /** Those of that directory; what an earlier daemon did not finish is removed. */
    public static Uploads open(Path directory) {
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, "*" + UNFINISHED)) {
                for (Path file : unfinished) {
                    Files.delete(file);
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The directory of uploads cannot be prepared", problem);
        }
        return new Uploads(directory);
    }

    /** Whether an archive of that name is there; to ask is use. */
    public boolean isThere(String name) {
        try {
            Files.setLastModifiedTime(file(name), FileTime.from(Instant.now()));
            return true;
        } catch (NoSuchFileException absent) {
            return false;
        } catch (IOException problem) {
            throw StorageFailure.of("The uploads cannot be read", problem);
        }
    }

    /** Keeps an archive, whole or not at all. */
    public void put(String name, InputStream body) throws IOException {
        Path file = file(name);
        makeRoom();
        Path making = Files.createTempFile(directory, name, UNFINISHED);
        try {
            try (OutputStream out = Files.newOutputStream(making)) {
                copy(body, out);
            }
            try (FileChannel channel = FileChannel.open(making, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(making, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(making);
        }
    }

    private static void copy(InputStream body, OutputStream out) throws IOException {
        byte[] buffer = new byte[BUFFER];
        long copied = 0;
        for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
            copied += read;
            if (copied > MOST_BYTES_OF_ONE) {
                throw new SandglassException(ErrorCode.TOO_LARGE, "The archive is larger than " + MOST_BYTES_OF_ONE + " bytes.", "Copy less, or fetch what is large in a command.");
            }
            out.write(buffer, 0, read);
        }
    }

    /** The archive of that name; {@code path_not_found}. */
    InputStream read(String name) {
        try {
            return Files.newInputStream(file(name));
        } catch (NoSuchFileException absent) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "What is to be copied is not here: the upload " + name + ".", "Build the template again with the client that has the files.", absent);
        } catch (IOException problem) {
            throw StorageFailure.of("The upload " + name + " cannot be read", problem);
        }
    }

    /** Of the archive's bytes. */
    String digest(String name) {
        MessageDigest digest = Sha256.begin();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = read(name)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The upload " + name + " cannot be read", problem);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "hash: " + name.length() + " characters (expected: 64 lower-case hexadecimal digits)", "Send the SHA-256 of what is copied.");
        }
        return directory.resolve(name);
    }

    private record Kept(Path file, long bytes, Instant usedAt) {}

    /** What nobody used for long goes, and then the least used of what is too much. */
    private synchronized void makeRoom() throws IOException {
        List<Kept> kept = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, file -> !file.toString().endsWith(UNFINISHED))) {
            for (Path file : all) {
                kept.add(new Kept(file, Files.size(file), Files.getLastModifiedTime(file).toInstant()));
            }
        }
        kept.sort(Comparator.comparing(Kept::usedAt));
        long bytes = kept.stream().mapToLong(Kept::bytes).sum();
        Instant old = Instant.now().minus(KEPT);
        for (Kept one : kept) {
            if (bytes <= MOST_BYTES && one.usedAt().isAfter(old)) {
                return;
            }
            Files.deleteIfExists(one.file());
            bytes -= one.bytes();
        }
    }
}
