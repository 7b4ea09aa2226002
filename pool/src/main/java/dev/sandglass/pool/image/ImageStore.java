package dev.sandglass.pool.image;

import dev.sandglass.linux.Trees;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The manifests of images, and which of them is the base: small files that are replaced as a whole. */
final class ImageStore {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{12}");

    private final Path directory;

    ImageStore(Path dataDirectory) throws IOException {
        this.directory = Files.createDirectories(dataDirectory.resolve("images"));
        // The input of a build may name mirrors with passwords.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }

    Path directory() {
        return directory;
    }

    /** The id of the base image, if one was ever built. */
    Optional<String> base() throws IOException {
        Path pointer = directory.resolve("base");
        if (!Files.exists(pointer)) {
            return Optional.empty();
        }
        String id = Files.readString(pointer, StandardCharsets.ISO_8859_1).strip();
        if (!ID.matcher(id).matches()) {
            throw ImageFailure.unavailable("is not known: " + pointer + " does not hold an id", null);
        }
        return Optional.of(id);
    }

    static boolean isId(String id) {
        return ID.matcher(id).matches();
    }

    boolean hasManifest(String id) {
        return Files.exists(manifestPath(id));
    }

    /** The images that have a manifest, broken or not. */
    Set<String> ids() throws IOException {
        Set<String> ids = new HashSet<>();
        try (DirectoryStream<Path> manifests = Files.newDirectoryStream(directory, "*.json")) {
            for (Path manifest : manifests) {
                String name = manifest.getFileName().toString();
                String id = name.substring(0, name.length() - ".json".length());
                if (ID.matcher(id).matches()) {
                    ids.add(id);
                }
            }
        }
        return ids;
    }

    ImageManifest manifest(String id) throws IOException {
        Path path = manifestPath(id);
        if (!Files.exists(path)) {
            throw ImageFailure.unavailable(id + " has no manifest " + path, null);
        }
        ImageManifest manifest;
        try {
            manifest = Json.read(ImageManifest.class, Files.readAllBytes(path));
        } catch (SandglassException broken) {
            throw ImageFailure.unavailable(id + " has a broken manifest " + path, broken);
        }
        if (!ImageManifest.isKnown(manifest.version()) || !id.equals(manifest.id())) {
            throw ImageFailure.unavailable(
                    id + " has a manifest of version " + manifest.version() + " for " + manifest.id() + " (expected: version 1 to "
                            + ImageManifest.VERSION + ")",
                    null);
        }
        return manifest;
    }

    /** Makes an image known, and no more. */
    void add(ImageManifest manifest) throws IOException {
        replace(manifestPath(manifest.id()), Json.bytes(manifest));
    }

    /** Makes an image the base. */
    void publish(ImageManifest manifest) throws IOException {
        add(manifest);
        replace(directory.resolve("base"), (manifest.id() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    void removeManifest(String id) throws IOException {
        Files.deleteIfExists(manifestPath(id));
    }

    /** A directory for one build's input, with what a build that crashed left removed. */
    Path freshWork() throws IOException {
        Path work = directory.resolve("build");
        removeWork();
        return work;
    }

    void removeWork() throws IOException {
        Path work = directory.resolve("build");
        if (Files.isDirectory(work)) {
            Trees.remove(work);
        }
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, "*.new")) {
            for (Path file : unfinished) {
                Files.delete(file);
            }
        }
    }

    private Path manifestPath(String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("image id: " + id + " (expected: " + ID + ")");
        }
        return directory.resolve(id + ".json");
    }

    private void replace(Path path, byte[] content) throws IOException {
        Path fresh = directory.resolve(path.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content));
            channel.force(true);
        }
        Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel parent = FileChannel.open(directory)) {
            parent.force(true);
        }
    }
}
