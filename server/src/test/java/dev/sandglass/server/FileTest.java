package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SetAttributes;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Files are written, read, looked at, moved, watched and removed. */
@OnEveryRuntime
class FileTest {
    private static final int LARGE = 100 << 20;

    private final TestSandbox box;
    private final SandboxFiles files;
    private final String runtime;

    FileTest(String runtime) {
        this.runtime = runtime;
        this.box = SharedDaemon.sandbox(runtime);
        this.files = box.files();
    }

    @Test
    void anySizeGoesInAndComesOutTheSame() throws IOException {
        for (int size : new int[] {0, 1, 65_535, 65_536, 65_537, 1_000_001}) {
            byte[] bytes = Bodies.random(size, size);
            assertThat(files.write("/tmp/sized", "", BodyPublishers.ofByteArray(bytes)).size()).isEqualTo(size);
            assertThat(files.read("/tmp/sized", "")).as("%s bytes", size).isEqualTo(bytes);
        }
        byte[] large = Bodies.random(7, LARGE);
        files.write("/var/tmp/large", "", BodyPublishers.ofByteArray(large));
        String expected = Bodies.sha256(large);
        assertThat(box.output("sha256sum /var/tmp/large")).startsWith(expected);
        assertThat(Bodies.sha256(files.open("/var/tmp/large"))).isEqualTo(expected);
        files.remove("/var/tmp/large", false);
    }

    @Test
    void aPartIsReadByOffsetAndLength() {
        files.write("/tmp/part", "0123456789");
        assertThat(part("&offset=3")).isEqualTo("3456789");
        assertThat(part("&offset=3&length=2")).isEqualTo("34");
        assertThat(part("&length=0")).isEmpty();
        assertThat(part("&offset=10")).isEmpty();
        assertThat(part("&offset=999")).isEmpty();
        assertThat(part("&offset=8&length=999")).isEqualTo("89");
    }

    private String part(String options) {
        return new String(files.read("/tmp/part", options), StandardCharsets.UTF_8);
    }

    @Test
    void aFileBelongsToWhomItIsWrittenForWithItsParents() {
        Entry entry = box.filesOf("user").write("~/deep/er/file", "&mode=640", BodyPublishers.ofString("mine"));
        assertThat(entry.mode()).isEqualTo("0640");
        assertThat(entry.owner()).isEqualTo("user");
        assertThat(box.output("stat -c '%a %U:%G %s' /home/user/deep/er/file; stat -c '%a %U' /home/user/deep/er")).isEqualTo("640 user:user 4\n755 user");
        assertThat(box.filesOf("user").read("deep/er/file")).isEqualTo("mine");
        refused(ErrorCode.PERMISSION_DENIED, () -> box.filesOf("user").write("/etc/owned", "x"));
        refused(ErrorCode.PERMISSION_DENIED, () -> box.filesOf("user").read("/etc/shadow"));
        refused(ErrorCode.FILE_REFUSED, () -> box.filesOf("nobody-here").read("/etc/hostname"));
    }

    @Test
    void aFileIsReplacedWholeOrNotAtAll() {
        files.write("/tmp/whole", "old");
        box.output("ln /tmp/whole /tmp/whole.link");
        files.write("/tmp/whole", "new");
        assertThat(files.read("/tmp/whole")).isEqualTo("new");
        assertThat(files.read("/tmp/whole.link")).isEqualTo("old");
        assertThat(box.output("ls /tmp | grep -c whole")).as("no temporary file is left").isEqualTo("2");
    }

    @Test
    void aFileKeepsTheTimeItIsWrittenWith() {
        Entry entry = files.write("/tmp/old", "&mode=755&modified_at=2001-09-09T01:46:40.123456789Z", BodyPublishers.ofString("x"));
        assertThat(entry.modifiedAt()).isEqualTo("2001-09-09T01:46:40.123456789Z");
        assertThat(box.output("stat -c '%a %.9Y' /tmp/old")).isEqualTo("755 1000000000.123456789");
        refused(ErrorCode.INVALID_REQUEST, () -> files.write("/tmp/old", "&modified_at=yesterday", BodyPublishers.ofString("x")));
        refused(ErrorCode.INVALID_REQUEST, () -> files.write("/tmp/old", "&modified_at=3000-01-01T00:00:00Z", BodyPublishers.ofString("x")));
    }

