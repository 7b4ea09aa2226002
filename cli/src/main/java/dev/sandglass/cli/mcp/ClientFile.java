package dev.sandglass.cli.mcp;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The configuration file of a client. It is written whole or not at all, and keeps its owner and mode; what links to it still does. */
public final class ClientFile {
    private static final int MOST_BYTES = 64 << 20;
    private static final int TRIES = 5;

    private final McpClient client;
    private final Path path;

    public ClientFile(McpClient client, Path path) {
        this.client = client;
        this.path = path;
    }

    /** Tells the client of a server; false if it knew of it already. */
    public boolean add(ServerEntry server) {
        try {
            for (int i = 0; i < TRIES; i++) {
                Path file = Files.exists(path) ? path.toRealPath() : path;
                byte[] before = read(file);
                byte[] after = server.into(client, text(before)).getBytes(StandardCharsets.UTF_8);
                if (Arrays.equals(before, after)) {
                    return false;
                }
                if (replace(file, before, after)) {
                    return true;
                }
            }
            throw new SandglassException(ErrorCode.CONFLICT, path + " changes all the time.", "End the client that writes it, and try again.");
        } catch (SandglassException problem) {
            throw new SandglassException(problem.code(), path + " was left as it is. " + problem.what(), problem.hint(), problem);
        } catch (AccessDeniedException denied) {
            throw new SandglassException(ErrorCode.PERMISSION_DENIED, path + " cannot be written: permission denied.", "Run as the user whose client it is.", denied);
        } catch (IOException problem) {
            throw new SandglassException(ErrorCode.FILE_REFUSED, path + " cannot be written: " + problem.getMessage(), "Write by hand what `--print` prints.", problem);
        }
    }

    private static byte[] read(Path file) throws IOException {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException("it is larger than " + MOST_BYTES + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException absent) {
            return new byte[0];
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException binary) {
            throw new SandglassException(ErrorCode.CONFLICT, "It is no text in UTF-8.", "Mend the file.", binary);
        }
    }

    /** False if somebody else has written it meanwhile. */
    private static boolean replace(Path file, byte[] before, byte[] after) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        Path fresh = Files.createTempFile(directory, "." + file.getFileName(), ".new"); // only its owner can read it
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                for (ByteBuffer rest = ByteBuffer.wrap(after); rest.hasRemaining(); ) {
                    channel.write(rest);
                }
                resemble(fresh, file);
                channel.force(true);
            }
            if (!Arrays.equals(before, read(file))) {
                return false;
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** Takes over owner, group and mode; root may write for somebody else. */
    private static void resemble(Path fresh, Path file) throws IOException {
        PosixFileAttributes known = attributes(file);
        PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (known == null) {
            PosixFileAttributes of = Files.readAttributes(fresh.getParent(), PosixFileAttributes.class);
            own(view, of);
            view.setPermissions(PosixFilePermissions.fromString("rw-------"));
        } else {
            own(view, known);
            view.setPermissions(known.permissions());
        }
    }

    private static void own(PosixFileAttributeView view, PosixFileAttributes like) throws IOException {
        PosixFileAttributes now = view.readAttributes();
        if (!now.owner().equals(like.owner())) {
            view.setOwner(like.owner());
        }
        if (!now.group().equals(like.group())) {
            view.setGroup(like.group());
        }
    }

    private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, PosixFileAttributes.class);
        } catch (NoSuchFileException absent) {
            return null;
        }
    }
}
