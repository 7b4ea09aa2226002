package dev.sandglass.server.http;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The file of the unix socket: bound inside a private directory and moved to its place with mode 0600, so that there is no moment
 * at which another user could connect.
 */
final class SocketFile {
    private final Path path;
    private final Path directory;

    private SocketFile(Path path, Path directory) {
        this.path = path;
        this.directory = directory;
    }

    /** Makes sure that the place is free; a socket that nobody listens on is a leftover and is replaced later. */
    static SocketFile claim(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IOException("socket " + path + " (expected: a path below a directory)");
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()) {
                throw new IOException(path + " is there and is no socket: remove it or choose another path");
            }
            if (answers(path)) {
                throw new IOException("another daemon listens on " + path + ": stop it or choose another path");
            }
        }
        removeUnfinished(parent);
        Path directory =
                Files.createTempDirectory(parent, ".s", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return new SocketFile(path, directory);
    }

    /** What a daemon that died before it published its socket has left. */
    private static void removeUnfinished(Path parent) throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(parent, ".s[0-9]*")) {
            for (Path directory : unfinished) {
                Files.deleteIfExists(directory.resolve("s"));
                Files.deleteIfExists(directory);
            }
        }
    }

    Path bindPath() {
        return directory.resolve("s");
    }

    /** Moves the bound socket to its place. */
    void publish() throws IOException {
        Files.setPosixFilePermissions(bindPath(), PosixFilePermissions.fromString("rw-------"));
        Files.move(bindPath(), path, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(directory);
    }

    /** Takes away what this daemon made, wherever it is. */
    void remove(boolean published) throws IOException {
        if (published) {
            Files.deleteIfExists(path);
        } else {
            Files.deleteIfExists(bindPath());
            Files.deleteIfExists(directory);
        }
    }

    private static boolean answers(Path path) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            return channel.isConnected();
        } catch (IOException nobody) {
            return false;
        }
    }
}