    @Test
    void anEntryTellsWhatItIs() {
        box.output("mkdir -p /tmp/kinds && cd /tmp/kinds && echo hi > file && ln -sf file link && mkdir -p dir && rm -f pipe && mkfifo pipe"
                + " && chmod 4711 file && touch -d @1000000000.5 file");
        Entry file = files.stat("/tmp/kinds/file");
        assertThat(file.kind()).isEqualTo("file");
        assertThat(file.mode()).isEqualTo("4711");
        assertThat(file.size()).isEqualTo(3);
        assertThat(file.modifiedAt()).isEqualTo("2001-09-09T01:46:40.500Z");
        assertThat(files.stat("/tmp/kinds/link").target()).isEqualTo("file");
        assertThat(files.stat("/tmp/kinds/link").kind()).isEqualTo("link");
        assertThat(files.statThrough("/tmp/kinds/link").kind()).isEqualTo("file");
        assertThat(files.stat("/tmp/kinds/pipe").kind()).isEqualTo("fifo");
        assertThat(files.stat("/dev/null").kind()).isEqualTo("device");
        assertThat(files.list("/tmp/kinds", 1)).extracting(Entry::path).containsExactly("dir", "file", "link", "pipe");
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.stat("/tmp/kinds/nothing"));
    }

    @Test
    void aListingGoesAsDeepAsAskedAndNeverThroughLinks() {
        box.output("mkdir -p /tmp/tree/a/b/c && touch /tmp/tree/a/b/c/d && ln -sfn / /tmp/tree/root");
        assertThat(files.list("/tmp/tree", 1)).extracting(Entry::path).containsExactly("a", "root");
        assertThat(files.list("/tmp/tree", 2)).extracting(Entry::path).containsExactly("a", "a/b", "root");
        assertThat(files.list("/tmp/tree", 64)).extracting(Entry::path).containsExactly("a", "a/b", "a/b/c", "a/b/c/d", "root");
        refused(ErrorCode.FILE_REFUSED, () -> files.list("/etc/hostname", 1));
    }

    @Test
    void directoriesAreMadeMovedAndRemoved() {
        assertThat(files.makeDirectory("/tmp/made/of/parts", "&mode=700").mode()).isEqualTo("0700");
        assertThat(files.makeDirectory("/tmp/made/of/parts", "").kind()).isEqualTo("directory");
        assertThat(files.makeDirectory("made-in/home", "").kind()).isEqualTo("directory");
        assertThat(files.makeDirectory("home-too", "").kind()).isEqualTo("directory");
        assertThat(box.output("ls -d /root/made-in/home /root/home-too && rm -r /root/made-in /root/home-too")).isEqualTo("/root/home-too\n/root/made-in/home");
        files.write("/tmp/made/of/parts/file", "x");
        assertThat(files.move("/tmp/made/of", "/tmp/made/to/here").path()).isEqualTo("/tmp/made/to/here");
        assertThat(files.read("/tmp/made/to/here/parts/file")).isEqualTo("x");
        assertThat(refused(ErrorCode.PATH_EXISTS, () -> files.remove("/tmp/made", false)).hint()).contains(" -r ");
        files.remove("/tmp/made", true);
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.stat("/tmp/made"));
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.remove("/tmp/made", true));
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.move("/tmp/made", "/tmp/other"));
    }

    @Test
    void removalStaysAwayFromWhatLinksPointTo() {
        box.output("mkdir -p /tmp/keep /tmp/gone && touch /tmp/keep/me && ln -sfn /tmp/keep /tmp/gone/link");
        files.remove("/tmp/gone", true);
        assertThat(files.stat("/tmp/keep/me").kind()).isEqualTo("file");
    }

    @Test
    void modeOwnerAndGroupAreSetOneByOneOrForATree() {
        box.output("mkdir -p /tmp/attr/in && touch /tmp/attr/in/file");
        Entry entry = files.set("/tmp/attr", new SetAttributes("2750", "user", "daemon", true, null));
        assertThat(entry.mode()).isEqualTo("2750");
        assertThat(box.output("stat -c '%a %U %G' /tmp/attr/in/file")).isEqualTo("2750 user daemon");
        refused(ErrorCode.FILE_REFUSED, () -> files.set("/tmp/attr", new SetAttributes(null, "nobody-here", null, null, null)));
    }

    @Test
    void extendedAttributesAreSetReadAndRemovedWhereTheRuntimeHasThem() {
        files.write("/workspace/tagged", "x");
        String value = Base64.getEncoder().encodeToString(new byte[] {0, 1, (byte) 255});
        SetAttributes change = new SetAttributes(null, null, null, null, Map.of("user.tag", value, "user.other", ""));
        if (runtime.equals("gvisor")) {
            assertThat(refused(ErrorCode.FILE_REFUSED, () -> files.set("/workspace/tagged", change)).what()).contains("not supported");
            return;
        }
        files.set("/workspace/tagged", change);
        assertThat(files.attributes("/workspace/tagged").xattrs()).containsEntry("user.tag", value).containsEntry("user.other", "");
        files.change("/workspace/tagged", "{\"xattrs\": {\"user.other\": null}}");
        assertThat(files.attributes("/workspace/tagged").xattrs()).containsOnlyKeys("user.tag");
    }

    @Test
    void changesAreSeenWhereverTheyHappenBelow() {
        box.output("rm -rf /tmp/watched /tmp/watched.out; mkdir -p /tmp/watched/sub");
        try (Watching watching = files.watch("/tmp/watched", true)) {
            box.output("echo x > /tmp/watched/sub/file");
            watching.await("create sub/file");
            watching.await("write sub/file");
            box.output("mkdir /tmp/watched/new && mv /tmp/watched/sub/file /tmp/watched/sub/moved");
            watching.await("create new");
            watching.await("rename_from sub/file");
            watching.await("rename_to sub/moved");
            box.output("echo y > /tmp/watched/new/late; chmod 600 /tmp/watched/sub/moved; rm /tmp/watched/sub/moved");
            watching.await("create new/late");
            watching.await("attributes sub/moved");
            watching.await("remove sub/moved");
        }
    }

    @Test
    void whatCannotBeWatchedIsRefusedBeforeAnythingIsToldOfIt() {
        refused(ErrorCode.PATH_NOT_FOUND, () -> files.watch("/tmp/absent", true));
        box.output("touch /tmp/plain");
        refused(ErrorCode.FILE_REFUSED, () -> files.watch("/tmp/plain", true));
    }

    @Test
    void whatHasNoEndOrNoWriterIsRefusedAndDoesNotHang() {
        box.output("rm -f /tmp/fifo; mkfifo /tmp/fifo");
        for (String path : List.of("/tmp/fifo", "/dev/zero", "/tmp")) {
            refused(ErrorCode.FILE_REFUSED, () -> files.read(path));
        }
        refused(ErrorCode.FILE_REFUSED, () -> files.write("/tmp", "x"));
        refused(ErrorCode.FILE_REFUSED, () -> files.write("/etc/hostname/below", "x"));
    }
}
