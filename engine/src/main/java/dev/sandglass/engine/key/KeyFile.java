package dev.sandglass.engine.key;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A key of 256 bits in a file that only its owner can read, made once and never replaced. Thread-safe if its caller is.
 *
 * @param what the file is, in a message
 * @param remedy what to do about one that cannot be used
 */
public record KeyFile(Path file, String what, String remedy) {
    private static final int BYTES = 32;
    private static final int MAX_FILE_BYTES = 256;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");
    private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /** Also if it is a link, or anything else that is no key. */
    public boolean exists() {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** The key; {@code storage_failed} if the file is not there, or not one that only its owner can read. */
    public byte[] read() {
        if (!exists()) {
            throw refused("is not there");
        }
        try {
            PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw refused("is not a regular file");
            }
            if (!OWNER_ONLY.containsAll(attributes.permissions())) {
                throw refused("has mode " + PosixFilePermissions.toString(attributes.permissions()) + " (expected: rw-------): others may have read it");
            }
            if (attributes.size() == BYTES) {
                return Files.readAllBytes(file); // the gateway's, as earlier versions wrote it
            }
            String text = attributes.size() > MAX_FILE_BYTES ? "" : Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            if (!FORM.matcher(text).matches()) {
                throw refused("does not hold 64 hexadecimal digits");
            }
            return HexFormat.of().parseHex(text);
        } catch (IOException problem) {
            throw StorageFailure.of("The " + what + " " + file + " cannot be read", problem);
        }
    }

    /** The key, made if there is no file; what a daemon that died while it made one has left is gone then. */
    public byte[] readOrCreate() {
        if (!exists()) {
            return create();
        }
        byte[] key = read();
        try {
            removeUnfinished();
            return key;
        } catch (IOException problem) {
            throw StorageFailure.of("What is left of an unfinished " + what + " cannot be removed", problem);
        }
    }

    /** Makes the file, on the disk when this returns: what depends on a key that is lost is lost too. */
    public byte[] create() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        try {
            write(HexFormat.of().formatHex(key));
            return key;
        } catch (IOException problem) {
            throw StorageFailure.of("The " + what + " " + file + " cannot be made", problem);
        }
    }

    private void write(String text) throws IOException {
        removeUnfinished();
        Path directory = directory();
        Path temporary = Files.createTempFile(directory, unfinished(), "", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer content = ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.US_ASCII));
                while (content.hasRemaining()) {
                    channel.write(content);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private void removeUnfinished() throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory(), unfinished() + "*")) {
            for (Path each : unfinished) {
                Files.deleteIfExists(each);
            }
        }
    }

    private Path directory() throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException(what + " " + file + " (expected: a path below a directory)");
        }
        return directory;
    }

    private String unfinished() {
        return "." + file.getFileName() + "-";
    }

    /** What to throw about the file. */
    public SandglassException refused(String why) {
        return new SandglassException(ErrorCode.STORAGE_FAILED, "The " + what + " " + file + " " + why + ".", remedy);
    }
}
