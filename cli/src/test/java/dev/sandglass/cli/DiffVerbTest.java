package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class DiffVerbTest extends VerbFixture {
    private static final String FILE = "{\"kind\":\"%s\",\"mode\":\"%s\",\"uid\":0,\"gid\":0,\"size\":%d}";
    private static final String DIFF = "{\"from\":{\"kind\":\"snapshot\",\"id\":\"snap-a\",\"name\":\"a\"},\"to\":{\"kind\":\"sandbox\",\"id\":\"sbx-b\",\"name\":\"b\",\"processes\":1},"
            + "\"added\":2,\"changed\":1,\"removed\":1,\"truncated\":true,\"files\":["
            + "{\"change\":\"added\",\"path\":\"/d\",\"fields\":[],\"after\":" + FILE.formatted("directory", "0755", 0) + "},"
            + "{\"change\":\"added\",\"path\":\"/d/n\\u001bew\\n\",\"fields\":[],\"after\":" + FILE.formatted("file", "0644", 12) + "},"
            + "{\"change\":\"changed\",\"path\":\"/f\",\"fields\":[\"content\",\"mode\"],\"before\":" + FILE.formatted("file", "0644", 1) + ",\"after\":"
            + FILE.formatted("file", "0755", 2) + ",\"text\":\"@@ -1 +1 @@\\n-a\\n+b\\u001b\\n\"},"
            + "{\"change\":\"removed\",\"path\":\"/gone\",\"fields\":[],\"before\":" + FILE.formatted("fifo", "0644", 0) + "}],"
            + "\"packages\":[{\"manager\":\"dpkg\",\"name\":\"curl\",\"after\":\"8\"},{\"manager\":\"npm\",\"name\":\"left\",\"before\":\"1\",\"after\":\"2\"}],"
            + "\"processes\":[{\"change\":\"removed\",\"pid\":7,\"parent\":1,\"uid\":0,\"command\":\"old\"},"
            + "{\"change\":\"added\",\"pid\":7,\"parent\":1,\"uid\":1000,\"command\":\"\\u001b]0;new\\n\"}]}";

    @Test
    void filesPackagesAndProcessesAreLines() {
        daemon.on("GET /v1/diff?to=b&text=false&from=a", 200, DIFF);
        assertThat(console.run("diff", "a", "b", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("""
                + /d/
                + /d/n\\x1bew\\x0a   12 B
                ~ /f   1 B -> 2 B, 0644 -> 0755
                    @@ -1 +1 @@
                    -a
                    +b\\x1b
                - /gone   fifo
                + dpkg curl   8
                ~ npm left   1 -> 2
                - process 7 of user 0   old
                + process 7 of user 1000   \\x1b]0;new\\x0a
                2 added, 1 changed, 1 removed; there is more than is shown
                the processes of a are not known
                """);
        assertThat(console.terminals(1).run("diff", "a", "b")).isZero();
        assertThat(console.out).contains("\u001b[32m+ /d/\u001b[0m\n", "\u001b[31m- /gone\u001b[0m");
        assertThat(console.terminals().run("diff", "a", "b")).isZero();
        assertThat(console.out).startsWith("{\"from\":{\"kind\":\"snapshot\"");
    }

    @Test
    void oneAloneIsComparedWithWhatItGrewFrom() {
        daemon.on("GET /v1/diff?to=b&text=true&limit=5", 200, DIFF);
        assertThat(console.run("diff", "--text", "--limit", "5", "b")).isZero();
        assertThat(console.run("diff")).isEqualTo(2);
        assertThat(console.run("diff", "b", "--limit", "x")).isEqualTo(2);
    }
}
