package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Unpacked;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Trees of files as tar archives, honest and hostile. */
@OnEveryRuntime
class ArchiveTest {
    private static final String LISTING = " && find . -mindepth 1 -printf '%p %y %m %T@ %l %s\\n' | sed 's/\\(directory\\|d\\) \\([0-9]*\\) \\([0-9.]*\\)  [0-9]*$/d \\2 \\3/' | sort";

    private final TestSandbox box;
    private final SandboxFiles files;

    ArchiveTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
        this.files = box.files();
    }

    @Test
    void aTreeComesBackAsItWas() {
        box.output("""
                rm -rf /tmp/tar && mkdir -p /tmp/tar/src/deep/er /tmp/tar/dst && cd /tmp/tar/src
                echo hello > file; chmod 640 file; ln -s file link; ln -s /nowhere dangling; mkdir -m 1777 sticky
                echo odd > "$(printf 'new\\nline')"; touch "$(printf 'a%.0s' $(seq 200))"; head -c 100000 /dev/urandom > deep/er/data
                touch -d @1234567890 file; find . -type d -exec touch -d @1300000000 {} +
                """);
        byte[] tar = files.pack("/tmp/tar/src", true);
        Unpacked unpacked = files.unpack("/tmp/tar/dst", true, tar);
        assertThat(unpacked.bytes()).isEqualTo(100_000 + 6 + 4);
        assertThat(box.output("cd /tmp/tar/dst" + LISTING)).isEqualTo(box.output("cd /tmp/tar/src" + LISTING));
        assertThat(box.output("cd /tmp/tar && diff -r --no-dereference src dst && echo same")).isEqualTo("same");
        box.output("rm -rf /tmp/tar");
    }

    @Test
    void namesBeginWithTheLastComponentUnlessOnlyTheContentIsAskedFor() {
        box.output("mkdir -p /tmp/named && echo x > /tmp/named/file");
        files.unpack("/tmp/named.whole", false, files.pack("/tmp/named", false));
        assertThat(files.read("/tmp/named.whole/named/file")).isEqualTo("x\n");
        files.unpack("/tmp/named.one", false, files.pack("/tmp/named/file", false));
        assertThat(files.read("/tmp/named.one/file")).isEqualTo("x\n");
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.pack("/tmp/not-there", false));
    }

    @Test
    void unpackedFilesBelongToTheUserWithoutSetIdBits() {
        box.output("mkdir -p /tmp/ids && cd /tmp/ids && cp /bin/true tool && chmod 4755 tool && chown 1234:1234 tool");
        byte[] tar = files.pack("/tmp/ids", true);
        box.filesOf("user").unpack("/workspace/ids", false, tar);
        assertThat(box.output("stat -c '%a %U' /workspace/ids/tool")).isEqualTo("755 user");
        files.unpack("/tmp/ids.kept", true, tar);
        assertThat(box.output("stat -c '%u:%g' /tmp/ids.kept/tool")).isEqualTo("1234:1234");
        box.output("rm -rf /workspace/ids");
    }

    @Test
    void hostileArchivesEndAndNothingIsWrittenOutside() {
        Map<String, byte[]> archives = Map.of(
                "up", new TarFile().file("fine", "x").file("../escaped", "x").end(),
                "deep up", new TarFile().file("a/../../escaped", "x").end(),
                "absolute", new TarFile().file("/tmp/escaped", "x").end(),
                "through a link", new TarFile().link("way", "/tmp").file("way/escaped", "x").end(),
                "through a relative link", new TarFile().link("way", "..").file("way/escaped", "x").end(),
                "hard link out", new TarFile().hardLink("stolen", "/etc/shadow").end(),
                "hard link up", new TarFile().hardLink("stolen", "../../etc/shadow").end(),
                "no archive", "this is not a tar archive".repeat(100).getBytes(StandardCharsets.US_ASCII));
        archives.forEach((what, tar) -> {
            box.output("rm -rf /tmp/hostile && mkdir -p /tmp/hostile");
            assertRefused("/tmp/hostile/in", tar);
            assertThat(box.output("ls -d /tmp/escaped /tmp/hostile/escaped /tmp/hostile/in/stolen /tmp/hostile/in/disk 2>/dev/null || true")).as(what).isEmpty();
        });
    }

    /** What no honest archive holds: it is unpacked harmlessly or refused, and the sandbox goes on. */
    @Test
    void oddEntriesDoNoHarm() {
        byte[] nothing = new byte[0];
        String mode = "0000644\0";
        String time = "00000000000 ";
        Map<String, byte[]> archives = Map.ofEntries(
                Map.entry("a fifo", new TarFile().odd("odd", '6', mode, "00000000000 ", time, nothing).end()),
                Map.entry("a whiteout", new TarFile().odd("odd", '3', mode, "00000000000 ", time, nothing).end()),
                Map.entry("a whiteout by name", new TarFile().file(".wh.odd", "").file(".wh..wh..opq", "").end()),
                Map.entry("set-id bits", new TarFile().odd("odd", '0', "0006755\0", "00000000000 ", time, nothing).end()),
                Map.entry("attributes of the overlay", new TarFile().extended("SCHILY.xattr.trusted.overlay.opaque", "y").file("odd", "x").end()),
                Map.entry("a capability", new TarFile().extended("SCHILY.xattr.security.capability", "\1\0\0\2\0\4").file("odd", "x").end()),
                Map.entry("a size beyond everything", new TarFile().odd("odd", '0', mode, "77777777777 ", time, nothing).end()),
                Map.entry("a negative size", new TarFile().odd("odd", '0', mode, "\377\377\377\377\377\377\377\377\377\377\377\377", time, nothing).end()),
                Map.entry("a sparse file", new TarFile().odd("odd", 'S', mode, "00000000000 ", time, nothing).end()),
                Map.entry("a huge extended header", new TarFile().odd("odd", 'x', mode, "07777777777 ", time, nothing).end()),
                Map.entry("a huge name", new TarFile().extended("path", "odd/" + "a".repeat(100_000)).file("odd", "x").end()),
                Map.entry("a deep name", new TarFile().extended("path", "odd/" + "a/".repeat(1900)).file("odd", "x").end()),
                Map.entry("an absurd time", new TarFile().extended("mtime", "99999999999999999999.9").file("odd", "x").end()),
                Map.entry("a negative time", new TarFile().extended("mtime", "-99999999999").file("odd", "x").end()),
                Map.entry("the largest time", new TarFile().odd("odd", '0', mode, "00000000000 ", "77777777777 ", nothing).end()));
        archives.forEach((what, tar) -> {
            box.output("rm -rf /tmp/odd && mkdir /tmp/odd");
            SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> files.unpack("/tmp/odd", false, tar));
            if (refusal != null) {
                assertThat(refusal.code()).as(what).isIn(ErrorCode.ARCHIVE_REFUSED, ErrorCode.FILE_REFUSED, ErrorCode.DISK_FULL);
            }
            assertThat(box.output("find /tmp/odd ! -type d ! -type f ! -type p; find /tmp/odd -perm /6000; getfattr -Rm - /tmp/odd 2>/dev/null || true")).as(what).isEmpty();
            assertThat(box.output("du -sm /tmp/odd | cut -f1")).as(what).isIn("0", "1");
        });
        box.output("rm -rf /tmp/odd");
    }

    /** A little that unpacks to more than there is room for: what fits not is said, and the rest of the sandbox goes on. */
    @Test
    void aBombEndsWhereTheDiskDoes() {
        TarFile many = new TarFile();
        for (int i = 0; i < 40; i++) {
            many.file("part" + i, "x".repeat(2 << 20));
        }
        try (TestSandbox small = SharedDaemon.api().create(SandboxRequest.on(box.now().runtime()).diskMb(32))) {
            refused(ErrorCode.DISK_FULL, () -> small.files().unpack("/workspace/bomb", false, many.end()));
            assertThat(small.output("rm -rf /workspace/bomb; echo fine > /workspace/file; cat /workspace/file")).isEqualTo("fine");
        }
    }

    @Test
    void aDeviceIsRefused() {
        assertRefused("/tmp/device", new TarFile().device("disk").end());
        assertThat(box.output("ls /tmp/device")).isEmpty();
    }

    @Test
    void aCutOffArchiveIsRefused() {
        byte[] whole = new TarFile().file("file", "x".repeat(5000)).end();
        assertRefused("/tmp/cut", Arrays.copyOf(whole, 2000));
    }

    private void assertRefused(String path, byte[] tar) {
        SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> files.unpack(path, false, tar));
        assertThat(refusal).isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.ARCHIVE_REFUSED);
    }
}
