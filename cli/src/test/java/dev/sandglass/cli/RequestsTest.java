package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every option of the verbs that make and change things is sent as the JSON that it should be. */
@Timeout(60)
final class RequestsTest extends VerbFixture {
    private static final String COMMAND =
            "{\"id\":\"cmd-7\",\"argv\":[\"x\"],\"pty\":false,\"state\":\"running\",\"pid\":5,\"started_at\":\"2026-01-01T00:00:00Z\"}";
    /** Those of all verbs, which say where and how, and not what. */
    private static final Set<String> OF_ALL_VERBS = Set.of("--output", "--url", "--token-file", "--data-dir", "--help");

    private static final Map<String, String> LIFETIME = Map.of(
            "--timeout 90m", "{\"timeout\":5400}",
            "--on-timeout pause", "{\"on_timeout\":\"pause\"}",
            "--ttl 60", "{\"ttl\":60}",
            "--hard-ttl 2h", "{\"hard_ttl\":7200}",
            "--auto-resume", "{\"auto_resume\":true}",
            "--no-auto-resume", "{\"auto_resume\":false}",
            "--checkpoint-every 10m", "{\"checkpoint_every\":600}",
            "--keep 3", "{\"keep_checkpoints\":3}",
            "--restart from-checkpoint", "{\"restart\":\"from-checkpoint\"}");

    @Test
    void create() throws IOException {
        String file = Files.writeString(directory.resolve("env"), "A=b\n").toString();
        String operation = "{\"id\":\"op-1\",\"kind\":\"create\",\"state\":\"succeeded\",\"progress\":1,\"steps\":[],\"started_at\":\"2026-01-01T00:00:00Z\",\"sandbox\":"
                + VerbsTest.SANDBOX + "}";
        daemon.on("POST /v1/sandboxes", 201, VerbsTest.SANDBOX).on("POST /v1/sandboxes?", 201, operation);
        Set<String> seen = new HashSet<>();
        sends(seen, "create", LIFETIME, "POST /v1/sandboxes ");
        sends(seen, "create", Map.ofEntries(
                Map.entry("--name n", "{\"name\":\"n\"}"),
                Map.entry("--from s", "{\"from\":\"s\"}"),
                Map.entry("--template t", "{\"template\":\"t\"}"),
                Map.entry("--image i", "{\"image\":\"i\"}"),
                Map.entry("--user dev", "{\"user\":\"dev\"}"),
                Map.entry("--workdir /srv", "{\"workdir\":\"/srv\"}"),
                Map.entry("--from s --disk-only", "{\"from\":\"s\",\"disk_only\":true}"),
                Map.entry("--runtime gvisor", "{\"runtime\":\"gvisor\"}"),
                Map.entry("--memory 2G", "{\"memory_mb\":2048}"),
                Map.entry("--cpus 0.5", "{\"cpus\":0.5}"),
                Map.entry("--disk 512M", "{\"disk_mb\":512}"),
                Map.entry("--processes 99", "{\"max_processes\":99}"),
                Map.entry("--label b=2 --label a=1", "{\"labels\":{\"b\":\"2\",\"a\":\"1\"}}"),
                Map.entry("--security standard", "{\"security\":\"standard\"}"),
                Map.entry("--cap-add NET_RAW --cap-add KILL", "{\"cap_add\":[\"NET_RAW\",\"KILL\"]}"),
                Map.entry("--cap-drop ALL", "{\"cap_drop\":[\"ALL\"]}"),
                Map.entry("--network open", "{\"network\":{\"preset\":\"open\"}}"),
                Map.entry("--allow a.example:443 --allow b.example", "{\"network\":{\"rules\":[\"allow a.example:443\",\"allow b.example\"]}}"),
                Map.entry("--credential a --credential b", "{\"credentials\":[\"a\",\"b\"]}"),
                Map.entry("--volume a:/a --volume b:/b:ro", "{\"volumes\":[{\"volume\":\"a\",\"path\":\"/a\"},{\"volume\":\"b\",\"path\":\"/b\",\"mode\":\"ro\"}]}"),
                Map.entry("--from s --volumes none", "{\"from\":\"s\",\"volumes_from\":\"none\"}"),
                Map.entry("--env Z=1 --env A=2", "{\"env\":{\"Z\":\"1\",\"A\":\"2\"}}"),
                Map.entry("--env-file " + file, "{\"env\":{\"A\":\"b\"}}"),
                Map.entry("--linger", "{\"linger\":true}"),
                Map.entry("--wait", "{}"),
                Map.entry("--quiet", "{}")), "POST /v1/sandboxes ");
        sends(seen, "create", Map.of("--trace", "{}"), "POST /v1/sandboxes?trace=true ");
        sends(seen, "create", Map.of("--no-wait", "{}"), "POST /v1/sandboxes?wait=false ");
        assertAllSeen("create", seen);
    }

