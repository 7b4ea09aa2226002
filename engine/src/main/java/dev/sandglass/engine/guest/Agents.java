package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Agent binaries by digest, never overwritten: a running sandbox goes on with the one that it was started with. */
public final class Agents {
    private final Path directory;
    private final String current;

    /** Takes the built agent into the directory, unless it is there. */
    public Agents(Path directory, Path built) {
        this.directory = directory;
        try {
            byte[] binary = Files.readAllBytes(built);
            this.current = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(binary));
            Path target = path(current);
            if (!Files.exists(target)) {
                Files.createDirectories(target.getParent());
                Path whole = Files.createTempFile(target.getParent(), "agent", ".new");
                Files.write(whole, binary);
                Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("r-xr-xr-x"));
                try (FileChannel written = FileChannel.open(whole, StandardOpenOption.READ)) {
                    written.force(true);
                }
                Files.move(whole, target, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.INTERNAL, "The agent cannot be installed: " + problem, "Build it with `sandglass setup`.", problem);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The digest of the agent for new sandboxes. */
    public String current() {
        return current;
    }

    public Path path(String digest) {
        return directory.resolve(digest).resolve("agent");
    }
}
