package dev.sandglass.client.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.tar.TarHeader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever an archive from a sandbox holds, nothing outside the directory is read, written or linked to. */
final class HostileArchiveTest {
    @TempDir
    Path host;

    private Path inside;
    private Path outside;
    private final ByteArrayOutputStream tar = new ByteArrayOutputStream();

    @BeforeEach
    void prepare() throws IOException {
        inside = Files.createDirectory(host.resolve("inside"));
        outside = Files.writeString(host.resolve("outside"), "untouched");
    }

    @Test
    void namesThatLeadOutAreRefused() {
        for (String name : new String[] {"../outside", "a/../../outside", "/etc/x", "a/..", ".."}) {
            tar.reset();
            file(name, "evil");
            refused("name");
        }
    }

    @Test
    void nothingIsWrittenThroughALink() throws IOException {
        link("dir", "sub");
        file("dir/file", "evil");
        refused("in the way");

        tar.reset();
        Files.createSymbolicLink(inside.resolve("outside"), outside);
        file("outside", "new");
        unpack();
        assertThat(outside).hasContent("untouched");
        assertThat(inside.resolve("outside")).isRegularFile().hasContent("new");
    }

    @Test
    void linksThatLeadOutAreLeftOut() throws IOException {
        directory("a");
        link("absolute", "/etc/passwd");
        link("parent", "../outside");
        link("a/deep", "../../outside");
        link("self", ".");
        link("chain", "self/..");
        link("a/fine", "../b");
        Unpacker unpacker = unpack();
        assertThat(unpacker.leftOut()).hasSize(4).anyMatch(entry -> entry.startsWith("chain"));
        assertThat(Files.exists(inside.resolve("chain"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Files.readSymbolicLink(inside.resolve("a/fine"))).hasToString("../b");
    }

    @Test
    void hardLinksReachOnlyFilesOfTheArchive() throws IOException {
        Files.writeString(inside.resolve("mine"), "mine");
        entry('1', "stolen", "mine", 0644, 0, "");
        file("a", "content");
        entry('1', "b", "a", 0644, 0, "");
        Unpacker unpacker = unpack();
        assertThat(unpacker.leftOut()).hasSize(1);
        assertThat(inside.resolve("stolen")).doesNotExist();
        assertThat(inside.resolve("b")).hasContent("content");
        tar.reset();
        entry('1', "c", "../outside", 0644, 0, "");
        refused("name");
    }

    @Test
    void devicesAreLeftOutAndNothingIsSetUid() throws IOException {
        entry('3', "device", "", 0666, 0, "");
        entry('4', "block", "", 0666, 0, "");
        entry('6', "fifo", "", 0666, 0, "");
        entry('0', "setuid", "", 06755, 1, "x");
        directoryWithMode("sticky", 07777);
        Unpacker unpacker = unpack();
        assertThat(unpacker.leftOut()).hasSize(3);
        assertThat((int) Files.getAttribute(inside.resolve("setuid"), "unix:mode") & 07000).isZero();
        assertThat((int) Files.getAttribute(inside.resolve("sticky"), "unix:mode") & 07777).isEqualTo(01777);
        assertThat(unpacker.withoutSetId()).containsExactlyInAnyOrder("setuid", "sticky");
        assertThat(inside).isDirectoryNotContaining("glob:**device");
    }

    @Test
    void moreNamesThanFitIntoMemoryAreRefused() {
        for (int i = 0; i < 20; i++) {
            file("f" + i, "");
        }
        assertThatThrownBy(() -> new Unpacker(inside, count -> {}, () -> {}, 1500).unpack(new ByteArrayInputStream(Arrays.copyOf(tar.toByteArray(), tar.size() + 1024))))
                .isInstanceOf(SandglassException.class)
                .hasMessageContaining("too many names");
        assertThat(inside.resolve("f19")).doesNotExist();
    }

    @Test
    void aDirectoryIsNotReplacedByAFile() {
        directory("a");
        file("a/b", "x");
        file("a", "y");
        refused("in the way");
    }

    @Test
    void hugeHeadersAreRefusedBeforeTheyAreRead() {
        tar.writeBytes(TarHeader.write('x', "pax", "", 0644, 8L << 30, 0));
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class).hasMessageContaining("extended header");
        tar.reset();
        tar.writeBytes(TarHeader.write('L', "long", "", 0644, 1 << 20, 0));
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class).hasMessageContaining("extended header");
    }

