package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestHeader;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.server.ForgedFile.Entry;
import dev.sandglass.wire.ArchiveHeader.Part;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whoever hands over a snapshot's file gets nothing of the host by it, and leaves nothing when it is refused. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class HostileSnapshotFileTest {
    private static final List<Entry> EMPTY_LAYER = List.of(Entry.directory(0, "upper"));
    private static final byte[] AGENT = Bodies.random(11, 100_000);

    private final TestDaemon daemon = SharedDaemon.daemon();

    @TempDir
    Path scratch;

    @Test
    void memoryIsOfPlainFilesOnly() throws IOException {
        Path secret = Files.writeString(scratch.resolve("secret"), "of the host");
        Entry root = Entry.directory(0, "memory");
        List<List<Entry>> parts = List.of(
                List.of(root, Entry.link(1, "pages.img", secret.toString())),
                List.of(root, Entry.link(1, "config.json", "/dev/zero")),
                List.of(root, Entry.of(1, "config.json", new EntryContent.Fifo(), Map.of())),
                List.of(root, Entry.of(1, "pages.img", new EntryContent.Device(false, 0, 0), Map.of())),
                List.of(root, Entry.file(1, "checkpoint.img", "x"), Entry.of(1, "pages.img", new EntryContent.HardLink(1), Map.of())),
                List.of(root, Entry.directory(1, "deep"), Entry.file(2, "pages.img", "x")),
                List.of(root, Entry.file(1, "a b", "x")));
        for (List<Entry> part : parts) {
            Path file = forged().part(Part.LAYER, EMPTY_LAYER).memory(part, AGENT).write(scratch.resolve("forged.sgs"), 0);
            refused(ErrorCode.ARCHIVE_REFUSED, () -> read(file));
        }
        assertThat(daemon.api().snapshots()).isEmpty();
    }

    @Test
    void anotherVersionOrArchitectureIsRefusedByItsName() throws IOException {
        Path version = forged().version(1).part(Part.LAYER, EMPTY_LAYER).write(scratch.resolve("version.sgs"), 0);
        assertThat(refused(ErrorCode.ARCHIVE_REFUSED, () -> read(version)).what()).contains("version: 1 (expected: 2 to 2)");
        Path architecture = forged().architecture("pdp11").part(Part.LAYER, EMPTY_LAYER).write(scratch.resolve("architecture.sgs"), 0);
        assertThat(refused(ErrorCode.ARCHIVE_REFUSED, () -> read(architecture)).what()).contains("architecture: pdp11 (expected: " + Facts.architecture() + ")");
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    /** Its seal is right: whoever can write there can make one. But it is not that of these files, or not for this machine. */
    @Test
    void aManifestThatIsOfSomethingElseIsRefusedByTheFieldsName() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            box.output("echo written > /workspace/file");
            Snapshot snapshot = daemon.api().captureAll(box.id());
            Path manifests = daemon.data().resolve("manifests");
            Path layer = manifests.resolve(snapshot.id() + ".manifest");
            Path memory = manifests.resolve("memory-" + snapshot.id());
            for (Path manifest : List.of(layer, memory)) {
                Path sound = Files.copy(manifest, scratch.resolve("sound"), StandardCopyOption.REPLACE_EXISTING);
                Set<String> names = factsOf(sound);
                assertThat(names).contains("image", "architecture");
                for (String name : names) {
                    forge(sound, manifest, name);
                    assertThat(refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.api().verify(snapshot.id())).what()).contains(": " + name + ": forged (expected: ");
                    assertThat(refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.api().create(SandboxRequest.on("gvisor").from(snapshot.id()))).what()).contains(": " + name + ": ");
                }
                Files.move(sound, manifest, StandardCopyOption.REPLACE_EXISTING);
            }
            assertThat(factsOf(memory)).contains("agent", "runtime", "engine", "engine_version", "flags", "mounts", "cpu_features");
            daemon.api().verify(snapshot.id());
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    private static Set<String> factsOf(Path manifest) throws IOException {
        try (ManifestReader reader = ManifestReader.open(manifest)) {
            return reader.header().facts().keySet();
        }
    }

    private static void forge(Path sound, Path target, String name) throws IOException {
        Files.delete(target);
        try (ManifestReader reader = ManifestReader.open(sound);
                OutputStream output = Files.newOutputStream(target)) {
            Map<String, String> facts = new TreeMap<>(reader.header().facts());
            facts.put(name, "forged");
            ManifestWriter writer = new ManifestWriter(output, new ManifestHeader(facts, reader.header().states()));
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                writer.add(entry.get());
            }
            writer.finish();
        }
    }

    @Test
    void theAgentOfARefusedFileIsNotKept() throws IOException {
        List<Path> before = agents();
        List<Entry> memory = List.of(Entry.directory(0, "memory"), Entry.file(1, "pages.img", "x"));
        Path file = forged().part(Part.LAYER, EMPTY_LAYER).memory(memory, AGENT).write(scratch.resolve("cut.sgs"), 1);
        refused(ErrorCode.ARCHIVE_REFUSED, () -> read(file));
        assertThat(agents()).isEqualTo(before);
    }

    @Test
    void aRefusalInTheLogIsOneLineWithoutControlCharacters() throws IOException {
        ForgedFile forged = forged().sandbox("sbx-\u001b[2J\n2026-11-17T03:19:25.775Z INFO  Daemon - forged line").part(Part.LAYER, EMPTY_LAYER);
        Path put = Files.move(forged.write(scratch.resolve("forged.sgs"), 0), daemon.data().resolve("snapshots/forged.sgs"));
        String log = Eventually.get(this::log, seen -> seen.contains("forged.sgs is not read until it changes"));
        Files.delete(put);
        assertThat(log).contains("sbx-\\u001b[2J\\u000a2026-11-17").doesNotContain("\u001b").doesNotContain("\n2026-11-17T03:19:25.775Z INFO  Daemon - forged line");
    }

    private String log() {
        try {
            return Files.readString(daemon.log());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private List<Path> agents() throws IOException {
        try (Stream<Path> kept = Files.list(daemon.data().resolve("agents"))) {
            return kept.sorted().toList();
        }
    }

    private ForgedFile forged() throws IOException {
        return new ForgedFile(Files.readString(daemon.data().resolve("images/base")).strip());
    }

    private Snapshot read(Path file) throws IOException {
        Caller caller = daemon.caller();
        return caller.good(caller.send("POST", "/v1/snapshots/import", "application/octet-stream", BodyPublishers.ofFile(file))).as(Snapshot.class);
    }
}
