package dev.sandglass.client.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Unpacked;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is packed comes out the same, through our own unpacker and through the system's tar. */
final class PackerTest {
    private static final String LONG_NAME = "n".repeat(200);
    private static final String ODD_NAME = "ü 好\nline";

    @TempDir
    Path host;

    private Path source;
    private Path target;

    @BeforeEach
    void prepare() throws IOException {
        source = Files.createDirectory(host.resolve("source"));
        target = Files.createDirectory(host.resolve("target"));
        Path deep = Files.createDirectories(source.resolve("a/" + "d".repeat(120) + "/" + "e".repeat(120)));
        Files.writeString(deep.resolve(LONG_NAME), "deep");
        Files.writeString(source.resolve(ODD_NAME), "odd");
        Files.write(source.resolve("large"), new byte[300_001]);
        Files.createFile(source.resolve("empty"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("a"));
        Files.createSymbolicLink(source.resolve("long-link"), Path.of("a/" + LONG_NAME));
        Files.setPosixFilePermissions(source.resolve("large"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createLink(source.resolve("large-too"), source.resolve("large"));
        Files.setLastModifiedTime(source.resolve("large"), FileTime.from(Instant.ofEpochSecond(1_600_000_000, 123_456_789)));
        Files.setLastModifiedTime(source.resolve("empty"), FileTime.from(Instant.ofEpochSecond(-1000)));
        Files.setPosixFilePermissions(source.resolve("a"), PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setLastModifiedTime(source.resolve("a"), FileTime.from(Instant.ofEpochSecond(1_500_000_000, 1000)));
    }

    @Test
    void aTreeComesOutAsItWentIn() throws IOException {
        AtomicLong seen = new AtomicLong();
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        new Packer(source, "", seen::addAndGet).pack(tar);
        assertThat(seen.get()).isEqualTo(Packer.size(source)).isEqualTo(300_008);
        Unpacked unpacked = new Unpacker(target, count -> {}, () -> {}).unpack(new ByteArrayInputStream(tar.toByteArray()));
        assertThat(unpacked).isEqualTo(new Unpacked(10, 300_008));
        same(true);
    }

    @Test
    void theSystemsTarReadsIt() throws Exception {
        try (var file = Files.newOutputStream(host.resolve("a.tar"))) {
            new Packer(source, "", count -> {}).pack(file);
        }
        tar("-xf", host.resolve("a.tar").toString(), "-C", target.toString());
        same(true);
    }

    @Test
    void theSystemsTarIsRead() throws Exception {
        for (String format : new String[] {"gnu", "pax"}) {
            Path archive = host.resolve(format + ".tar");
            tar("--format=" + format, "-cf", archive.toString(), "-C", source.toString(), ".");
            try (var in = Files.newInputStream(archive)) {
                new Unpacker(target, count -> {}, () -> {}).unpack(in);
            }
            same(format.equals("pax"));
        }
    }

    @Test
    void namesAndLinksOfAnyBytesComeOutAsTheyWentIn() throws Exception {
        shell("cd \"$0\" && mkdir $'d\\xff' && echo raw > $'d\\xff/n\\xfe\\x01 %2f' && ln $'d\\xff/n\\xfe\\x01 %2f' hard && ln -s $'../x/\\xfc' $'d\\xff/l\\xe9'", source);
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        new Packer(source, "", count -> {}).pack(tar);
        new Unpacker(target, count -> {}, () -> {}).unpack(new ByteArrayInputStream(tar.toByteArray()));
        shell("diff -r --no-dereference \"$0\" \"$1\" && [ \"$(readlink \"$1\"/d*/l*)\" = $'../x/\\xfc' ]", source, target);
    }

    @Test
    void aFifoIsLeftOutAndTold() throws Exception {
        new ProcessBuilder("mkfifo", source.resolve("fifo").toString()).start().waitFor();
        Packer packer = new Packer(source, "", count -> {});
        packer.pack(new ByteArrayOutputStream());
        assertThat(packer.leftOut()).hasSize(1).allMatch(entry -> entry.startsWith("fifo"));
    }

    @Test
    void setIdBitsAreLeftOutAndToldAndStickyOnesAreKept() throws Exception {
        shell("cd \"$0\" && echo x > tool && chmod 6755 tool && mkdir shared && chmod 3777 shared", source);
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        Packer packer = new Packer(source, "", count -> {});
        packer.pack(tar);
        assertThat(packer.withoutSetId()).containsExactlyInAnyOrder("tool", "shared");
        assertThat(packer.leftOut()).isEmpty();
        new Unpacker(target, count -> {}, () -> {}).unpack(new ByteArrayInputStream(tar.toByteArray()));
        shell("[ \"$(cd \"$0\" && stat -c %a tool shared | xargs)\" = '755 1777' ]", target);
    }

    private void same(boolean nanos) throws IOException {
        assertThat(target.resolve("a/" + "d".repeat(120) + "/" + "e".repeat(120) + "/" + LONG_NAME)).hasContent("deep");
        assertThat(target.resolve(ODD_NAME)).hasContent("odd");
        assertThat(target.resolve("large")).hasSameBinaryContentAs(source.resolve("large"));
        assertThat(target.resolve("empty")).isEmptyFile();
        assertThat(Files.readSymbolicLink(target.resolve("link"))).hasToString("a");
        assertThat(Files.readSymbolicLink(target.resolve("long-link"))).hasToString("a/" + LONG_NAME);
        assertThat(Files.getPosixFilePermissions(target.resolve("large"))).isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
        for (String name : new String[] {"large", "large-too", "empty", "a"}) {
            assertThat(time(target.resolve(name), nanos)).as(name).isEqualTo(time(source.resolve(name), nanos));
            assertThat(Files.getPosixFilePermissions(target.resolve(name))).as(name).isEqualTo(Files.getPosixFilePermissions(source.resolve(name)));
        }
        assertThat(Files.isSameFile(target.resolve("large"), target.resolve("large-too"))).isTrue();
    }

    private static Instant time(Path path, boolean nanos) throws IOException {
        Instant modified = Files.getLastModifiedTime(path).toInstant();
        return nanos ? modified : Instant.ofEpochSecond(modified.getEpochSecond());
    }

    private static void shell(String line, Path... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", line));
        for (Path argument : arguments) {
            command.add(argument.toString());
        }
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).as(line).isZero();
    }

    private static void tar(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "tar";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