    @Test
    void update() {
        daemon.on("PATCH /v1/sandboxes/box", 200, VerbsTest.SANDBOX);
        Set<String> seen = new HashSet<>();
        sends(seen, "update box", LIFETIME, "PATCH /v1/sandboxes/box ");
        sends(seen, "update box", Map.of(
                "--name n", "{\"name\":\"n\"}",
                "--memory 2G", "{\"memory_mb\":2048}",
                "--cpus 2", "{\"cpus\":2.0}",
                "--disk 20G", "{\"disk_mb\":20480}",
                "--processes 99", "{\"max_processes\":99}",
                "--label a=1", "{\"labels\":{\"a\":\"1\"}}",
                "--remove-label a", "{\"labels\":{\"a\":null}}"), "PATCH /v1/sandboxes/box ");
        assertAllSeen("update", seen);
    }

    @Test
    void exec() throws IOException {
        String file = Files.writeString(directory.resolve("env"), "A=b\n").toString();
        daemon.on("POST /v1/sandboxes/box/commands", 201, COMMAND).onAttach("GET /v1/sandboxes/box/commands/cmd-7/attach?offset=", socket -> socket.exit(0, ""));
        String plain = ",\"stdin\":true,\"hold\":true}";
        Set<String> seen = new HashSet<>();
        console.with("TERM", "vt100");
        sends(seen, "exec", Map.ofEntries(
                Map.entry("--timeout 500ms box a b", "{\"argv\":[\"a\",\"b\"],\"stdin\":true,\"hold\":true,\"timeout_ms\":500}"),
                Map.entry("--workdir /tmp box a b", "{\"argv\":[\"a\",\"b\"],\"cwd\":\"/tmp\"" + plain),
                Map.entry("--env Z=1 --env A=2 box a b", "{\"argv\":[\"a\",\"b\"],\"env\":{\"Z\":\"1\",\"A\":\"2\"}" + plain),
                Map.entry("--env-file " + file + " box a b", "{\"argv\":[\"a\",\"b\"],\"env\":{\"A\":\"b\"}" + plain),
                Map.entry("--user user:video box a b", "{\"argv\":[\"a\",\"b\"],\"user\":\"user:video\"" + plain),
                Map.entry("--tty box a b", "{\"argv\":[\"a\",\"b\"],\"env\":{\"TERM\":\"vt100\"},\"pty\":{\"cols\":80,\"rows\":24}" + plain),
                Map.entry("--no-tty box a b", "{\"argv\":[\"a\",\"b\"]" + plain),
                Map.entry("--interactive box a b", "{\"argv\":[\"a\",\"b\"]" + plain),
                Map.entry("--no-stdin box a b", "{\"argv\":[\"a\",\"b\"],\"stdin\":false,\"hold\":true}"),
                Map.entry("--detach box a b", "{\"argv\":[\"a\",\"b\"],\"stdin\":false,\"hold\":false}")), "POST /v1/sandboxes/box/commands ");
        assertAllSeen("exec", seen);
    }

    @Test
    void fork() {
        daemon.on("POST /v1/sandboxes/box/fork", 201, "{\"sandboxes\":[" + VerbsTest.SANDBOX + "],\"pause_ms\":1}");
        Set<String> seen = new HashSet<>();
        sends(seen, "fork box", Map.of(
                "--count 3", "{\"count\":3}",
                "--name n", "{\"name\":\"n\"}",
                "--memory 2G", "{\"memory_mb\":2048}",
                "--cpus 0.5", "{\"cpus\":0.5}",
                "--env Z=1 --env A=2", "{\"env\":{\"Z\":\"1\",\"A\":\"2\"}}",
                "--label a=1", "{\"labels\":{\"a\":\"1\"}}",
                "--timeout 2h", "{\"timeout\":7200}",
                "--disk-only", "{\"disk_only\":true}",
                "--quiet", "{}"), "POST /v1/sandboxes/box/fork ");
        sends(seen, "fork box", Map.of(
                "--volume a:/a:shared", "{\"volumes\":[{\"volume\":\"a\",\"path\":\"/a\",\"mode\":\"shared\"}]}",
                "--volumes share", "{\"volumes_from\":\"share\"}"), "POST /v1/sandboxes/box/fork ");
        assertAllSeen("fork", seen);
    }

