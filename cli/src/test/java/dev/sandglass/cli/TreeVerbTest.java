package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TreeVerbTest extends VerbFixture {
    private static final String SNAPSHOT = "{\"id\":\"snap-%s\",%s\"kind\":\"full\",\"purpose\":\"kept\",\"state\":\"%s\",\"sandbox_id\":\"sbx-aaaaaaaaaaaa\",\"sandbox_name\":\"bra\\u001bve\","
            + "\"runtime\":\"gvisor\",\"image\":\"i\",\"own_bytes\":2048,\"total_bytes\":4096,\"memory_bytes\":1048576,\"pause_ms\":1.5,\"description\":\"\","
            + "\"labels\":{},\"created_at\":\"2026-01-01T00:00:0%dZ\"}";
    private static final String ROOT = SNAPSHOT.formatted("rrrrrrrrrrrr", "\"name\":\"root\",", "deleted", 1);
    private static final String BRANCH = SNAPSHOT.formatted("bbbbbbbbbbbb", "\"name\":\"branch\",\"parent\":\"snap-rrrrrrrrrrrr\",", "ready", 2);
    private static final String OTHER = SNAPSHOT.formatted("oooooooooooo", "\"parent\":\"snap-rrrrrrrrrrrr\",", "ready", 3);
    private static final String ON_BRANCH = VerbsTest.SANDBOX.replace("\"image\":\"i\"", "\"image\":\"i\",\"snapshot\":\"snap-bbbbbbbbbbbb\"");

    @Test
    void theTreeIsDrawn() {
        daemon.on("GET /v1/tree", 200, "{\"snapshots\":[" + ROOT + "," + BRANCH + "," + OTHER + "],\"sandboxes\":[" + ON_BRANCH + "," + VerbsTest.SANDBOX + "]}");
        assertThat(console.run("tree", "-o", "table")).isZero();
        assertThat(console.out.lines().map(line -> line.replaceAll("  +", "  ").replaceAll("\\d+d$", "AGE"))).containsExactly(
                "image i",
                "├─ ● bra\\x1bve  sbx-aaaaaaaaaaaa  running  AGE",
                "└─ root (deleted)  snap-rrrrrrrrrrrr  full  AGE",
                "  ├─ branch  snap-bbbbbbbbbbbb  full  2 KB + 1 MB  AGE",
                "  │  └─ ● bra\\x1bve  sbx-aaaaaaaaaaaa  running  AGE",
                "  └─ snapshot  snap-oooooooooooo  full  2 KB + 1 MB  AGE");
        assertThat(console.terminals(1).run("tree")).isZero();
        assertThat(console.out).contains("\u001b[1mbranch\u001b[0m", "\u001b[32m● bra\\x1bve\u001b[0m");
        assertThat(console.terminals().run("tree")).isZero();
        assertThat(console.out).startsWith("{\"snapshots\":[{\"id\":\"snap-rrrrrrrrrrrr\"");
    }

    @Test
    void whatWasTakenInPassingIsToldByWhatItWasForAndFolded() {
        String chain = passing("111111111111", "\"parent\":\"snap-bbbbbbbbbbbb\",", "fork", 3) + "," + passing("222222222222", "\"parent\":\"snap-111111111111\",", "pause", 4) + ","
                + passing("333333333333", "\"parent\":\"snap-222222222222\",", "checkpoint", 5) + ","
                + SNAPSHOT.formatted("oooooooooooo", "\"parent\":\"snap-333333333333\",", "ready", 6).replace("\"kept\"", "\"rewind\"");
        String alone = passing("444444444444", "\"parent\":\"snap-bbbbbbbbbbbb\",", "pause", 7);
        String child = VerbsTest.SANDBOX.replace("\"image\":\"i\"", "\"image\":\"i\",\"snapshot\":\"snap-444444444444\"");
        daemon.on("GET /v1/tree", 200, "{\"snapshots\":[" + BRANCH + "," + chain + "," + alone + "],\"sandboxes\":[" + child + "]}");
        assertThat(console.run("tree", "-o", "table")).isZero();
        assertThat(console.out.lines().map(line -> line.replaceAll("  +", "  ").replaceAll("\\d+d$", "AGE"))).containsExactly(
                "image i",
                "└─ branch  snap-bbbbbbbbbbbb  full  2 KB + 1 MB  AGE",
                "  ├─ checkpoint of bra\\x1bve, and 2 before  snap-333333333333  full  AGE",
                "  │  └─ rewind of bra\\x1bve  snap-oooooooooooo  full  2 KB + 1 MB  AGE",
                "  └─ pause of bra\\x1bve  snap-444444444444  full  AGE",
                "  └─ ● bra\\x1bve  sbx-aaaaaaaaaaaa  running  AGE");
    }

    private static String passing(String id, String parent, String purpose, int second) {
        return SNAPSHOT.formatted(id, parent, "deleted", second).replace("\"kept\"", "\"" + purpose + "\"");
    }

    @Test
    void aLongLineIsDrawnToo() {
        StringBuilder line = new StringBuilder(SNAPSHOT.formatted("000000000000", "", "ready", 1));
        for (int i = 1; i < 2000; i++) {
            line.append(',').append(SNAPSHOT.formatted("%012d".formatted(i), "\"parent\":\"snap-%012d\",".formatted(i - 1), "ready", 1));
        }
        daemon.on("GET /v1/tree", 200, "{\"snapshots\":[" + line + "],\"sandboxes\":[]}");
        assertThat(console.run("tree", "-o", "table")).isZero();
        assertThat(console.out.lines()).hasSize(2001);
    }

    @Test
    void theHistoryIsALine() {
        daemon.on("GET /v1/sandboxes/brave/history", 200, "{\"sandbox\":" + ON_BRANCH + ",\"steps\":["
                + "{\"what\":\"began\",\"sandbox_id\":\"sbx-1\",\"sandbox_name\":\"older\"},"
                + "{\"what\":\"taken\",\"at\":\"2026-01-01T00:00:00Z\",\"sandbox_id\":\"sbx-1\",\"sandbox_name\":\"older\",\"snapshot\":" + ROOT + "},"
                + "{\"what\":\"began\",\"at\":\"2026-01-01T00:00:00Z\",\"sandbox_id\":\"sbx-2\",\"sandbox_name\":\"brave\",\"snapshot\":" + ROOT + "}]}");
        assertThat(console.run("history", "brave", "-o", "table")).isZero();
        assertThat(console.out.lines().map(row -> row.replaceAll("  +", "  ").replaceAll("^\\d+d", "AGE").strip())).containsExactly(
                "AGE  SANDBOX  WHAT  SNAPSHOT  ID  SIZE",
                "older  began with image i",
                "AGE  older  was captured as  root (deleted)  snap-rrrrrrrrrrrr  1 MB",
                "AGE  brave  went on from  root (deleted)  snap-rrrrrrrrrrrr",
                "now  bra\\x1bve  is running");
    }
}
