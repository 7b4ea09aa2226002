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
