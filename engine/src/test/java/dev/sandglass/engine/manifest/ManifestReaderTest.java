package dev.sandglass.engine.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestReaderTest {
    private static final ManifestHeader HEADER = new ManifestHeader(Map.of("runtime", "gvisor"), Map.of("upper", "here"));
    private static final Bytes HASH = Bytes.of(new byte[32]);

    private static final List<ManifestEntry> ENTRIES = List.of(
            entry(0, "upper", new EntryContent.Directory()),
            entry(1, "a", new EntryContent.Directory()),
            entry(2, "file", new EntryContent.RegularFile(1L << 40, HASH)),
            entry(2, "hard", new EntryContent.HardLink(2)),
            entry(1, "a.b", new EntryContent.SymbolicLink(Bytes.of("../out"))),
            entry(1, "b\n", new EntryContent.Device(false, 0, 0)),
            entry(1, "c", new EntryContent.Fifo()),
            entry(1, "d", new EntryContent.Socket()));

    @Test
    void whatWasWrittenIsRead() throws IOException {
        byte[] written = written(ENTRIES);
        try (ManifestReader reader = new ManifestReader(new ByteArrayInputStream(written))) {
            assertThat(reader.header()).isEqualTo(HEADER);
            List<ManifestEntry> read = new ArrayList<>();
            for (Optional<ManifestEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
                read.add(entry.get());
            }
            assertThat(read).isEqualTo(ENTRIES);
            assertThat(reader.summary().orElseThrow().entries()).isEqualTo(ENTRIES.size());
            assertThat(reader.summary().orElseThrow().bytes()).isEqualTo(1L << 40);
        }
    }

    @Test
    void aManifestThatEndsTooEarlyIsRefused() throws IOException {
        byte[] written = written(ENTRIES);
        for (int length = 0; length < written.length; length++) {
            assertDamaged(new ByteArrayInputStream(written, 0, length), "cut to " + length);
        }
        assertDamaged(new ByteArrayInputStream(Arrays.copyOf(written, written.length + 1)), "a byte more");
    }

    @Test
    void everyFlippedByteIsFound() throws IOException {
        byte[] written = written(ENTRIES);
        for (int index = 0; index < written.length; index++) {
            byte[] flipped = written.clone();
            flipped[index] ^= (byte) (1 << index % 8);
            assertDamaged(new ByteArrayInputStream(flipped), "byte " + index);
        }
    }

    @Test
    void entriesThatLeadAstrayAreRefused() throws IOException {
        for (List<ManifestEntry> entries : List.of(
                List.of(entry(1, "a", new EntryContent.Directory())),
                List.of(entry(0, "a", new EntryContent.Fifo()), entry(1, "b", new EntryContent.Fifo())),
                List.of(entry(0, "b", new EntryContent.Directory()), entry(0, "a", new EntryContent.Directory())),
                List.of(entry(0, "a", new EntryContent.Directory()), entry(0, "a", new EntryContent.Directory())),
                List.of(entry(0, "..", new EntryContent.Directory())),
                List.of(entry(0, ".", new EntryContent.Directory())),
                List.of(entry(0, "a/b", new EntryContent.Directory())),
                List.of(entry(0, "a\0b", new EntryContent.Directory())),
                List.of(entry(0, "a", new EntryContent.HardLink(0))),
                List.of(entry(0, "a", new EntryContent.HardLink(-1))),
                List.of(entry(0, "a", new EntryContent.RegularFile(-1, HASH))))) {
            assertDamaged(new ByteArrayInputStream(written(entries)), entries.toString());
        }
    }

    @Test
    void aHundredThousandEntriesAreStreamed(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("manifest");
        try (OutputStream output = Files.newOutputStream(file)) {
            ManifestWriter writer = new ManifestWriter(output, HEADER);
            writer.add(entry(0, "upper", new EntryContent.Directory()));
            for (int number = 0; number < 100_000; number++) {
                writer.add(entry(1, "%08d".formatted(number), new EntryContent.RegularFile(number, HASH)));
            }
            assertThat(writer.finish().entries()).isEqualTo(100_001);
        }
        try (ManifestReader reader = ManifestReader.open(file)) {
            while (reader.next().isPresent()) {
                assertThat(reader.path().size()).isLessThan(3);
            }
            assertThat(reader.summary()).isPresent();
        }
        assertThat(Files.size(file)).isLessThan(16 << 20);
    }

    @Test
    void whatIsTrueOnOneMachineOnlyDoesNotCount() throws IOException {
        ManifestEntry here = ENTRIES.getFirst();
        ManifestEntry there = new ManifestEntry(
                here.depth(), here.name(), here.content(), here.permissions(), here.uid(), here.gid(),
                here.modifiedSeconds(), here.modifiedNanos(), here.attributes(), new HostFacts(99, 98, 97));
        ManifestWriter one = new ManifestWriter(OutputStream.nullOutputStream(), HEADER);
        ManifestWriter other = new ManifestWriter(OutputStream.nullOutputStream(), new ManifestHeader(HEADER.facts(), Map.of()));
        one.add(here);
        other.add(there);
        assertThat(one.finish()).isEqualTo(other.finish());
    }

    private static ManifestEntry entry(int depth, String name, EntryContent content) {
        return new ManifestEntry(
                depth, Bytes.of(name), content, 0755, 0, 1, -5, 6, Map.of(Bytes.of("user.a"), Bytes.of("b")), new HostFacts(7, 8, 9));
    }

    private static byte[] written(List<ManifestEntry> entries) throws IOException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ManifestWriter writer = new ManifestWriter(output, HEADER);
        for (ManifestEntry entry : entries) {
            writer.add(entry);
        }
        writer.finish();
        return output.toByteArray();
    }

    private static void assertDamaged(InputStream input, String what) {
        assertThatThrownBy(() -> {
                    try (ManifestReader reader = new ManifestReader(input)) {
                        while (reader.next().isPresent()) {
                            assertThat(reader.path()).isNotEmpty();
                        }
                    }
                })
                .as(what)
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.SNAPSHOT_DAMAGED));
    }
}
