package dev.sandglass.pool.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.pool.OddTree;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FileManifestsTest {
    private final FileManifests manifests = new FileManifests();
    private Path scratch;
    private Pool pool;

    @BeforeAll
    void openPool(@TempDir Path directory) {
        scratch = directory;
        pool = Pools.open(directory, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(2L << 30));
    }

    @AfterAll
    void closePool() {
        manifests.close();
        pool.layers().names().forEach(pool.layers()::remove);
        pool.trees().forEach(pool::remove);
        Pools.unmount(scratch);
    }

    @Test
    void whoHasVeryMuchToHashKeepsNobodyWaitingAndIsEndedWithTheDaemon() throws IOException, InterruptedException {
        Path bomb = bomb("bomb");
        Path neighbour = tree("neighbour");
        Files.writeString(neighbour.resolve("file"), "content");
        FileManifests shared = new FileManifests();
        AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
        Thread busy = Thread.ofPlatform().start(() ->
                end.set(catchThrowable(() -> shared.write(source(bomb), scratch.resolve("bomb.manifest"), Optional.empty()))));
        while (openIn(bomb) < 4 && busy.isAlive()) {
            Thread.sleep(10); // until every thread has a file
        }
        assertThat(shared.write(source(neighbour), scratch.resolve("neighbour.manifest"), Optional.empty()).entries()).isEqualTo(2);
        assertThat(busy.isAlive()).as("a quarter of a terabyte is still being hashed").isTrue();
        shared.close();
        busy.join();
        assertThat(end.get()).hasMessageContaining("the daemon is shutting down");
    }

    @Test
    void whatNobodyWantsAnyMoreIsNotHashedToTheEnd() throws IOException, InterruptedException {
        Path bomb = bomb("unwanted");
        Path file = scratch.resolve("unwanted.manifest");
        AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
        AtomicBoolean unwanted = new AtomicBoolean();
        Thread given = Thread.ofPlatform().start(() ->
                end.set(catchThrowable(() -> manifests.write(source(bomb), file, Optional.empty(), unwanted::get))));
        while (openIn(bomb) < 4 && given.isAlive()) {
            Thread.sleep(10);
        }
        unwanted.set(true);
        given.join();
        assertThat(end.get()).isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT));
        assertThat(openIn(bomb)).as("files that are still open").isZero();
        assertThat(file).doesNotExist();
    }

    /** A quarter of a terabyte to hash. */
    private Path bomb(String name) throws IOException {
        Path bomb = tree(name);
        Shell.run(bomb, """
                head -c 16M /dev/urandom > seed && sync seed && python3 -c '
                import fcntl, struct
                seed = open("seed")
                for k in range(4):
                    with open("clone%d" % k, "wb") as clone:
                        for i in range(4096): fcntl.ioctl(clone, 0x4020940d, struct.pack("qQQQ", seed.fileno(), 0, 16 << 20, i * (16 << 20)))'
                """);
        return bomb;
    }

    @Test
    void everythingInAHostileLayerIsWrittenDown() throws IOException {
        Path upper = tree("hostile");
        OddTree.fill(upper);
        Shell.run(upper, """
                ln -s /etc/passwd out && mkdir -m 000 closed && printf secret > closed/file
                perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1) or die'
                perl -e 'for (1..3000) { mkdir q(deep-down) or die; chdir q(deep-down) or die }'
                """);
        Path file = scratch.resolve("hostile.manifest");
        ManifestSource source = frozen("hostile", "hostile");
        ManifestSummary summary = manifests.write(source, file, Optional.empty());
        Map<String, ManifestEntry> entries = entries(file);
        assertThat(entries).hasSize((int) summary.entries());
        assertThat(content(entries, "upper/out")).isEqualTo(new EntryContent.SymbolicLink(Bytes.of("/etc/passwd")));
        assertThat(content(entries, "upper/closed/file")).isInstanceOf(EntryContent.RegularFile.class);
        assertThat(content(entries, "upper/whiteout")).isEqualTo(new EntryContent.Device(false, 0, 0));
        assertThat(content(entries, "upper/block")).isEqualTo(new EntryContent.Device(true, 7, 250));
        assertThat(content(entries, "upper/fifo")).isInstanceOf(EntryContent.Fifo.class);
        assertThat(content(entries, "upper/socket")).isInstanceOf(EntryContent.Socket.class);
        assertThat(content(entries, "upper/sub/hard-link")).isInstanceOf(EntryContent.HardLink.class);
        assertThat(entries).containsKeys("upper/new\\x0aline", "upper/broken-\\xff\\xfe", "upper" + "/deep-down".repeat(3000));
        ManifestEntry odd = entry(entries, "upper/sub/file");
        assertThat(odd.permissions()).isEqualTo(04750);
        assertThat(odd.attributes()).containsEntry(Bytes.of("user.origin"), Bytes.of(new byte[] {1, 0, 2}));
        assertThat(odd.modifiedNanos()).isEqualTo(123456789);
        assertThat(manifests.verify(source, file)).isEqualTo(summary);
        manifests.check(source, file);
        assertThat(Shell.run(scratch, "stat -c %a hostile.manifest")).isEqualTo("400");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            textBlock =
                    """
                    printf X | dd of=upper/file bs=1 seek=3 conv=notrunc status=none; touch -d @0 upper/file ~ sha256 ~ upper/file
                    truncate -s 2 upper/file; touch -d @0 upper/file ~ size ~ upper/file
                    chmod 600 upper/file ~ mode ~ upper/file
                    chown 7 upper/file ~ uid ~ upper/file
                    chgrp 7 upper/file ~ gid ~ upper/file
                    touch -d @1 upper/file ~ mtime ~ upper/file
                    rm upper/file; ln -s file upper/file ~ type ~ upper/file
                    ln -sfn other upper/link ~ content ~ upper/link
                    rm upper/file ~ is missing ~ upper/file
                    touch upper/more ~ is not in the manifest ~ upper/more
                    rm -r upper/zz ~ is missing ~ upper/zz
                    printf 1 > memory/pages ~ size ~ memory/pages
                    """)
    void theFirstDifferenceIsNamed(String change, String field, String path, @TempDir Path place) throws IOException {
        String times = "; touch -hd @0 upper memory upper/* memory/*";
        Shell.run(place, "mkdir -p upper/zz memory; printf content > upper/file; ln -s there upper/link; printf pages > memory/pages" + times);
        Path file = place.resolve("manifest");
        ManifestSource source = new ManifestSource(Map.of("upper", place.resolve("upper"), "memory", place.resolve("memory")), Map.of());
        ManifestSummary summary = manifests.write(source, file, Optional.empty());
        assertThat(manifests.verify(source, file)).isEqualTo(summary);
        manifests.check(source, file);
        Shell.run(place, change);
        Shell.run(place, "touch -hd @0 upper memory");
        assertThatThrownBy(() -> manifests.verify(source, file)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.SNAPSHOT_DAMAGED);
            assertThat(problem.getMessage()).contains(": " + path + ": ").contains(field);
        });
        assertThatThrownBy(() -> manifests.check(source, file)).hasMessageContaining(": " + path + ": ");
    }

    @Test
    void holesTakeNoTimeAndAreTheSameAsZeros() throws IOException {
        Path upper = tree("holes");
        Shell.run(upper, """
                truncate -s 1P huge; printf end >> huge; printf content > plain
                at() { truncate -s "$1" "$3"; printf "$2" | dd of="$3" bs=1 seek="$4" conv=notrunc status=none; }
                for kind in hole zeros; do
                    mkdir $kind
                    at 3M end $kind/last 3145725; at 2000000 x $kind/middle 300000; at 524288 '' $kind/only 0; at 700000 xy $kind/across 262143; at 100 x $kind/small 50
                done
                for file in zeros/*; do cp --sparse=never $file copy; cat copy > $file; done; rm copy
                at 2000000 x other 562144
                """);
        Path file = scratch.resolve("holes.manifest");
        ManifestSource source = frozen("holes", "holes");
        manifests.write(source, file, Optional.empty());
        Map<String, ManifestEntry> entries = entries(file);
        for (String name : List.of("last", "middle", "only", "across", "small")) {
            assertThat(hash(entries, "upper/hole/" + name)).as(name).isEqualTo(hash(entries, "upper/zeros/" + name));
        }
        assertThat(hash(entries, "upper/other")).as("the same elsewhere").isNotEqualTo(hash(entries, "upper/hole/middle"));
        assertThat(hash(entries, "upper/plain").hex()).isEqualTo(Sha256.of("content"));
        assertThat(hash(entries, "upper/hole/small").hex()).isEqualTo(Sha256.of("\0".repeat(50) + "x" + "\0".repeat(49)));
        assertThat(Set.copyOf(entries.values().stream().filter(entry -> entry.content() instanceof EntryContent.RegularFile).map(entry -> ((EntryContent.RegularFile) entry.content()).sha256()).toList()))
                .hasSize(8);
        manifests.verify(source, file);
    }

    @Test
    void hashesOfUnchangedFilesAreTakenOverAndNoOthers() throws IOException {
        Path upper = tree("carried");
        Shell.run(upper, "mkdir d; for f in same rewritten touched d/moved; do printf content > $f; done; touch -d @0 rewritten");
        ManifestSource first = frozen("carried", "carried-1");
        Path earlier = scratch.resolve("carried-1.manifest");
        manifests.write(first, earlier, Optional.empty());
        // Hashes that nobody would find in a file show where they were taken over.
        Path marked = scratch.resolve("marked.manifest");
        Bytes mark = Bytes.of("0123456789abcdef0123456789abcdef");
        try (ManifestReader reader = ManifestReader.open(earlier);
                OutputStream output = Files.newOutputStream(marked)) {
            ManifestWriter writer = new ManifestWriter(output, reader.header());
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                writer.add(
                        entry.get().content() instanceof EntryContent.RegularFile regular
                                ? entry.get().with(new EntryContent.RegularFile(regular.size(), mark))
                                : entry.get());
            }
            writer.finish();
        }
        Shell.run(upper, "printf CONTENT > rewritten; touch -d @0 rewritten; touch touched; mv d/moved moved");
        ManifestSource second = frozen("carried", "carried-2");
        Path later = scratch.resolve("carried-2.manifest");
        manifests.write(second, later, Optional.of(marked));
        Map<String, ManifestEntry> entries = entries(later);
        assertThat(hash(entries, "upper/same")).isEqualTo(mark);
        assertThat(hash(entries, "upper/rewritten")).isNotEqualTo(mark);
        assertThat(hash(entries, "upper/touched")).isNotEqualTo(mark);
        assertThat(hash(entries, "upper/moved")).isNotEqualTo(mark);
        manifests.write(second, later, Optional.of(earlier));
        manifests.verify(second, later);
        ManifestSource stranger = frozenCopy("carried", "stranger");
        manifests.write(stranger, later, Optional.of(marked));
        assertThat(hash(entries(later), "upper/same")).as("another subvolume").isNotEqualTo(mark);
    }

    /** Those of a sandbox go with it, perhaps while a snapshot of it is written down. */
    @Test
    void earlierHashesThatAreGoneAreDoneWithout() throws IOException {
        Shell.run(tree("orphaned"), "printf content > file");
        ManifestSource source = frozen("orphaned", "orphaned-1");
        Path file = scratch.resolve("orphaned-1.manifest");
        manifests.write(source, file, Optional.of(scratch.resolve("gone.hashes")));
        manifests.verify(source, file);
    }

    @Test
    void aLayerThatWasOpenedAgainIsFoundByTheQuickCheck() throws IOException {
        Shell.run(tree("opened"), "printf content > file");
        ManifestSource source = frozen("opened", "opened");
        Path file = scratch.resolve("opened.manifest");
        manifests.write(source, file, Optional.empty());
        manifests.check(source, file);
        Path layer = pool.layers().path("opened");
        Btrfs.setReadOnly(layer, false);
        Shell.run(layer, "printf CONTENT > upper/file");
        Btrfs.setReadOnly(layer, true);
        assertThatThrownBy(() -> manifests.check(source, file)).isInstanceOf(SandglassException.class);
    }

    @Test
    void theDigestIsTheSameOnEveryMachine(@TempDir Path elsewhere) throws IOException {
        Path upper = tree("portable");
        OddTree.fill(upper);
        ManifestSource source = frozen("portable", "portable");
        String digest = manifests.write(source, scratch.resolve("portable.manifest"), Optional.empty()).digest();
        Shell.run(elsewhere, "cp -a \"$1\" upper", upper);
        ManifestSource copy = new ManifestSource(Map.of("upper", elsewhere.resolve("upper")), source.facts());
        assertThat(manifests.write(copy, elsewhere.resolve("manifest"), Optional.empty()).digest()).isEqualTo(digest);
        assertThat(manifests.verify(copy, scratch.resolve("portable.manifest")).digest()).isEqualTo(digest);
    }

    @Test
    void twentyThousandFilesAreVerified() throws IOException {
        Path upper = tree("many");
        Shell.run(upper, "for d in $(seq 100); do mkdir $d; (cd $d; seq 200 | xargs touch; echo $d > 1); done");
        ManifestSource source = frozen("many", "many");
        Path file = scratch.resolve("many.manifest");
        assertThat(manifests.write(source, file, Optional.empty()).entries()).isEqualTo(20_101);
        manifests.verify(source, file);
        Path again = scratch.resolve("many-again.manifest");
        assertThat(manifests.write(source, again, Optional.of(file))).isEqualTo(manifests.verify(source, again));
    }

    @Test
    void aFullDiskIsSaidAndLeavesNothing(@TempDir Path place) throws IOException {
        Shell.run(place, "mkdir full upper; seq 2000 | sed s,^,upper/, | xargs touch; mount -t tmpfs -o size=32k tmpfs full");
        try {
            ManifestSource source = new ManifestSource(Map.of("upper", place.resolve("upper")), Map.of());
            assertThatThrownBy(() -> manifests.write(source, place.resolve("full/manifest"), Optional.empty()))
                    .isInstanceOfSatisfying(
                            SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.DISK_FULL));
            assertThat(place.resolve("full")).isEmptyDirectory();
        } finally {
            Shell.run(place, "umount full");
        }
    }

    private static ManifestSource source(Path upper) {
        return new ManifestSource(Map.of("upper", upper), Map.of());
    }

    private static long openIn(Path directory) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(each -> {
                        try {
                            return Files.readSymbolicLink(each).startsWith(directory);
                        } catch (IOException closedMeanwhile) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    private Path tree(String name) throws IOException {
        return Files.createDirectory(pool.create(name).resolve("upper"));
    }

    private ManifestSource frozen(String tree, String layer) {
        pool.layers().snapshot(tree, layer);
        return new ManifestSource(Map.of("upper", pool.layers().lower(layer)), Map.of("runtime", "gvisor"));
    }

    private ManifestSource frozenCopy(String tree, String layer) {
        pool.copy(tree, tree + "-copy");
        return frozen(tree + "-copy", layer);
    }

    private static Map<String, ManifestEntry> entries(Path file) throws IOException {
        Map<String, ManifestEntry> entries = new HashMap<>();
        try (ManifestReader reader = ManifestReader.open(file)) {
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                entries.put(Paths.text(reader.path()), entry.get());
            }
        }
        return entries;
    }

    private static EntryContent content(Map<String, ManifestEntry> entries, String path) {
        return entry(entries, path).content();
    }

    private static ManifestEntry entry(Map<String, ManifestEntry> entries, String path) {
        assertThat(entries).containsKey(path);
        return Objects.requireNonNull(entries.get(path));
    }

    private static Bytes hash(Map<String, ManifestEntry> entries, String path) {
        return ((EntryContent.RegularFile) content(entries, path)).sha256();
    }
}