    @Test
    void snapshotCreate() {
        daemon.on("POST /v1/sandboxes/box/snapshots", 201, SnapshotVerbsTest.SNAPSHOT)
                .on("POST /v1/snapshots/snap-aaaaaaaaaaaa/archive", 201, "{\"path\":\"/data/raw1.sgs\",\"bytes\":2048}");
        Set<String> seen = new HashSet<>();
        sends(seen, "snapshot create box", Map.of(
                "--name n", "{\"name\":\"n\"}",
                "--description text", "{\"description\":\"text\"}",
                "--label a=1", "{\"labels\":{\"a\":\"1\"}}",
                "--expires 7d", "{\"expires\":604800}",
                "--disk-only", "{\"disk_only\":true}",
                "--archive", "{}",
                "--quiet", "{}"), "POST /v1/sandboxes/box/snapshots ");
        assertThat(console.run("snapshot", "create", "box", "--archive")).isZero();
        assertThat(daemon.asked).contains("POST /v1/snapshots/snap-aaaaaaaaaaaa/archive?thin=false");
        assertAllSeen("snapshot create", seen);
    }

    @Test
    void credentialCreate() throws IOException {
        String file = Files.writeString(directory.resolve("secret"), "of-file\r\n").toString();
        daemon.on("POST /v1/credentials", 201, CredentialVerbsTest.CREDENTIAL);
        console.with("KEY", "of-env").input("of-stdin\n");
        Set<String> seen = new HashSet<>();
        String plain = "{\"name\":\"key\",\"value\":\"of-env\"";
        sends(seen, "credential create key", Map.of(
                "--value-stdin", "{\"name\":\"key\",\"value\":\"of-stdin\"}",
                "--from-file " + file, "{\"name\":\"key\",\"value\":\"of-file\"}",
                "--from-env KEY", plain + "}"), "POST /v1/credentials ");
        sends(seen, "credential create key --from-env KEY", Map.ofEntries(
                Map.entry("--host *.example.org", plain + ",\"host\":\"*.example.org\"}"),
                Map.entry("--port 8443", plain + ",\"port\":8443}"),
                Map.entry("--path /v1/* --path /v2", plain + ",\"paths\":[\"/v1/*\",\"/v2\"]}"),
                Map.entry("--method GET --method POST", plain + ",\"methods\":[\"GET\",\"POST\"]}"),
                Map.entry("--kind header --header X-Api-Key", plain + ",\"kind\":\"header\",\"header\":\"X-Api-Key\"}"),
                Map.entry("--user somebody", plain + ",\"user\":\"somebody\"}"),
                Map.entry("--parameter key", plain + ",\"parameter\":\"key\"}"),
                Map.entry("--placeholder PLACEHOLDER", plain + ",\"placeholder\":\"PLACEHOLDER\"}"),
                Map.entry("--plain-http", plain + ",\"plain_http\":true}"),
                Map.entry("--preset generic", plain + ",\"preset\":\"generic\"}"),
                Map.entry("--base-url https://models.example.org", plain + ",\"base_url\":\"https://models.example.org\"}"),
                Map.entry("--max-requests 5 --max-tokens 6", plain + ",\"budget\":{\"requests\":5,\"tokens\":6}}")), "POST /v1/credentials ");
        assertAllSeen("credential create", seen);
    }

    @Test
    void serviceCreate() throws IOException {
        String file = Files.writeString(directory.resolve("env"), "A=b\n").toString();
        daemon.on("POST /v1/sandboxes/box/services", 201, ServiceVerbsTest.SERVICE);
        String plain = "{\"name\":\"web\",\"argv\":[\"a\",\"-b\"]";
        Set<String> seen = new HashSet<>();
        sends(seen, "service create", Map.ofEntries(
                Map.entry("box web a -b", plain + "}"),
                Map.entry("--workdir /srv box web a -b", plain + ",\"cwd\":\"/srv\"}"),
                Map.entry("--env Z=1 --env A=2 box web a -b", plain + ",\"env\":{\"Z\":\"1\",\"A\":\"2\"}}"),
                Map.entry("--env-file " + file + " box web a -b", plain + ",\"env\":{\"A\":\"b\"}}"),
                Map.entry("--user user:video box web a -b", plain + ",\"user\":\"user:video\"}"),
                Map.entry("--port 8080 box web a -b", plain + ",\"port\":8080}"),
                Map.entry("--restart always box web a -b", plain + ",\"restart\":\"always\"}"),
                Map.entry("--max-restarts 5 box web a -b", plain + ",\"max_restarts\":5}"),
                Map.entry("--backoff 250ms box web a -b", plain + ",\"backoff_ms\":250}"),
                Map.entry("--health-command true box web a -b", plain + ",\"health\":{\"command\":\"true\"}}"),
                Map.entry("--health-path /up --health-interval 1 box web a -b", plain + ",\"health\":{\"path\":\"/up\",\"interval_ms\":1000}}"),
                Map.entry("--health-tcp --health-timeout 2 --health-retries 4 box web a -b", plain + ",\"health\":{\"tcp\":true,\"timeout_ms\":2000,\"retries\":4}}"),
                Map.entry("--after db --after cache box web a -b", plain + ",\"after\":[\"db\",\"cache\"]}"),
                Map.entry("--description text box web a -b", "{\"name\":\"web\",\"argv\":[\"a\",\"-b\"],\"description\":\"text\"}"),
                Map.entry("--no-start box web a -b", plain + ",\"start\":false}"),
                Map.entry("--replace box web a -b", plain + ",\"replace\":true}")), "POST /v1/sandboxes/box/services ");
        assertAllSeen("service create", seen);
    }

