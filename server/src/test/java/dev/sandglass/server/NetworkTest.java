package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.network.egress.SmallInternet;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;
import dev.sandglass.wire.RotateCredential;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sandboxes reach what their policy allows in a small internet, and nothing else, whatever becomes of them. */
@OnEveryRuntime
class NetworkTest {
    private static final String ADDRESS = "203.0.113.10";
    /** Says a word to whoever is at a place, and what comes back. */
    private static final String CALL = """
            python3 -c 'import socket, sys
            try:
                s = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=30); s.sendall(b"word"); s.shutdown(1); print(s.recv(99).decode())
            except socket.gaierror: print("unknown")
            except OSError as e: print("no network" if e.errno in (101, 113) else "refused")' \
            """;

    private static SmallInternet internet;
    /** As the host's owner would write it. */
    private static Path npmrc;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    NetworkTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        internet = new SmallInternet();
        internet.name("api.example.org", ADDRESS);
        internet.name("other.example.org", "203.0.113.11");
        internet.name("inward.example.org", "10.0.0.1");
        internet.echo(ADDRESS, 7, "");
        internet.http(ADDRESS, 80);
        internet.https(ADDRESS, 443, "api.example.org");
        internet.echo("203.0.113.11", 7, "");
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        npmrc = Files.createTempFile("sandglass", ".npmrc");
        daemon.with("NPM_CONFIG_USERCONFIG", npmrc.toString()).within(internet.outside()).start();
    }

    @AfterAll
    static void close() throws IOException, InterruptedException {
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        Files.delete(npmrc);
        daemon.without("NPM_CONFIG_USERCONFIG").outOfIt().start();
        internet.close();
    }

    private TestSandbox allowed(String... rules) {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network(null, rules));
    }

    private static String call(TestSandbox box, String host) {
        return box.output(CALL + host + " 7");
    }

    @Test
    void whatIsAllowedIsReachedAndNothingElse() {
        long before = internet.questions().stream().filter("other.example.org"::equals).count();
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            assertThat(call(box, "api.example.org")).isEqualTo("word");
            assertThat(call(box, "other.example.org")).isEqualTo("unknown");
            assertThat(call(box, "203.0.113.11")).isEqualTo("refused");
            assertThat(call(box, "10.0.0.1")).isEqualTo("refused");
            assertThat(box.info().network()).isEqualTo(new NetworkPolicy(null, List.of("allow api.example.org:7"), "deny"));
        }
        assertThat(internet.questions().stream().filter("other.example.org"::equals).count()).as("questions for a name that is not allowed").isEqualTo(before);
    }

    @Test
    void registriesAreThoseOfTheHostsOwnConfiguration() throws IOException {
        Files.writeString(npmrc, "registry=http://api.example.org:7/npm/\n");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("package-registries"))) {
            assertThat(call(box, "api.example.org")).isEqualTo("word");
            assertThat(call(box, "other.example.org")).isEqualTo("unknown");
            assertThat(call(box, "203.0.113.11")).isEqualTo("refused");
            assertThat(box.output(CALL + "api.example.org 8")).as("another port").isEqualTo("refused");
            Files.writeString(npmrc, "registry=http://other.example.org:7/\n");
            daemon.caller().put(box.path() + "/policy", new NetworkPolicy(null, List.of("allow @npm"), null)).as(NetworkPolicy.class);
            assertThat(call(box, "other.example.org")).isEqualTo("word");
            assertThat(call(box, "api.example.org")).isEqualTo("unknown");
        }
    }

    @Test
    void everyAttemptIsLoggedWithWhatOpensIt() {
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            call(box, "api.example.org");
            call(box, "other.example.org");
            call(box, "203.0.113.11");
            List<NetworkAttempt> denied = attempts(box, "deny");
            assertThat(denied).extracting(NetworkAttempt::allow).containsExactly("other.example.org", "203.0.113.11:7");
            await().until(() -> !attempts(box, "allow").isEmpty()); // it is told of when it is over
            NetworkAttempt went = attempts(box, "allow").getFirst();
            assertThat(List.of(String.valueOf(went.name()), String.valueOf(went.address()), String.valueOf(went.port()), went.why()))
                    .containsExactly("api.example.org", ADDRESS, "7", "allow api.example.org:7");
            assertThat(List.of(went.sent(), went.received())).containsExactly(4L, 4L);

            String opening = String.valueOf(denied.getLast().allow());
            assertThat(daemon.caller().post(box.path() + "/policy/rules", new PolicyRule("allow " + opening)).status()).isEqualTo(200);
            assertThat(call(box, "203.0.113.11")).isEqualTo("word");
            await().until(() -> attempts(box, "allow").size() == 2);
        }
    }

    /** By its own programs, which trust the gateway for that: as it is, as a copy with memory whose processes trusted it before, and as one that begins anew. */
    @Test
    void requestsInsideOfTlsAreJudgedOneByOne() {
        try (TestSandbox box = allowed("allow api.example.org:443 GET /v1/*", "allow api.example.org:443 POST /upload")) {
            judgesRequests(box);
            assertThat(box.output("echo word | curl -sS --http2 -X POST -T - https://api.example.org/upload")).as("a body of unknown length").contains("body=word");
            assertThat(box.output("python3 -c 'import urllib.request as u; print(u.urlopen(\"https://api.example.org/v1/python\").read().decode())'")).startsWith("GET /v1/python of api.example.org");
            NetworkAttempt refused = attempts(box, "deny").getFirst();
            assertThat(List.of(String.valueOf(refused.method()), String.valueOf(refused.path()), String.valueOf(refused.status()))).containsExactly("POST", "/v1/models", "403");
            Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, null)).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                judgesRequests(copy);
            }
            box.pause(true);
            box.resume(false);
            judgesRequests(box);
        }
    }

    private static void judgesRequests(TestSandbox box) {
        assertThat(box.output("curl -sS https://api.example.org/v1/models?a=%2Fb")).isEqualTo("GET /v1/models?a=%2Fb of api.example.org body= authorization=null");
        assertThat(box.output("curl -sS -d word https://api.example.org/v1/models")).contains("network_denied").contains("policy allow");
        assertThat(box.output("curl -sS https://api.example.org/v2")).contains("network_denied");
        assertThat(box.output("curl -sS -H 'Host: other.example.org' https://api.example.org/v1/models")).as("another name beside").doesNotContain("of other");
        assertThat(box.output("curl -sS --http2 -o /dev/null -w %{http_version} https://api.example.org/v1/models")).isEqualTo("2");
    }

    /** It uses what it cannot print: its requests get the value on their way, at that destination alone, and the next request after a rotation gets the next one. */
    @Test
    void aCredentialIsAddedToRequestsAndNeverSeenInside() throws IOException {
        String name = "key-" + runtime;
        String value = "s3cret-" + runtime;
        daemon.caller().post("/v1/credentials", new CreateCredential(name, value, null, null, null, null, null, "api.example.org", null, List.of("/v1/*"), null, null, null, null, null));
        try (TestSandbox box = allowed("allow api.example.org")) {
            String ask = "curl -sS -H 'Authorization: Bearer placeholder' ";
            assertThat(box.output(ask + "-k https://api.example.org/v1/a")).as("before it is granted, past the gateway").contains("authorization=Bearer placeholder");
            daemon.caller().good(daemon.caller().send("PUT", box.path() + "/credentials/" + name, "", BodyPublishers.noBody()));
            assertThat(box.output(ask + "https://api.example.org/v1/a")).contains("authorization=Bearer " + value);
            assertThat(box.output(ask + "https://api.example.org/v2/a")).contains("authorization=Bearer placeholder");
            assertThat(box.output(ask + "http://api.example.org/v1/a")).as("without TLS").contains("authorization=Bearer placeholder");
            daemon.caller().post("/v1/credentials/" + name + "/rotate", new RotateCredential("rotated"));
            assertThat(box.output(ask + "https://api.example.org/v1/a")).contains("authorization=Bearer rotated");
            assertThat(box.output("env; grep -rs " + value + " /etc /run /workspace /root; cat /proc/*/environ | tr '\\0' '\\n'; true")).doesNotContain(value);
            assertThat(daemon.caller().get(box.path() + "/policy/log").text()).contains("/v1/a").doesNotContain(value);
            assertThat(Files.readString(daemon.log())).doesNotContain(value);
            daemon.caller().delete(box.path() + "/credentials/" + name);
            assertThat(box.output(ask + "-k https://api.example.org/v1/a")).as("after it is taken away").contains("authorization=Bearer placeholder");
        } finally {
            daemon.caller().delete("/v1/credentials/" + name);
        }
    }

    @Test
    void twoSandboxesTrustTwoAuthorities() {
        try (TestSandbox one = allowed("allow api.example.org");
                TestSandbox two = allowed("allow api.example.org")) {
            String show = "cat /usr/local/share/ca-certificates/sandglass-gateway.crt";
            assertThat(one.output(show)).startsWith("-----BEGIN CERTIFICATE").isNotEqualTo(two.output(show));
        }
    }

    private List<NetworkAttempt> attempts(TestSandbox box, String verdict) {
        List<NetworkAttempt> all = daemon.caller().get(box.path() + "/policy/log").as(NetworkAttemptList.class).attempts();
        return all.stream().filter(attempt -> attempt.verdict().equals(verdict)).toList();
    }

    @Test
    void anOpenOneReachesThePublicAndNeverThePrivate() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("open"))) {
            assertThat(call(box, "other.example.org")).isEqualTo("word");
            assertThat(call(box, "203.0.113.11")).isEqualTo("word");
            assertThat(call(box, "inward.example.org")).isEqualTo("unknown");
            for (String address : List.of("127.0.0.2", "169.254.169.254", "192.168.0.1", "10.0.0.1")) {
                assertThat(call(box, address)).as(address).isEqualTo("refused");
            }
        }
    }

    @Test
    void oneWithoutANetworkHasNothingButItself() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none"))) {
            assertThat(box.output("sed -n 's/:.*//p' /proc/net/dev").strip()).isEqualTo("lo");
            assertThat(call(box, ADDRESS)).isEqualTo("no network");
            assertThat(box.info().network()).isNull();
        }
    }

    @Test
    void aCopyReachesWhatItsOriginReached() {
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            assertThat(call(box, "api.example.org")).isEqualTo("word");
            Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, null)).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                assertThat(call(copy, "api.example.org")).isEqualTo("word");
                assertThat(call(copy, "203.0.113.11")).isEqualTo("refused");
                assertThat(copy.info().network()).isEqualTo(box.info().network());
            }
            assertThat(call(box, "api.example.org")).as("the source goes on").isEqualTo("word");
        }
    }

    @Test
    void itIsThereAgainAfterPauseRewindAndStop() {
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            box.pause(runtime.equals("container"));
            box.resume(false);
            assertThat(call(box, "api.example.org")).as("after a pause").isEqualTo("word");
            Snapshot snapshot = daemon.api().captureAll(box.id());
            try {
                box.rewind(snapshot.id());
                assertThat(call(box, "api.example.org")).as("after a rewind").isEqualTo("word");
                box.stop(0);
                box.powerOn();
                assertThat(call(box, "api.example.org")).as("after a stop").isEqualTo("word");
                assertThat(call(box, "203.0.113.11")).isEqualTo("refused");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void theNextDaemonTakesItOver() throws IOException, InterruptedException {
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            assertThat(call(box, "api.example.org")).isEqualTo("word");
            daemon.kill();
            daemon.start();
            assertThat(call(box, "api.example.org")).isEqualTo("word");
            assertThat(call(box, "203.0.113.11")).isEqualTo("refused");
        }
    }

    /** Bytes of a conversation must not be said twice, and who waits for an answer must not wait for ever. */
    @Test
    void connectionsOfACopyEndAtOnce() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            box.start(Run.of("python3", "-uc", """
                    import os, socket, time
                    s = socket.create_connection(("api.example.org", 7)); s.sendall(b"a\\n"); s.recv(2)
                    open("/workspace/begun", "w").close()
                    try:
                        while not s.recv(1): raise EOFError
                        open("/workspace/answered", "w").close()
                    except (OSError, EOFError) as e:
                        open("/workspace/ended", "w").write(type(e).__name__)
                    """));
            Eventually.get(() -> box.output("ls /workspace"), seen -> seen.contains("begun"));
            Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, null)).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                Eventually.get(() -> copy.output("ls /workspace"), seen -> seen.contains("ended"));
            }
            assertThat(call(box, "api.example.org")).as("what the source begins anew").isEqualTo("word");
        }
    }

    @Test
    void capturedProcessesKeepTheLinkThatTheyHave() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            Snapshot snapshot = daemon.api().captureAll(box.id());
            try {
                assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).network("none"))).what())
                        .startsWith("network: none (expected: a link");
                try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).network(null, "allow other.example.org"))) {
                    assertThat(call(copy, "other.example.org")).isEqualTo("word");
                    assertThat(call(copy, "api.example.org")).isEqualTo("unknown");
                }
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void aPolicyIsChangedWhileItRuns() {
        try (TestSandbox box = allowed("allow api.example.org:7")) {
            assertThat(call(box, "other.example.org")).isEqualTo("unknown");
            NetworkPolicy more = daemon.caller().post(box.path() + "/policy/rules", new PolicyRule("allow other.example.org")).as(NetworkPolicy.class);
            assertThat(more.rules()).containsExactly("allow other.example.org", "allow api.example.org:7");
            assertThat(call(box, "other.example.org")).isEqualTo("word");
            daemon.caller().put(box.path() + "/policy", new NetworkPolicy("open", List.of("deny api.example.org"), null)).as(NetworkPolicy.class);
            assertThat(call(box, "api.example.org")).isEqualTo("unknown");
            assertThat(call(box, "203.0.113.11")).isEqualTo("word");
            assertThat(daemon.caller().get(box.path() + "/policy").as(NetworkPolicy.class)).isEqualTo(new NetworkPolicy(null, List.of("deny api.example.org"), "allow"));
            assertThat(refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(box.path() + "/policy/rules", new PolicyRule("allow")).as(NetworkPolicy.class)).what()).contains("allow");
        }
    }

    @Test
    void oneWithoutANetworkHasNoPolicy() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none"))) {
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.caller().get(box.path() + "/policy").as(NetworkPolicy.class)).what()).contains("has no network");
            refused(ErrorCode.CONFLICT, () -> daemon.caller().post(box.path() + "/policy/rules", new PolicyRule("allow *")).as(NetworkPolicy.class));
        }
    }

    @Test
    void aCopyOfOneWithoutANetworkHasNoneWhateverTheDefaultIs() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with("SANDGLASS_NETWORK", "open").start();
        try (TestSandbox open = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
                TestSandbox closed = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none"))) {
            assertThat(call(open, "other.example.org")).isEqualTo("word");
            Forked forked = daemon.caller().post(closed.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, true)).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                assertThat(call(copy, ADDRESS)).isEqualTo("no network");
            }
        } finally {
            daemon.stop();
            daemon.with("SANDGLASS_NETWORK", "none").start();
        }
    }

    @Test
    void whatHasALinkIsNotTurnedBackToWhatHasNone() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox linked = allowed("allow api.example.org:7");
                TestSandbox plain = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none"))) {
            Snapshot snapshot = daemon.api().captureAll(plain.id());
            try {
                assertThat(refused(ErrorCode.CONFLICT, () -> linked.rewind(snapshot.id())).what()).startsWith("network: a link (expected: none");
                assertThat(call(linked, "api.example.org")).as("it was not touched").isEqualTo("word");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void aRuleThatNobodyUnderstandsIsRefused() {
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> allowed("allow api.example.org:0")).what()).contains("api.example.org:0");
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> allowed("let it out")).what()).contains("rule 1");
    }
}
