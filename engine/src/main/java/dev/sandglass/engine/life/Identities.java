package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Network;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Who a sandbox is, as files that are there before the first instruction of anybody who uses it: {@code /run/sandglass} (read-only, outside of its
 * disk), host name and machine id (on its disk).
 */
final class Identities {
    private static final String TOKEN = "token";
    private static final String AUTHORITY = "authority";
    private static final String VOLUMES = "volumes";
    private static final int TOKEN_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path directory;

    private final Trust trust;

    Identities(Path directory, Trust trust) {
        this.directory = directory;
        this.trust = trust;
    }

    Path path(SandboxId id) {
        return directory.resolve(id.text());
    }

    /** The places at which the runtime may mount volumes; fine if they are there. Only root of the sandbox looks in. */
    void makePlaces(SandboxId id) {
        Path places = path(id).resolve(VOLUMES);
        try {
            if (!Files.isDirectory(places.resolve(Integer.toString(VolumeUse.MOST)))) {
                Files.createDirectories(places);
                Files.setPosixFilePermissions(places, PosixFilePermissions.fromString("rwx------"));
                for (int slot = 1; slot <= VolumeUse.MOST; slot++) {
                    Files.createDirectories(places.resolve(Integer.toString(slot)));
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The places of volumes of " + id + " cannot be made", problem);
        }
    }

    /**
     * Writes all of it.
     *
     * @param root the sandbox's fresh tree: nothing hostile has been in it yet
     * @param layers below it, top first
     */
    void write(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        writeUnnamed(record, root, layers);
        rename(record, root);
    }

    /** Writes all but what has its name in it, which {@link #rename} adds: a file that is written anew is written out at once by ext4 and btrfs. */
    void writeUnnamed(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        Path etc = makePlace(record, root, layers);
        Files.writeString(etc.resolve("machine-id"), UUID.randomUUID().toString().replace("-", "") + "\n");
        if (record.network().isPresent()) {
            Files.writeString(etc.resolve("resolv.conf"), "nameserver " + Network.GATEWAY + "\n");
            String authority = Trust.fresh();
            trust.write(authority, root.resolve("upper"), layers);
            replace(path(record.id()).resolve(AUTHORITY), authority + "\n");
        }
    }

    /** Writes all but the machine id, which the layers of a sandbox that has another name now have already. */
    void writeRenamed(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        makePlace(record, root, layers);
        keepTrust(record, layers);
        rename(record, root);
    }

    /** Writes what is not on the disk: the layers of a sandbox that is what it was have its own files already, as whoever is inside left them. */
    void writeOutside(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        makeTree(record, root, layers);
        keepTrust(record, layers);
        name(record);
    }

    private void keepTrust(SandboxRecord record, List<Path> layers) throws IOException {
        if (record.network().isPresent()) {
            replace(path(record.id()).resolve(AUTHORITY), Trust.known(layers) + "\n");
        }
    }

    /** Which authority it trusts. */
    String authority(SandboxId id) {
        try {
            return Files.readString(path(id).resolve(AUTHORITY)).strip();
        } catch (IOException gone) {
            return id.text(); // nothing in it trusts that one, as nothing in it was told of any
        }
    }

    /** {@code /etc} of the upper tree. */
    private Path makePlace(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        Path etc = Files.createDirectories(makeTree(record, root, layers).resolve("etc"));
        Groundwork.inherit(etc, layers.stream().map(layer -> layer.resolve("etc")).toList());
        return etc;
    }

    /** The upper tree. */
    private Path makeTree(SandboxRecord record, Path root, List<Path> layers) throws IOException {
        Path identity = Files.createDirectories(path(record.id()));
        Files.writeString(identity.resolve("id"), record.id() + "\n");
        Files.writeString(identity.resolve("agent"), ""); // the agent is bound over it
        Files.deleteIfExists(identity.resolve(TOKEN)); // that of a life before this one
        Files.createDirectory(root.resolve("work"));
        Path upper = Files.createDirectory(root.resolve("upper"));
        Groundwork.inherit(upper, layers);
        if (ImageRecord.isId(record.image()) || record.image().equals(Images.NOTHING)) {
            Groundwork ground = new Groundwork(upper, layers);
            ground.makeTargets();
            if (record.commandDefaults().workdir().isPresent()) {
                ground.make(record.commandDefaults().workdir().get());
            }
        }
        return upper;
    }

    /**
     * Gives a sandbox its name, or another one. Where its root is mounted this writes below an overlay, which is sound because nothing inside has looked
     * at these files yet.
     *
     * @param root the sandbox's tree, in which nothing hostile has been yet
     */
    void rename(SandboxRecord record, Path root) throws IOException {
        name(record);
        for (Map.Entry<String, String> file : namedFiles(record.name()).entrySet()) {
            Files.writeString(root.resolve("upper").resolve(file.getKey().substring(1)), file.getValue());
        }
    }

    /** What is on the disk of a sandbox of that name and has the name in it, by path. */
    static Map<String, String> namedFiles(String name) {
        String hostname = Names.hostname(name);
        return Map.of("/etc/hostname", hostname + "\n", "/etc/hosts", "127.0.0.1 localhost " + hostname + "\n::1 localhost ip6-localhost ip6-loopback\n");
    }

    /** Writes name and generation, each whole or not at all: whoever is inside may be reading it. */
    void name(SandboxRecord record) throws IOException {
        Path identity = path(record.id());
        long generation = record.lineage().generation();
        replace(identity.resolve("name"), record.name() + "\n");
        replace(identity.resolve("generation"), generation + "\n");
        replace(identity.resolve("identity.env"), """
                SANDGLASS_ID=%s
                SANDGLASS_NAME=%s
                SANDGLASS_GENERATION=%d
                SANDGLASS_TOKEN=%s
                """.formatted(record.id(), record.name(), generation, token(identity)));
    }

    /** What no other copy has, and nobody outside can guess, as a generation. */
    private static String token(Path identity) throws IOException {
        Path file = identity.resolve(TOKEN);
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException _) {
            byte[] bytes = new byte[TOKEN_BYTES];
            RANDOM.nextBytes(bytes);
            String token = HexFormat.of().formatHex(bytes);
            replace(file, token + "\n");
            return token;
        }
    }

    private static void replace(Path file, String content) throws IOException {
        Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    void remove(SandboxId id) {
        Path identity = path(id);
        removePlaces(identity.resolve(VOLUMES));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(identity)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(identity);
        } catch (NoSuchFileException gone) {
            return;
        } catch (IOException problem) {
            throw StorageFailure.of("The directory of " + id + " cannot be removed", problem);
        }
    }

    /** Directories only, and empty ones: what is mounted there would stay. */
    private static void removePlaces(Path places) {
        try (DirectoryStream<Path> slots = Files.newDirectoryStream(places)) {
            for (Path slot : slots) {
                Files.deleteIfExists(slot);
            }
        } catch (NoSuchFileException gone) {
            return;
        } catch (IOException problem) {
            throw StorageFailure.of("The places of volumes in " + places + " cannot be removed", problem);
        }
    }

    Set<SandboxId> present() {
        Set<SandboxId> found = new HashSet<>();
        if (!Files.isDirectory(directory)) {
            return found;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "sbx-*")) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (SandboxId.isId(name)) {
                    found.add(new SandboxId(name));
                }
            }
            return found;
        } catch (IOException problem) {
            throw StorageFailure.of("The data directory cannot be read", problem);
        }
    }
}
