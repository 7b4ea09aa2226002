package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.network.egress.PlayedModels;
import dev.sandglass.network.egress.SmallInternet;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CredentialBudget;
import dev.sandglass.wire.CredentialUsage;
import dev.sandglass.wire.CredentialUsageList;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sandboxes use models by credentials that they never see, for as much as they may, whatever becomes of them and of the daemon. */
@OnEveryRuntime
class ModelTest {
    private static final String VALUE = "tell-nobody-5d20c4";
    private static final String PLACEHOLDER = "sandglass-adds-the-key-on-the-way";
    private static final String ASK = "curl -sS -H \"x-api-key: $ANTHROPIC_API_KEY\" https://api.anthropic.com/v1/messages";
    private static final String STATUS = ASK + " -o /tmp/answer -w %{http_code} -d '{}'";
    private static final int WHOLE = PlayedModels.INPUT + PlayedModels.OUTPUT;

    private static SmallInternet internet;
    private static PlayedModels anthropic;
    private static PlayedModels proxy;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    ModelTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        internet = new SmallInternet();
        internet.name("api.anthropic.com", "203.0.113.10");
        anthropic = internet.models("203.0.113.10", 443, Optional.of("api.anthropic.com"));
        proxy = internet.models("127.0.0.1", 4000, Optional.empty());
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.within(internet.outside()).start();
    }

    @AfterAll
    static void close() throws IOException, InterruptedException {
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.outOfIt().start();
        internet.close();
    }

    @AfterEach
    void remove() {
        daemon.caller().send("DELETE", "/v1/credentials/model", "", BodyPublishers.noBody()); // fine if it is gone
    }

    private void keep(String preset, @Nullable String host, @Nullable String base, @Nullable Long requests, @Nullable Long tokens) {
        CredentialBudget budget = requests == null && tokens == null ? null : new CredentialBudget(requests, tokens);
        daemon.caller().post("/v1/credentials", new CreateCredential(
                "model", VALUE, null, null, null, null, null, host, null, null, null, base == null ? null : base.startsWith("http:"), preset, base, budget));
    }

    private TestSandbox box() {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("open").credentials("model"));
    }

    private CredentialUsage usage(TestSandbox box) {
        return daemon.caller().get("/v1/credential-usage?sandbox=" + box.id()).as(CredentialUsageList.class).usage().getFirst();
    }

    private void grant(TestSandbox box) {
        daemon.caller().good(daemon.caller().send("PUT", box.path() + "/credentials/model", "", BodyPublishers.noBody()));
    }

    private void revoke(TestSandbox box) {
        daemon.caller().delete(box.path() + "/credentials/model").as(Sandbox.class);
    }

    /** A program finds a key that is none, and its request has the right one when it arrives. */
    @Test
    void aModelIsCalledWithAPlaceholderAndNobodySeesTheKey() throws IOException {
        keep("anthropic", null, null, null, 1_000_000L);
        try (TestSandbox box = box()) {
            assertThat(box.output("env | grep ANTHROPIC")).isEqualTo("ANTHROPIC_API_KEY=" + PLACEHOLDER);
            assertThat(box.output(ASK + " -d '{}'")).contains("Hello there");
            assertThat(anthropic.asked().getLast().field("x-api-key")).isEqualTo(VALUE);
            assertThat(box.output("ANTHROPIC_API_KEY=mine; " + ASK + " -d '{}'")).contains("Hello there");
            assertThat(anthropic.asked().getLast().field("x-api-key")).isEqualTo(VALUE);
            revoke(box);
            assertThat(box.output("env | grep ANTHROPIC; true")).as("from the next command on").isEmpty();
            grant(box);
            assertThat(box.output("echo $ANTHROPIC_API_KEY")).isEqualTo(PLACEHOLDER);
            assertThat(box.output("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n' | grep -c nobody-5d20c'[4]'; grep -rls nobody-5d20c'[4]' /etc /run /tmp /root /home /workspace; true").lines().findFirst()).contains("0");
            assertThat(daemon.caller().get(box.path() + "/policy/log").text()).contains("/v1/messages").doesNotContain(VALUE);
            assertThat(daemon.caller().get("/v1/events?limit=1000").text() + daemon.caller().get("/metrics").text()).doesNotContain(VALUE);
            assertThat(Files.readString(daemon.log())).doesNotContain(VALUE);
            assertThatNoFileHasTheValue();
        }
    }

    private void assertThatNoFileHasTheValue() throws IOException {
        try (Stream<Path> files = Files.list(daemon.data())) {
            for (Path file : files.filter(Files::isRegularFile).filter(each -> !each.toString().endsWith(".img")).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(VALUE);
            }
        }
    }

    @Test
    void whatSomebodySaysOfTheEnvironmentCountsFirst() {
        keep("anthropic", null, null, null, null);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("open").credentials("model").env(Map.of("ANTHROPIC_API_KEY", "own")))) {
            assertThat(box.output("echo $ANTHROPIC_API_KEY")).isEqualTo("own");
        }
    }

    /** Neither a daemon that is killed nor anything that turns a sandbox back gives a request back. */
    @Test
    void requestsAreCountedWhateverBecomesOfTheSandboxAndTheDaemon() throws IOException, InterruptedException {
        keep("anthropic", null, null, 6L, null);
        try (TestSandbox box = box()) {
            int before = anthropic.asked().size();
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            try {
                assertThat(box.output(STATUS)).isEqualTo("200");
                daemon.kill();
                daemon.start();
                assertThat(usage(box)).isEqualTo(new CredentialUsage(box.id(), box.name(), "model", 1, 6L, 0, null));
                assertThat(box.output(STATUS)).isEqualTo("200");
                box.pause(true);
                box.resume(false);
                assertThat(box.output(STATUS)).isEqualTo("200");
                box.rewind(snapshot.id());
                assertThat(box.output(STATUS)).isEqualTo("200");
                revoke(box);
                grant(box);
                assertThat(box.output("for i in 1 2 3; do " + STATUS + "; done")).isEqualTo("200200429");
                assertThat(box.output("cat /tmp/answer")).contains("budget_exceeded").contains("6 requests of 6").contains("sandglass credential reset " + box.id() + " model");
                assertThat(anthropic.asked()).hasSize(before + 6);
                daemon.stop();
                daemon.start();
                assertThat(box.output(STATUS)).isEqualTo("429");
                assertThat(daemon.caller().delete(box.path() + "/credentials/model/usage").as(CredentialUsage.class).requests()).isZero();
                assertThat(box.output(STATUS)).isEqualTo("200");
                assertThat(usage(box).requests()).isEqualTo(1);
                assertThat(daemon.caller().get("/metrics").text()).contains("sandglass_budget_requests_total{result=\"refused\"} ").contains("sandglass_budget_tokens_total{source=\"estimate\"} ");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void tokensAreCountedFromAnswersAndKept() throws IOException, InterruptedException {
        keep("anthropic", null, null, null, 4L * WHOLE);
        try (TestSandbox box = box()) {
            assertThat(box.output(ASK + " -d '{}'")).contains("Hello there");
            assertThat(box.output(ASK + " --http2 -d '{\"stream\":true}'")).contains("message_stop");
            assertThat(usage(box).tokens()).isEqualTo(2 * WHOLE);
            daemon.stop();
            daemon.start();
            assertThat(usage(box).tokens()).isEqualTo(2 * WHOLE);
            assertThat(box.output(ASK + " --http1.1 -d '{\"stream\":true}'")).contains("message_stop");
            assertThat(box.output(ASK + "?gzip --compressed -d '{\"stream\":true}'")).contains("message_stop");
            assertThat(box.output(STATUS)).isEqualTo("429");
            assertThat(box.output("cat /tmp/answer")).contains(4 * WHOLE + " tokens of " + 4 * WHOLE);
            assertThat(usage(box)).isEqualTo(new CredentialUsage(box.id(), box.name(), "model", 4, null, 4L * WHOLE, 4L * WHOLE));
        }
    }

    /** Every call ends before its answer says what it took. */
    @Test
    void whoAlwaysLeavesEarlyRunsOut() {
        keep("anthropic", null, null, null, 20L * WHOLE);
        try (TestSandbox box = box()) {
            for (String version : List.of("--http1.1", "--http2")) {
                assertThat(box.output(STATUS)).isEqualTo("200");
                String leave = ASK + "?endless -N " + version + " -d '{\"stream\":true}' 2>/dev/null | head -c 300 >/dev/null; ";
                String look = "curl -sS -o /dev/null -w %{http_code} https://api.anthropic.com/v1/models";
                assertThat(box.output("for i in $(seq 60); do " + leave + " status=$(" + look + "); [ $status = 200 ] || break; done; echo $status")).isEqualTo("429");
                assertThat(usage(box).tokens()).isGreaterThanOrEqualTo(20 * WHOLE);
                daemon.caller().delete(box.path() + "/credentials/model/usage");
            }
        }
    }

    /** The proxy is on the host, and nobody knows the provider's name. */
    @Test
    void aBaseUrlIsFollowed() {
        keep("openai", null, "http://127.0.0.1:4000/team/v1", 3L, null);
        try (TestSandbox box = box()) {
            String ask = "curl -sS -H \"Authorization: Bearer $OPENAI_API_KEY\" ";
            assertThat(box.output(ask + "https://api.openai.com/v1/chat/completions -d '{}'")).contains("Hello there");
            PlayedModels.Asked asked = proxy.asked().getLast();
            assertThat(List.of(asked.target(), asked.field("Host"), asked.field("Authorization"))).containsExactly("/team/v1/chat/completions", "127.0.0.1:4000", "Bearer " + VALUE);
            int before = proxy.asked().size();
            assertThat(box.output(ask + "-o /dev/null -w %{http_code} https://api.openai.com/admin")).isEqualTo("502");
            assertThat(box.output(ask + "--path-as-is -o /dev/null -w %{http_code} https://api.openai.com/v1/../../admin")).isEqualTo("400");
            assertThat(box.output(ask + "-m 20 http://127.0.0.1:4000/team/v1/models 2>/dev/null || echo refused")).isEqualTo("refused");
            assertThat(proxy.asked()).hasSize(before);
            assertThat(box.output("env | grep OPENAI")).as("it is called where it usually is").isEqualTo("OPENAI_API_KEY=" + PLACEHOLDER);
            assertThat(usage(box).requests()).isEqualTo(1);
        }
    }

    @Test
    void aNameOfItsOwnIsInTheEnvironment() {
        keep("openai", "model.internal", "http://127.0.0.1:4000/team/v1", null, null);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network(null, "allow model.internal").credentials("model"))) {
            assertThat(box.output("env | grep OPENAI | sort")).isEqualTo("OPENAI_API_KEY=" + PLACEHOLDER + "\nOPENAI_BASE_URL=https://model.internal/v1");
            assertThat(box.output("curl -sS -H \"Authorization: Bearer $OPENAI_API_KEY\" $OPENAI_BASE_URL/responses -d '{\"stream\":true}'")).contains("response.completed");
            assertThat(proxy.asked().getLast().target()).isEqualTo("/team/v1/responses");
        }
    }
}
