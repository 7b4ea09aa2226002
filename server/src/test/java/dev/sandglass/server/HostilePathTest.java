package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Paths that lead nowhere good: they stay inside the sandbox or are refused. */
@OnEveryRuntime
class HostilePathTest {
    private final TestSandbox box;
    private final SandboxFiles files;
    private final String flag = UUID.randomUUID().toString();
    private final Path planted = Path.of("/tmp/flag-" + flag);

    HostilePathTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
        this.files = box.files();
    }

    @BeforeEach
    void plantAFlagOnTheHost() throws IOException {
        Files.writeString(planted, flag);
    }

    @AfterEach
    void takeItAway() throws IOException {
        Files.delete(planted);
    }

    @Test
    void noPathLeadsToTheHostsFiles() {
        box.output("ln -sfn / /tmp/top; ln -sfn /proc/1/root /tmp/first; ln -sfn ../../../../../../../.. /tmp/up");
        for (String start : new String[] {"", "/../../../..", "/tmp/top", "/tmp/up", "/proc/self/root", "~/../../../.."}) {
            refused(ErrorCode.PATH_NOT_FOUND, () -> files.read(start + planted));
        }
        refused(ErrorCode.PERMISSION_DENIED, () -> files.read("/proc/1/root" + planted));
        assertThat(box.run(Run.of("cat", planted.toString())).exit().code()).isEqualTo(1);
    }

    @Test
    void aLinkIsFollowedInsideOnly() throws IOException {
        String shadow = Files.readString(Path.of("/etc/shadow"));
        box.output("ln -sf /etc/shadow /tmp/link");
        assertThat(files.read("/tmp/link")).isEqualTo(box.output("cat /etc/shadow") + "\n").isNotEqualTo(shadow);
        refused(ErrorCode.PERMISSION_DENIED, () -> box.filesOf("user").read("/tmp/link"));
        box.output("ln -sfn /etc /workspace/etc");
        refused(ErrorCode.PERMISSION_DENIED, () -> box.filesOf("user").write("/workspace/etc/planted", "x"));
        box.output("rm /workspace/etc");
    }

    @Test
    void impossiblePathsAreRefused() {
        refused(ErrorCode.MALFORMED_REQUEST, () -> files.read("/tmp/a\0b"));
        refused(ErrorCode.MALFORMED_REQUEST, () -> files.write("/tmp/a\0b", "x"));
        refused(ErrorCode.INVALID_REQUEST, () -> files.read("/" + "a/".repeat(2500)));
        refused(ErrorCode.INVALID_REQUEST, () -> files.read(""));
        refused(ErrorCode.FILE_REFUSED, () -> files.write("/tmp/" + "a".repeat(256), "x"));
        box.output("ln -sf loop /tmp/loop");
        refused(ErrorCode.FILE_REFUSED, () -> files.read("/tmp/loop"));
        refused(ErrorCode.FILE_REFUSED, () -> files.remove("/", true));
        assertThat(files.read("/etc/hostname")).isNotEmpty();
    }

    @Test
    void oddNamesAreKeptAsFarAsTextCan() {
        for (String name : new String[] {"with space", "new\nline", "tab\t", "ünï", "-rf", "*", "%2e%2e", "a".repeat(255), "\u001b[31m", "back\\slash", "quote\"'"}) {
            String path = "/tmp/odd/" + name;
            files.write(path, name);
            assertThat(files.read(path)).isEqualTo(name);
            assertThat(files.list("/tmp/odd", 1)).extracting(Entry::name).contains(name);
        }
        files.remove("/tmp/odd", true);
    }

    @Test
    void aNameThatIsNoTextIsListedAndDoesNoHarm() {
        box.output("mkdir -p /tmp/bytes && cd /tmp/bytes && touch \"$(printf 'a\\377b')\" fine");
        assertThat(files.list("/tmp/bytes", 1)).hasSize(2).extracting(Entry::name).contains("fine", "a\uFFFDb");
        assertThat(files.pack("/tmp/bytes", true).length).isPositive();
        files.remove("/tmp/bytes", true);
    }
}
