package dev.sandglass.engine.credential;

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

/** The key of all values: a file that only its owner can read, made once and never replaced. Thread-safe if its caller is. */
record KeyFile(Path file) {
    private static final int BYTES = 32;
    private static final int MAX_FILE_BYTES = 256;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");
    private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    boolean exists() {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    byte[] read() {
        if (!exists()) {
            throw refused("is not there, and without it no value can be read", "Put the file back that was there when the credentials were created");
        }
        try {
            PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw refused("is not a regular file", "Put the key there itself");
            }
            if (!OWNER_ONLY.containsAll(attributes.permissions())) {
                throw refused(
                        "has mode " + PosixFilePermissions.toString(attributes.permissions()) + " (expected: rw-------): others may have read it",
                        "Set its mode with chmod 600, and rotate the credentials if somebody may have read both it and the ledger");
            }
            String text = attributes.size() > MAX_FILE_BYTES ? "" : Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            if (!FORM.matcher(text).matches()) {
                throw refused("holds no key of 64 hexadecimal digits", "Put the file back that was there when the credentials were created");
            }
            return HexFormat.of().parseHex(text);
        } catch (IOException problem) {
            throw StorageFailure.of("The key file " + file + " cannot be read", problem);
        }
    }

    /** Makes the file, on the disk when this returns: what is sealed with a key that is lost is lost too. */
    byte[] create() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        try {
            write(HexFormat.of().formatHex(key));
            return key;
        } catch (IOException problem) {
            throw StorageFailure.of("The key file " + file + " cannot be made", problem);
        }
    }

    private void write(String text) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException("key file " + file + " (expected: a path below a directory)");
        }
        String unfinished = "." + file.getFileName() + "-";
        removeUnfinished(directory, unfinished);
        Path temporary = Files.createTempFile(directory, unfinished, "", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
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

    /** What a daemon that died while it made a key has left. */
    private static void removeUnfinished(Path directory, String prefix) throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, prefix + "*")) {
            for (Path each : unfinished) {
                Files.deleteIfExists(each);
            }
        }
    }

    SandglassException refused(String why, String hint) {
        return new SandglassException(
                ErrorCode.STORAGE_FAILED, "The key file of the credentials, " + file + ", " + why + ".", hint + ", or remove all credentials, and a new one is made with the next.");
    }
}
