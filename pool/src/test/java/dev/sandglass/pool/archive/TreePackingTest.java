package dev.sandglass.pool.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestHeader;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Trees;
import dev.sandglass.pool.OddTree;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.pool.manifest.FileManifests;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trees come through a stream as they were; streams that nobody honest wrote are refused, and nothing lies outside of the tree. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TreePackingTest {
    private static final long ROOM = 64 << 20;
    private static final Map<Bytes, String> TEXTS = new ConcurrentHashMap<>();

    private final TreePacking packing = new TreePacking();
    private final FileManifests manifests = new FileManifests();
    private Path scratch;
    private Pool pool;
    private int trees;

    @BeforeAll
    void openPool(@TempDir Path directory) {
        scratch = directory;
        pool = Pools.open(directory, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(2L << 30));
    }

    @AfterAll
    void closePool() {
        manifests.close();
        pool.trees().forEach(pool::remove);
        Pools.unmount(scratch);
    }

    @Test
    void anOddTreeComesThroughAsItWas() throws IOException {
        Path source = tree();
        OddTree.fill(source);
        Shell.run(source, """
                rm block; ln whiteout sub/whiteout-too; ln -s /etc/passwd out; mkdir -m 2755 acl; mkdir -m 000 closed; printf secret > closed/file
                perl -e 'for (1..2000) { mkdir q(deep-down) or die; chdir q(deep-down) or die }'
                python3 -c 'import os; s = os.setxattr; e = "sub/empty"; s(e, "trusted.overlay.opaque", b"y"); s(e, "trusted.overlay.origin", b"x"); s("sub", "trusted.other", b"x")'
                head -c 700000 /dev/urandom > data; touch -d @-5 data; touch -d '2003-03-03 UTC' .
                """);
        ManifestSource found = source(source);
        Path local = scratch.resolve("odd.local");
        manifests.write(found, local, Optional.empty());
        Path portable = scratch.resolve("odd.portable");
        ManifestSummary summary = packing.portable(local, portable);
        byte[] content = packed(source, portable);
        Path target = tree();
        try (InputStream stream = packing.expanded(new ByteArrayInputStream(content))) {
            packing.unpack(stream, portable, target, new Budget(ROOM));
            assertThat(stream.read()).isEqualTo(-1);
        }
        OddTree.assertSame(target, source);
        ManifestSource made = source(target);
        manifests.adopt(made, scratch.resolve("odd.adopted"), portable);
        manifests.verify(made, scratch.resolve("odd.adopted"));
        assertThat(packing.portable(scratch.resolve("odd.adopted"), scratch.resolve("odd.again"))).isEqualTo(summary);
        assertThat(Shell.run(target, "python3 -c 'import os; print(os.listxattr(\"sub/empty\"), sorted(os.listxattr(\"sub\")))'"))
                .isEqualTo("['trusted.overlay.opaque'] ['trusted.other', 'user.opaque']");
    }

    @Test
    void aDeviceDoesNotGoOut() throws IOException {
        Path source = tree();
        Shell.run(source, "mknod null c 1 3");
        Path local = scratch.resolve("device.local");
        manifests.write(source(source), local, Optional.empty());
        assertThat(refusal(() -> packing.portable(local, scratch.resolve("device.portable"))).what()).contains("upper/null", "device");
    }

    /** An entry below the root, or something wrong with the content. */
    record Hostile(String name, List<ManifestEntry> entries, UnaryOperator<byte[]> content) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Hostile> hostile() {
        UnaryOperator<byte[]> honest = UnaryOperator.identity();
        ManifestEntry file = file("file", "content");
        return Stream.of(
                new Hostile("parent", List.of(file("..", "x")), honest),
                new Hostile("slash", List.of(file("a/b", "x")), honest),
                new Hostile("absolute", List.of(file("/etc/passwd", "x")), honest),
                new Hostile("zero byte", List.of(file("a\0b", "x")), honest),
                new Hostile("twice", List.of(file("a", "x"), file("a", "y")), honest),
                new Hostile("through a link", List.of(entry(1, "a", new EntryContent.SymbolicLink(Bytes.of("/etc"))), entry(2, "passwd", regular("x"))), honest),
                new Hostile("too deep", List.of(entry(3, "a", new EntryContent.Directory())), honest),
                new Hostile("second root", List.of(entry(0, "z", new EntryContent.Directory())), honest),
                new Hostile("device", List.of(entry(1, "null", new EntryContent.Device(false, 1, 3))), honest),
                new Hostile("block device", List.of(entry(1, "disk", new EntryContent.Device(true, 0, 0))), honest),
                new Hostile("hard link to a directory", List.of(entry(1, "a", new EntryContent.HardLink(0))), honest),
                new Hostile("hard link to a later one", List.of(entry(1, "a", new EntryContent.HardLink(2)), file("b", "x")), honest),
                new Hostile("hard link to a hard link", List.of(file("a", "x"), entry(1, "b", new EntryContent.HardLink(1)), entry(1, "c", new EntryContent.HardLink(2))), honest),
                new Hostile("link without target", List.of(entry(1, "a", new EntryContent.SymbolicLink(Bytes.of("")))), honest),
                new Hostile("redirect", List.of(with(entry(1, "a", new EntryContent.Directory()), "trusted.overlay.redirect", "/etc")), honest),
                new Hostile("metacopy", List.of(with(file, "trusted.overlay.metacopy", "")), honest),
                new Hostile("opaque file", List.of(with(file, "trusted.overlay.opaque", "y")), honest),
                new Hostile("label of the host", List.of(with(file, "security.selinux", "x")), honest),
                new Hostile("garbled list of rights", List.of(with(file, "system.posix_acl_access", "x")), honest),
                new Hostile("nobody", List.of(new ManifestEntry(1, Bytes.of("a"), regular("x"), 0644, -1, 0, 0, 0, Map.of(), new HostFacts(0, 0, 0))), honest),
                new Hostile("sparse bomb", List.of(entry(1, "a", new EntryContent.RegularFile(1L << 28, sha256("")))), honest),
                new Hostile("larger than there is room for", List.of(file("a", "x".repeat(3 << 20))), honest),
                new Hostile("another content", List.of(file), content -> replaced(content, 12, (byte) 'C')),
                new Hostile("a piece beyond the end", List.of(file), content -> replaced(content, 7, (byte) 5)),
                new Hostile("a piece without length", List.of(file), content -> replaced(content, 11, (byte) 0)),
                new Hostile("a huge piece", List.of(file), content -> replaced(content, 8, (byte) 0x7f)),
                new Hostile("cut off", List.of(file), content -> Arrays.copyOf(content, content.length - 3)));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void whatNobodyHonestWroteIsRefused(Hostile hostile) throws IOException {
        Path portable = scratch.resolve("hostile.portable");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        write(portable, hostile.entries(), content);
        SandglassException refusal = refusal(() -> take(portable, hostile.content().apply(content.toByteArray())));
        assertThat(refusal.code()).as(refusal.what()).isIn(ErrorCode.ARCHIVE_REFUSED, ErrorCode.SNAPSHOT_DAMAGED, ErrorCode.DISK_FULL);
        assertThat(Files.readString(Path.of("/etc/passwd"))).startsWith("root:");
    }

    /** Any byte may be another: it is refused, or comes through as something that the manifest itself says. */
    @Test
    void mutationsAreRefusedOrHarmless() throws IOException {
        Path portable = scratch.resolve("mutated.portable");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        write(portable, List.of(file("a", "x"), entry(1, "b", new EntryContent.Directory()), entry(2, "c", new EntryContent.HardLink(1))), content);
        byte[] manifest = Files.readAllBytes(portable);
        Random random = new Random(42);
        int refused = 0;
        for (int round = 0; round < 2000; round++) {
            byte[] badManifest = manifest.clone();
            byte[] badContent = content.toByteArray();
            byte[] changed = random.nextBoolean() ? badManifest : badContent;
            int at = random.nextInt(changed.length);
            changed[at] = (byte) (changed[at] ^ (1 << random.nextInt(8)));
            Files.write(portable, badManifest);
            try {
                take(portable, badContent);
            } catch (SandglassException expected) {
                refused++;
            }
        }
        assertThat(refused).isEqualTo(2000);
    }

    @Test
    void whatIsNotCompressedIsRefused() {
        byte[] random = new byte[100_000];
        new Random(1).nextBytes(random);
        assertThat(refusal(() -> packing.expanded(new ByteArrayInputStream(random)).readAllBytes()).code()).isEqualTo(ErrorCode.ARCHIVE_REFUSED);
    }

    /** As an import does it, into a tree that is then removed. */
    private void take(Path portable, byte[] content) throws IOException {
        Path target = tree();
        try (InputStream stream = new ByteArrayInputStream(content)) {
            packing.inspect(portable);
            packing.unpack(stream, portable, target, new Budget(2 << 20));
            manifests.adopt(source(target), scratch.resolve("taken"), portable);
        } finally {
            Trees.remove(target);
        }
    }

    private byte[] packed(Path tree, Path portable) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (OutputStream stream = packing.compressed(file)) {
            packing.pack("upper", tree, portable, stream);
        }
        return file.toByteArray();
    }

    /** A manifest of a root with these in it, and their content as an honest writer sends it. */
    private static void write(Path portable, List<ManifestEntry> entries, OutputStream content) throws IOException {
        try (OutputStream output = Files.newOutputStream(portable)) {
            ManifestWriter writer = new ManifestWriter(output, new ManifestHeader(Map.of(), Map.of()));
            DataOutputStream data = new DataOutputStream(content);
            List<ManifestEntry> all = new ArrayList<>(List.of(entry(0, "upper", new EntryContent.Directory())));
            all.addAll(entries);
            for (ManifestEntry entry : all) {
                writer.add(entry);
                if (entry.content() instanceof EntryContent.RegularFile file) {
                    byte[] text = TEXTS.getOrDefault(file.sha256(), "").getBytes(StandardCharsets.UTF_8);
                    for (int at = 0; at < text.length; at += 1 << 18) {
                        int length = Math.min(1 << 18, text.length - at);
                        data.writeLong(at);
                        data.writeInt(length);
                        data.write(text, at, length);
                    }
                    data.writeLong(-1);
                }
            }
            writer.finish();
        }
    }

    private static EntryContent.RegularFile regular(String text) {
        TEXTS.put(sha256(text), text);
        return new EntryContent.RegularFile(text.length(), sha256(text));
    }

    private static Bytes sha256(String text) {
        return Bytes.of(HexFormat.of().parseHex(Sha256.of(text)));
    }

    private static ManifestEntry file(String name, String text) {
        return entry(1, name, regular(text));
    }

    private static ManifestEntry entry(int depth, String name, EntryContent content) {
        return new ManifestEntry(depth, Bytes.of(name), content, 0644, 0, 0, 1, 2, Map.of(), new HostFacts(0, 0, 0));
    }

    private static ManifestEntry with(ManifestEntry entry, String attribute, String value) {
        return new ManifestEntry(entry.depth(), entry.name(), entry.content(), 0644, 0, 0, 1, 2, Map.of(Bytes.of(attribute), Bytes.of(value)), entry.host());
    }

    private static byte[] replaced(byte[] content, int at, byte value) {
        byte[] other = content.clone();
        other[at] = value;
        return other;
    }

    private Path tree() throws IOException {
        return Files.createDirectory(pool.create("packing-" + trees++).resolve("upper"));
    }

    private static ManifestSource source(Path tree) {
        return new ManifestSource(Map.of("upper", tree), Map.of());
    }

    private static SandglassException refusal(ThrowingCallable call) {
        SandglassException refusal = catchThrowableOfType(SandglassException.class, call);
        assertThat(refusal).as("it is refused").isNotNull();
        return refusal;
    }
}