    @Test
    void routeCreate() throws IOException {
        String file = Files.writeString(directory.resolve("secret"), "of-file\n").toString();
        daemon.on("POST /v1/sandboxes/box/routes", 201, RouteVerbsTest.ROUTE);
        console.with("KEY", "of-env").input("of-stdin\n");
        Set<String> seen = new HashSet<>();
        String plain = "{\"name\":\"web\",\"port\":80";
        sends(seen, "route create box web", Map.of("--port 80", plain + "}"), "POST /v1/sandboxes/box/routes ");
        sends(seen, "route create box web --port 80", Map.ofEntries(
                Map.entry("--public", plain + ",\"access\":\"public\"}"),
                Map.entry("--auth bearer", plain + ",\"auth\":\"bearer\"}"),
                Map.entry("--auth header:X-Key", plain + ",\"auth\":\"header\",\"header\":\"X-Key\"}"),
                Map.entry("--secret-stdin", plain + ",\"secret\":\"of-stdin\"}"),
                Map.entry("--secret-file " + file, plain + ",\"secret\":\"of-file\"}"),
                Map.entry("--secret-env KEY", plain + ",\"secret\":\"of-env\"}"),
                Map.entry("--method GET --method POST", plain + ",\"methods\":[\"GET\",\"POST\"]}"),
                Map.entry("--path-prefix /api --rewrite /", plain + ",\"path_prefix\":\"/api\",\"rewrite\":\"/\"}"),
                Map.entry("--cors-origin * --cors-method GET --cors-header X-One", plain + ",\"cors\":{\"origins\":[\"*\"],\"methods\":[\"GET\"],\"headers\":[\"X-One\"]}}"),
                Map.entry("--cors-origin https://a.example.org --cors-credentials", plain + ",\"cors\":{\"origins\":[\"https://a.example.org\"],\"credentials\":true}}"),
                Map.entry("--rate 5 --burst 9", plain + ",\"rate\":{\"per_second\":5,\"burst\":9}}"),
                Map.entry("--timeout 2m", plain + ",\"timeout\":120}"),
                Map.entry("--resume", plain + ",\"resume\":true}"),
                Map.entry("--no-forwarded", plain + ",\"forwarded\":false}"),
                Map.entry("--no-websocket", plain + ",\"websocket\":false}")), "POST /v1/sandboxes/box/routes ");
        assertAllSeen("route create", seen);
    }

    /** Each line of options, by itself, is the body of a request that begins like this. */
    private void sends(Set<String> seen, String verb, Map<String, String> bodies, String request) {
        bodies.forEach((options, body) -> {
            daemon.asked.clear();
            List<String> words = new ArrayList<>(Arrays.asList((verb + " " + options).split(" ")));
            assertThat(console.run(words.toArray(String[]::new))).as("%s: %s", words, console.err).isZero();
            assertThat(daemon.asked.getFirst()).as(options).isEqualTo(request + body);
            Arrays.stream(options.split(" ")).filter(word -> word.startsWith("--")).forEach(seen::add);
        });
    }

    private static void assertAllSeen(String verb, Set<String> seen) {
        CommandSpec spec = Objects.requireNonNull(Verbs.of(verb)).syntax.spec();
        assertThat(spec.options().stream().map(OptionSpec::longestName).filter(option -> !OF_ALL_VERBS.contains(option))).containsExactlyInAnyOrderElementsOf(seen);
    }
}
