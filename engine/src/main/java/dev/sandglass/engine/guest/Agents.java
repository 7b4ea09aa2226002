package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Agent binaries by digest, never overwritten: a running sandbox goes on with the one that it was started with. */
public final class Agents {
    private final Path directory;
    private final String current;

    /** Takes the built agent into the directory, unless it is there. */
    public Agents(Path directory, Path built) {
        this.directory = directory;
        try {
            byte[] binary = Files.readAllBytes(built);
            this.current = Sha256.of(binary);
            put(current, binary);
        } catch (IOException problem) {
            throw Files.exists(built)
                    ? StorageFailure.of("The agent cannot be installed", problem)
                    : new SandglassException(
                            ErrorCode.INTERNAL, "There is no agent " + built + ".", "Build it with `sandglass setup`.", problem);
        }
    }

    /** Takes in the agent with that digest; false if it is there. Who needs it is in the ledger before. */
    public synchronized boolean put(String digest, byte[] binary) throws IOException {
        Path target = path(digest);
        if (Files.exists(target)) {
            return false;
        }
        Files.createDirectories(target.getParent());
        Path whole = Files.createTempFile(target.getParent(), "agent", ".new");
        try {
            Files.write(whole, binary);
            Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("r-xr-xr-x"));
            try (FileChannel written = FileChannel.open(whole, StandardOpenOption.READ)) {
                written.force(true);
            }
            Files.move(whole, target, StandardCopyOption.ATOMIC_MOVE);
            for (Path made : List.of(target.getParent(), directory)) { // what needs it may be acknowledged as durable
                try (FileChannel names = FileChannel.open(made, StandardOpenOption.READ)) {
                    names.force(true);
                }
            }
            return true;
        } finally {
            Files.deleteIfExists(whole);
        }
    }

    /** Removes an agent, unless somebody needs it: one who comes later takes it in again. */
    public synchronized void removeUnless(String digest, BooleanSupplier needed) {
        if (digest.equals(current) || needed.getAsBoolean()) {
            return;
        }
        try {
            Files.deleteIfExists(path(digest));
            Files.deleteIfExists(directory.resolve(digest));
        } catch (IOException problem) {
            throw StorageFailure.of("The agent " + digest + " cannot be removed", problem);
        }
    }

    /** Removes all but these and the current one, and what was half written when a daemon died. */
    public void keep(Set<String> used) throws IOException {
        try (DirectoryStream<Path> digests = Files.newDirectoryStream(directory)) {
            for (Path digest : digests) {
                String name = digest.getFileName().toString();
                boolean needed = name.equals(current) || used.contains(name);
                try (DirectoryStream<Path> files = Files.newDirectoryStream(digest)) {
                    for (Path file : files) {
                        if (!needed || !file.equals(path(name))) {
                            Files.delete(file);
                        }
                    }
                }
                if (!needed) {
                    Files.delete(digest);
                }
            }
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
