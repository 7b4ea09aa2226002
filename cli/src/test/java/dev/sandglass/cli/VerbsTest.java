package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class VerbsTest extends VerbFixture {
    static final String SANDBOX = "{\"id\":\"sbx-aaaaaaaaaaaa\",\"name\":\"bra\\u001bve\",\"state\":\"running\",\"runtime\":\"gvisor\",\"security\":\"strict\",\"capabilities\":[],\"on_timeout\":\"kill\",\"auto_resume\":false,\"restart\":\"never\","
            + "\"memory_mb\":2048,\"cpus\":1.5,\"disk_mb\":10240,\"max_processes\":512,\"env\":{},\"labels\":{},\"credentials\":[],\"image\":\"i\","
            + "\"created_at\":\"2026-01-01T00:00:00Z\",\"warnings\":[\"only 2 CPUs here\"]}";
    private static final String ENTRY = "{\"name\":\"f\",\"path\":\"/f\",\"kind\":\"%s\",\"mode\":\"6755\",\"uid\":0,\"gid\":0,\"size\":5,\"modified_at\":\"2026-01-01T00:00:00Z\"}";

    @Test
    void everyVerbIsInTheHelp() {
        assertThat(console.run("--help")).isZero();
        for (String verb : "up down status doctor setup demo test create run exec shell attach ps kill logs files stats events stop start pause resume refresh update ls inspect cp rm snapshot fork race rewind tree history diff fleet version bench help".split(" ")) {
            assertThat(console.out).containsPattern("(?m)^  " + verb + " ");
        }
        assertThat(console.out.lines().filter(line -> line.startsWith("  "))).as("one column").allMatch(line -> line.substring(2, 16).matches("[a-z-]+ {2,}") && line.charAt(16) != ' ');
        for (String verb : Verbs.ALL) {
            assertThat(console.run((verb + " --help").split(" "))).isZero();
            assertThat(console.out).startsWith("Usage: sandglass " + verb);
        }
    }

    @Test
    void lsIsATableOnATerminalAndJsonInAPipe() {
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + SANDBOX + "]}");
        assertThat(console.terminals(1).run("ls")).isZero();
        assertThat(console.out).containsPattern("NAME +ID +STATE +RUNTIME +MEMORY +CPUS +AGE").contains("bra\\x1bve", "2 GB", "1.5");
        assertThat(console.terminals().run("list")).isZero();
        assertThat(console.out).startsWith("[{\"id\":\"sbx-aaaaaaaaaaaa\"").doesNotContain("\u001b");
        assertThat(console.run("ls", "-q")).isZero();
        assertThat(console.out).isEqualTo("sbx-aaaaaaaaaaaa\n");
    }

    @Test
    void lsShowsLabelsWhereThereAreAnyAndOnlyReasonsThatTellSomething() {
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + SANDBOX.replace("running\",", "stopped\",\"reason\":\"stop\",") + "]}");
        assertThat(console.terminals(1).run("ls")).isZero();
        assertThat(console.out).containsPattern(" stopped +gvisor").doesNotContain("LABELS");
        String other = SANDBOX.replace("running\",", "failed\",\"reason\":\"oom\",").replace("\"labels\":{}", "\"labels\":{\"b\":\"2\",\"a\":\"1\"}");
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + SANDBOX + "," + other + "]}");
        assertThat(console.run("ls")).isZero();
        assertThat(console.out).containsPattern("AGE +LABELS").containsPattern(" failed \\(oom\\) .* a=1,b=2\n");
    }

    @Test
    void lsFilters() {
        String other = SANDBOX.replace("aaaaaaaaaaaa", "bbbbbbbbbbbb").replace("\"labels\":{}", "\"labels\":{\"team\":\"a\"}");
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + SANDBOX + "," + other + "]}");
        for (String condition : new String[] {"label=team", "label=team=a"}) {
            assertThat(console.run("ls", "-q", "--filter", condition)).isZero();
            assertThat(console.out).isEqualTo("sbx-bbbbbbbbbbbb\n");
        }
        assertThat(console.run("ls", "-q", "--filter", "state=running", "--filter", "runtime=container")).isZero();
        assertThat(console.out).isEmpty();
        assertThat(console.run("ls", "--filter", "colour=red")).isEqualTo(2);
        assertThat(console.err).contains("filter: colour=red (expected: label=NAME");
        assertThat(console.run("ls", "--filter", "state=foo")).isEqualTo(2);
        assertThat(console.err).contains("filter: state=foo (expected: one of creating, running, ");
    }

    @Test
    void lsShowsTheNewestOfMany() {
        String other = SANDBOX.replace("aaaaaaaaaaaa", "bbbbbbbbbbbb");
        String third = SANDBOX.replace("aaaaaaaaaaaa", "cccccccccccc").replace("running", "destroyed");
        daemon.on("GET /v1/sandboxes?all=true", 200, "{\"sandboxes\":[" + SANDBOX + "," + other + "," + third + "]}");
        assertThat(console.run("ls", "-a", "-q", "-n", "2")).isZero();
        assertThat(console.out).isEqualTo("sbx-bbbbbbbbbbbb\nsbx-cccccccccccc\n");
        assertThat(console.run("ls", "-a", "-q", "--last", "1", "--filter", "state=running")).isZero();
        assertThat(console.out).isEqualTo("sbx-bbbbbbbbbbbb\n");
        assertThat(console.run("ls", "-a", "-q", "-n", "99999999999")).isZero();
        assertThat(console.out.lines()).hasSize(3);
        assertThat(console.run("ls", "-n", "0")).isEqualTo(2);
    }

    @Test
    void aCreateOnATerminalFollowsItsSteps() {
        String operation = "{\"id\":\"op-1\",\"kind\":\"create\",\"state\":\"%s\",\"progress\":0.5,\"steps\":[],\"started_at\":\"2026-01-01T00:00:00Z\"%s}";
        daemon.on("POST /v1/sandboxes?wait=false", 202, operation.formatted("running", ""));
        daemon.on("GET /v1/operations/op-1", 200, "event: operation\ndata: " + operation.formatted("running", ",\"step\":\"engine\"")
                + "\n\n: still here\n\nevent: operation\ndata: " + operation.formatted("succeeded", ",\"sandbox\":" + SANDBOX) + "\n\n");
        assertThat(console.terminals(2).run("create", "--wait")).isZero();
        assertThat(console.out).contains("sbx-aaaaaaaaaaaa");
        assertThat(console.run("create", "--no-wait", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("op-1   running\n");
        assertThat(console.run("create", "--no-wait", "--wait")).isEqualTo(2);
        daemon.on("GET /v1/operations/op-1", 200, "event: operation\ndata: "
                + operation.formatted("failed", ",\"error\":{\"code\":\"name_taken\",\"message\":\"m\",\"hint\":\"h\"}") + "\n\n");
        assertThat(console.run("create")).isEqualTo(4);
    }

    @Test
    void advicesAreForTheCommandLine() {
        daemon.on("GET /v1/sandboxes/x", 400, "{\"code\":\"invalid_request\",\"message\":\"m\",\"hint\":\"See /openapi.json for it.\"}");
        assertThat(console.run("inspect", "x")).isEqualTo(2);
        assertThat(console.err).contains("--help").doesNotContain("openapi");
        daemon.on("GET /v1/sandboxes/x", 401, "{\"code\":\"unauthorized\",\"message\":\"m\",\"hint\":\"Send the header Authorization.\"}");
        assertThat(console.run("inspect", "x")).isEqualTo(1);
        assertThat(console.err).contains("SANDGLASS_API_KEY");
        assertThat(console.run("update", "x")).isEqualTo(2);
        assertThat(console.run("logs", "x", "nonsense")).isEqualTo(2);
        assertThat(console.err).contains("a handle such as cmd-7");
    }

    @Test
    void whatTheDaemonRefusesIsToldInTheWordsOfTheVerb() {
        String see = "\",\"hint\":\"See /openapi.json for it.\"}";
        daemon.on("POST /v1/sandboxes", 400, "{\"code\":\"invalid_request\",\"message\":\"memory_mb: 1 (expected: >= 16)" + see);
        assertThat(console.run("create", "--memory", "1", "-o", "table")).isEqualTo(2);
        assertThat(console.err).isEqualTo("error: --memory: 1 (expected: >= 16)\nhint: Correct it; `sandglass create --help` tells what there is.\n");
        daemon.on("POST /v1/sandboxes", 400, "{\"code\":\"invalid_request\",\"message\":\"name: -x (expected: ^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$)" + see);
        assertThat(console.run("create", "--name=-x", "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: --name: -x (expected: 1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit)\n");
        daemon.on("POST /v1/sandboxes", 400, "{\"code\":\"invalid_request\",\"message\":\"labels: a b (expected: [A-Za-z0-9][A-Za-z0-9_./-]{0,62})" + see);
        assertThat(console.run("create", "--label", "a b=c", "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: --label: a b (expected: a name of 1 to 63 letters,");
        daemon.on("PATCH /v1/sandboxes/box", 400, "{\"code\":\"invalid_request\",\"message\":\"keep_checkpoints: 0 (expected: checkpoint_every beside it)" + see);
        assertThat(console.run("update", "box", "--keep", "3", "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: --keep: 0 (expected: --checkpoint-every beside it)\nhint: Correct it; `sandglass update --help`");
        daemon.on("POST /v1/sandboxes/box/rewind", 409, "{\"code\":\"conflict\",\"message\":\"m\",\"hint\":\"Take only the disk of the snapshot (disk_only), or raise `snapshot_quota_mb`.\"}");
        assertThat(console.run("rewind", "box", "s", "-o", "table")).isEqualTo(4);
        assertThat(console.err).endsWith("hint: Take only the disk of the snapshot (--disk-only), or raise `snapshot_quota_mb`.\n");
    }

    @Test
    void anUpdateSaysOnlyWhatChanges() {
        daemon.on("PATCH /v1/sandboxes/box", 200, SANDBOX);
        assertThat(console.run("update", "box", "-m", "2G", "--label", "a=b", "--remove-label", "old", "--timeout", "90s", "--hard-ttl", "0")).isZero();
        assertThat(daemon.asked.getLast()).contains("\"memory_mb\":2048", "\"timeout\":90", "\"hard_ttl\":0", "\"old\":null", "\"a\":\"b\"")
                .doesNotContain("cpus", "name");
        assertThat(console.run("update", "box", "--remove-label", "old")).isZero();
        assertThat(daemon.asked.getLast()).isEqualTo("PATCH /v1/sandboxes/box {\"labels\":{\"old\":null}}");
        assertThat(console.run("update", "box", "--remove-label", "o\"ld")).isEqualTo(2);
    }

    @Test
    void whatIsSetCanBeTakenBack() {
        daemon.on("PATCH /v1/sandboxes/box", 200, SANDBOX).on("POST /v1/sandboxes", 201, SANDBOX);
        assertThat(console.run("update", "box", "--no-auto-resume")).isZero();
        assertThat(daemon.asked.getLast()).isEqualTo("PATCH /v1/sandboxes/box {\"auto_resume\":false}");
        assertThat(console.run("create", "--no-auto-resume")).isZero();
        assertThat(daemon.asked.getLast()).isEqualTo("POST /v1/sandboxes {\"auto_resume\":false}");
        assertThat(console.run("update", "box", "--no-auto-resume", "--auto-resume")).isEqualTo(2);
    }

    @Test
    void yamlIsForProgramsToo() {
        daemon.on("GET /v1/sandboxes/box", 200, SANDBOX);
        assertThat(console.terminals(0, 1, 2).run("inspect", "box", "-o", "yaml")).isZero();
        assertThat(console.out).startsWith("id: sbx-aaaaaaaaaaaa\nname: \"bra\\u001Bve\"\nstate: running\n").contains("\nlabels: {}\n");
        assertThat(console.run("inspect", "none", "--format", "yaml")).isEqualTo(3);
        assertThat(console.err).startsWith("error:\n  code: sandbox_not_found\n  message: ");
    }

    @Test
    void variablesComeFromFilesAndThenFromOptions() throws IOException {
        daemon.on("POST /v1/sandboxes", 201, SANDBOX);
        Path file = Files.writeString(directory.resolve("env"), "# comment\n\nA=one two\nexport B=\"q\"\nSANDGLASS_API_KEY\nC=x\n");
        assertThat(console.run("create", "--env-file", file.toString(), "--env", "C=y")).isZero();
        assertThat(daemon.asked.get(0)).contains("\"env\":{\"A\":\"one two\",\"B\":\"\\\"q\\\"\",\"SANDGLASS_API_KEY\":\"token\",\"C\":\"y\"}");
        assertThat(console.run("create", "--env-file", "/nowhere")).isEqualTo(2);
        assertThat(console.err).contains("env-file: /nowhere (expected: a file that is there)");
        Files.writeString(file, "# first\n  export A=x\n\nB C=secret\n");
        assertThat(console.run("create", "--env-file", file.toString())).isEqualTo(2);
        assertThat(console.err).contains("env-file: " + file + ":4 begins with no name").doesNotContain("secret").doesNotContain("B C");
        Files.writeString(file, "NOT_HERE\n");
        assertThat(console.run("create", "--env-file", file.toString())).isEqualTo(2);
        assertThat(console.err).contains("env-file: " + file + ":1 has no value");
    }

    @Test
    void createSendsItsLimits() {
        daemon.on("POST /v1/sandboxes", 201, SANDBOX);
        assertThat(console.run("create", "--name", "n", "--memory", "2G", "--cpus", "1.5", "--env", "A=b", "--security", "standard", "-q")).isZero();
        assertThat(console.out).isEqualTo("sbx-aaaaaaaaaaaa\n");
        assertThat(console.err).isEqualTo("warning: only 2 CPUs here\n");
        assertThat(daemon.asked).containsExactly(
                "POST /v1/sandboxes {\"name\":\"n\",\"security\":\"standard\",\"memory_mb\":2048,\"cpus\":1.5,\"env\":{\"A\":\"b\"}}");
    }

    @Test
    void failuresHaveACodeAHintAndAnExitCode() {
        daemon.on("GET /v1/sandboxes/none", 404, "{\"code\":\"sandbox_not_found\",\"message\":\"none\",\"hint\":\"h\"}");
        daemon.on("POST /v1/sandboxes", 409, "{\"code\":\"name_taken\",\"message\":\"ta\\u001bken\",\"hint\":\"h\"}");
        daemon.on("GET /v1/status", 500, "<html>");
        assertThat(console.run("inspect", "none")).isEqualTo(3);
        assertThat(console.err).isEqualTo("{\"error\":{\"code\":\"sandbox_not_found\",\"message\":\"none\",\"hint\":\"h\"}}\n");
        assertThat(console.run("create", "-o", "table")).isEqualTo(4);
        assertThat(console.err).isEqualTo("error: ta\\x1bken\nhint: h\n");
        assertThat(console.run("status")).isEqualTo(1);
        assertThat(console.run("ls", "--nonsense")).isEqualTo(2);
        assertThat(console.run("nonsense")).isEqualTo(2);
        assertThat(console.run("inspect")).isEqualTo(2);
        assertThat(console.run("ls", "-o", "xml")).isEqualTo(2);
        assertThat(console.run("ls", "--url", "unix:///nowhere", "--format=table")).isEqualTo(1);
        assertThat(console.err).startsWith("error: The daemon does not answer at /nowhere\nhint: ");
    }

    @Test
    void rmGoesOnAfterAFailure() {
        daemon.on("DELETE /v1/sandboxes/a", 204, "").on("DELETE /v1/sandboxes/c", 204, "");
        assertThat(console.run("rm", "a", "b", "c")).isEqualTo(3);
        assertThat(console.out).isEqualTo("{\"removed\":[\"a\",\"c\"]}\n");
        assertThat(console.run("delete", "--force", "a", "b", "c")).isZero();
    }

    @Test
    void rmAllAsksOrIsForced() {
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + SANDBOX + "]}").on("DELETE /v1/sandboxes/", 204, "");
        assertThat(console.run("rm", "--all")).isEqualTo(2);
        assertThat(console.err).contains("This removes 1 sandbox (bra");
        assertThat(console.terminals(0, 1).input("n\n").run("rm", "--all")).isEqualTo(1);
        assertThat(daemon.asked).noneMatch(request -> request.startsWith("DELETE"));
        assertThat(console.err).startsWith("Remove 1 sandbox (bra\\x1bve)? [y/N] ");
        assertThat(console.input("y\n").run("rm", "--all")).isZero();
        assertThat(console.out).isEqualTo("bra\\x1bve\n");
        assertThat(console.terminals(0).input("y\n").run("rm", "--all")).isZero();
        assertThat(console.out).as("programs get ids").isEqualTo("{\"removed\":[\"sbx-aaaaaaaaaaaa\"]}\n");
        assertThat(console.run("rm", "--all", "box")).isEqualTo(2);
        assertThat(console.run("rm", "--filter", "label=none", "--force")).isZero();
        assertThat(daemon.asked).filteredOn(request -> request.startsWith("DELETE")).containsOnly("DELETE /v1/sandboxes/sbx-aaaaaaaaaaaa");
    }

    @Test
    void aFileIsCopiedInUnderItsNameWhereADirectoryIs() throws IOException {
        Path file = Files.writeString(directory.resolve("f"), "hello");
        daemon.on("GET /v1/sandboxes/box/files/stat?path=%2Fd", 200, ENTRY.formatted("directory"))
                .on("PUT /v1/sandboxes/box/files?", 200, ENTRY.formatted("file"));
        assertThat(console.run("cp", file.toString(), "box:/d")).as(console.err).isZero();
        assertThat(daemon.asked.get(1)).startsWith("PUT /v1/sandboxes/box/files?path=%2Fd%2Ff&mode=6").endsWith(" hello");
        assertThat(console.out).isEqualTo("{\"entries\":1,\"bytes\":5}\n");
    }

    @Test
    void aFileIsCopiedOutWithoutItsSetUidBits() throws IOException {
        daemon.on("GET /v1/sandboxes/box/files/stat", 200, ENTRY.formatted("file")).on("GET /v1/sandboxes/box/files?", 200, "hello");
        assertThat(console.run("cp", "box:/x/f", directory + "/new/")).as(console.err).isZero();
        assertThat(directory.resolve("new/f")).hasContent("hello");
        assertThat((int) Files.getAttribute(directory.resolve("new/f"), "unix:mode") & 07000).isZero();
        try (var left = Files.list(directory.resolve("new"))) {
            assertThat(left).hasSize(1);
        }
    }

    @Test
    void aDashIsStandardInputOrOutput() {
        daemon.on("GET /v1/sandboxes/box/files/stat", 200, ENTRY.formatted("file")).on("GET /v1/sandboxes/box/files?", 200, "hello")
                .on("PUT /v1/sandboxes/box/files?", 200, ENTRY.formatted("file"));
        assertThat(console.run("cp", "box:/f", "-")).as(console.err).isZero();
        assertThat(console.out).isEqualTo("hello");
        assertThat(console.input("typed").run("cp", "-", "box:/f")).as(console.err).isZero();
        assertThat(daemon.asked).last().asString().endsWith(" typed");
    }

    @Test
    void aFailedCopyLeavesWhatWasThere() throws IOException {
        Path mine = Files.writeString(directory.resolve("mine"), "mine");
        daemon.on("GET /v1/sandboxes/box/files/stat", 200, ENTRY.formatted("file"))
                .on("GET /v1/sandboxes/box/files?", 422, "{\"code\":\"permission_denied\",\"message\":\"m\",\"hint\":\"h\"}");
        assertThat(console.run("cp", "box:/f", mine.toString())).isEqualTo(1);
        assertThat(mine).hasContent("mine");
        assertThat(console.run("cp", "a", "b")).isEqualTo(2);
        assertThat(console.run("cp", "a:b", "c:d")).isEqualTo(2);
        assertThat(console.run("cp", "/no/such/file", "box:/x")).isEqualTo(3);
    }
}
