package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
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
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The bearer token of the API: made at the first start, kept in a file that only its owner can read. */
public final class Token {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");
    private static final int MAX_FILE_BYTES = 256;
    private static final String UNFINISHED = ".token-";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final String text;

    private Token(String text) {
        this.text = text;
    }

    /** Reads the token of that file, or makes the file with a new one. */
    public static Token at(Path file) throws IOException {
        removeUnfinished(file.toAbsolutePath().getParent());
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? read(file) : create(file);
    }

    /** The text that clients send. */
    public String text() {
        return text;
    }

    /** Compares in a time that tells nothing of where the difference is. */
    boolean matches(String candidate) {
        return MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), candidate.getBytes(StandardCharsets.UTF_8));
    }

    private static Token read(Path file) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw refused(file + " is not a regular file.");
        }
        if (!OWNER_ONLY.containsAll(attributes.permissions())) {
            throw refused(file + " has mode " + PosixFilePermissions.toString(attributes.permissions())
                    + " (expected: rw-------): others may have read it.");
        }
        String text = attributes.size() > MAX_FILE_BYTES ? "" : Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        if (!FORM.matcher(text).matches()) {
            throw refused(file + " holds no token of 64 hexadecimal digits.");
        }
        return new Token(text);
    }

    /** What a daemon that died while it made a token has left. */
    private static void removeUnfinished(@Nullable Path directory) throws IOException {
        if (directory == null || !Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, UNFINISHED + "*")) {
            for (Path file : unfinished) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static SandglassException refused(String why) {
        return new SandglassException(ErrorCode.STORAGE_FAILED, "The token file " + why, "Remove it, and a new one is made.");
    }

    private static Token create(Path file) throws IOException {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        Token token = new Token(HexFormat.of().formatHex(random));
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException("token file " + file + " (expected: a path below a directory)");
        }
        Path temporary = Files.createTempFile(directory, UNFINISHED, "", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer content = ByteBuffer.wrap((token.text + "\n").getBytes(StandardCharsets.US_ASCII));
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
        return token;
    }

    /** Never the token itself, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "Token";
    }
}