    @Test
    void whatDoesNotFitOnTheDiskIsRefusedAtOnce() {
        tar.writeBytes(TarHeader.write('0', "huge", "", 0644, 077777777777L, 0));
        extended("99999999999999 path=x\n");
        assertThatThrownBy(this::unpack).isInstanceOfAny(SandglassException.class, IOException.class);
        tar.reset();
        extended("23 size=99999999999999\n");
        file("huge", "x");
        assertThatThrownBy(this::unpack)
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.DISK_FULL));
    }

    @Test
    void absurdTimesDoNoHarm() throws IOException {
        tar.writeBytes(TarHeader.write('0', "late", "", 0644, 0, 077777777777L));
        tar.writeBytes(TarHeader.write('0', "early", "", 0644, 0, -5));
        unpack();
        assertThat(inside.resolve("late")).exists();
    }

    @Test
    void aCutOffArchiveIsAnError() {
        file("a", "content");
        byte[] whole = tar.toByteArray();
        for (int length : new int[] {0, 100, 512, 515, whole.length - 1, whole.length}) {
            assertThatThrownBy(() -> new Unpacker(inside, count -> {}, () -> {}).unpack(new ByteArrayInputStream(whole, 0, length)))
                    .as("cut at %s", length)
                    .isInstanceOf(IOException.class);
            assertThat(inside).as("cut at %s", length).isDirectoryNotContaining(entry -> length < whole.length - 1 || !entry.endsWith("a"));
        }
    }

    @Test
    void mutatedArchivesNeverTouchWhatIsOutside() throws IOException {
        file("a", "content");
        link("l", "a");
        extended("30 path=some/longer/name/here\n");
        file("b", "content");
        tar.writeBytes(new byte[1024]);
        byte[] good = tar.toByteArray();
        Random random = new Random(7);
        for (int round = 0; round < 1_000; round++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                new Unpacker(inside, count -> {}, () -> {}).unpack(new ByteArrayInputStream(bad));
            } catch (IOException | SandglassException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
        try (var entries = Files.list(host)) {
            assertThat(entries).containsExactlyInAnyOrder(inside, outside);
        }
        assertThat(outside).hasContent("untouched");
    }

    private void refused(String why) {
        assertThatThrownBy(this::unpack).isInstanceOf(SandglassException.class).hasMessageContaining(why);
        assertThat(outside).hasContent("untouched");
    }

    private Unpacker unpack() throws IOException {
        byte[] end = new byte[1024];
        byte[] all = Arrays.copyOf(tar.toByteArray(), tar.size() + end.length);
        Unpacker unpacker = new Unpacker(inside, count -> {}, () -> {});
        unpacker.unpack(new ByteArrayInputStream(all));
        return unpacker;
    }

    private void file(String name, String content) {
        entry('0', name, "", 0644, content.length(), content);
    }

    private void link(String name, String target) {
        entry('2', name, target, 0777, 0, "");
    }

    private void directory(String name) {
        directoryWithMode(name, 0755);
    }

    private void directoryWithMode(String name, int mode) {
        entry('5', name, "", mode, 0, "");
    }

    private void extended(String records) {
        entry('x', "pax", "", 0644, records.length(), records);
    }

    private void entry(char type, String name, String link, int mode, long size, String content) {
        tar.writeBytes(TarHeader.write(type, RawName.ofText(name), RawName.ofText(link), mode, size, 0));
        tar.writeBytes(bytes(content));
        tar.writeBytes(new byte[-content.length() & 511]);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
