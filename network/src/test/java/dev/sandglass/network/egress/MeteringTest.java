package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Meter;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.network.intercept.WorldAuthority;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What requests to models use is counted on their way: requests before they are sent, tokens from what is answered, however it is answered and whoever ends it. */
class MeteringTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.20";
    private static final String NAME = "models.example.org";
    private static final int WHOLE = PlayedModels.INPUT + PlayedModels.OUTPUT;

    private final AtomicInteger requestsLeft = new AtomicInteger(1000);
    private final AtomicLong tokensLeft = new AtomicLong(Long.MAX_VALUE);
    private final Queue<Long> said = new ConcurrentLinkedQueue<>();
    private final Queue<Long> estimated = new ConcurrentLinkedQueue<>();
    private volatile boolean failing;
    private volatile boolean countsTokens = true;
    private PlayedModels models;

    private final class Account implements Meter {
        @Override
        public Optional<Excess> admit() {
            if (failing) {
                throw new SandglassException(ErrorCode.DISK_FULL, "The ledger cannot be written: the disk is full.", "Make room.");
            }
            boolean enough = tokensLeft.get() > 0 && requestsLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            return enough ? Optional.empty() : Optional.of(new Excess("The budget is used up.", "Ask for more."));
        }

        @Override
        public boolean countsTokens() {
            return countsTokens;
        }

        @Override
        public void charge(long tokens, boolean isSaid) {
            tokensLeft.addAndGet(-tokens);
            (isSaid ? said : estimated).add(tokens);
        }
    }

    @Override
    Secrets secrets() {
        return new Secrets() {
            @Override
            public boolean concern(Attempt attempt) {
                return attempt.name().filter(name -> name.text().equals(NAME)).isPresent();
            }

            @Override
            public Provision of(Attempt request) {
                return new Provision(List.of(new Addition.Field("x-api-key", "s3cret")), Optional.empty(), Optional.of(new Account()));
            }

            @Override
            public boolean leadElsewhere(HostName name) {
                return false;
            }
        };
    }

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        models = world.models(ADDRESS, 443, Optional.of(NAME));
        change(allowing("allow " + NAME));
        resolve(NAME);
    }

    private interface Talk<T> {
        T with(SSLSocket socket) throws IOException;
    }

    private <T> T talk(Talk<T> talk) throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            return talk.with(socket);
        }
    }

    private static byte[] request(String path, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: " + NAME + "\r\nx-api-key: placeholder\r\nAccept-Encoding: gzip, br\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private String ask(String path, String body) throws IOException {
        return talk(socket -> {
            socket.getOutputStream().write(request(path, body));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /v1/messages                  | {"max_tokens":9}
            /v1/messages                  | {"stream":true}
            /v1/chat/completions          | {"model":"m"}
            /v1/chat/completions          | {"stream":true,"stream_options":{"include_usage":true}}
            /v1/responses                 | {"stream":true}
            /v1/messages?trailers         | {"stream":true}
            /v1/messages?gzip             | {"stream":true}
            /v1/chat/completions?gzip     | {"model":"m"}
            /v1/messages?large            | {"model":"m"}
            """)
    void whatAServiceSaysIsCountedOnce(String path, String body) throws IOException {
        String answer = ask(path, body);
        await().untilAsserted(() -> assertThat(said).containsExactly((long) WHOLE));
        assertThat(estimated).isEmpty();
        if (!path.contains("gzip")) {
            assertThat(answer).contains("usage").contains("Hello".repeat(path.contains("large") ? 0 : 1));
        }
        PlayedModels.Asked asked = models.asked().getFirst();
        assertThat(asked.protocol()).as("what the gateway speaks with the service").isEqualTo("HTTP/2.0");
        assertThat(asked.field("accept-encoding")).as("answers are to be readable").isEqualTo("identity");
        assertThat(asked.field("x-api-key")).isEqualTo("s3cret");
    }

    @Test
    void whatIsStreamedIsPassedOnAtOnce() throws IOException {
        talk(socket -> {
            socket.getOutputStream().write(request("/v1/messages?held", "{\"stream\":true}"));
            String first = until(socket.getInputStream(), "Hello there");
            assertThat(first).doesNotContain("message_delta");
            assertThat(said).isEmpty();
            models.letGo();
            assertThat(until(socket.getInputStream(), "message_stop")).contains("message_delta");
            return first;
        });
        await().untilAsserted(() -> assertThat(said).containsExactly((long) WHOLE));
    }

    private static String until(InputStream in, String text) throws IOException {
        StringBuilder got = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            got.append((char) next);
            if (got.toString().endsWith(text)) {
                return got.toString();
            }
        }
        throw new IOException("ended after " + got);
    }

    @Test
    void anAnswerThatDoesNotSayIsEstimated() throws IOException {
        String body = "{\"stream\":true,\"messages\":[\"" + "word ".repeat(80) + "\"]}";
        ask("/v1/chat/completions", body);
        await().untilAsserted(() -> assertThat(estimated).hasSize(1));
        assertThat(estimated.peek()).as("what was asked, three events and ten bytes of text").isEqualTo((body.length() + 3) / 4 + 3 + 3);
        assertThat(said).isEmpty();
    }

    /** One that reads what it wants and leaves before the answer says what it took must come to an end all the same. */
    @Test
    void whoAlwaysLeavesEarlyRunsOutOfTokens() throws IOException {
        tokensLeft.set(10L * PlayedModels.INPUT);
        int sent = 0;
        String last = "";
        while (!last.contains(" 429 ") && sent < 12) {
            last = talk(socket -> {
                socket.getOutputStream().write(request("/v1/messages?endless", "{\"stream\":true}"));
                String line = until(socket.getInputStream(), "\r\n");
                return line.contains(" 200 ") ? until(socket.getInputStream(), "Hello there") : line;
            });
            sent++;
            int over = sent;
            String seen = last;
            await().until(() -> estimated.size() == over || seen.contains(" 429 "));
        }
        assertThat(last).contains(" 429 ");
        assertThat(sent).isLessThanOrEqualTo(11);
        assertThat(said).isEmpty();
        assertThat(estimated).allSatisfy(tokens -> assertThat(tokens).as("what went in is known from the first event").isGreaterThan(PlayedModels.INPUT));
    }

    /** What came is on its way already when nobody wants it any more. */
    @Test
    void whoLeavesBeforeTheFirstByteIsChargedToo() throws IOException {
        talk(socket -> {
            socket.getOutputStream().write(request("/v1/messages?endless", "{\"stream\":true}"));
            await().until(() -> !models.asked().isEmpty());
            return true;
        });
        await().untilAsserted(() -> assertThat(estimated).hasSize(1).allSatisfy(tokens -> assertThat(tokens).isGreaterThan(PlayedModels.INPUT)));
    }

    @Test
    void overBudgetIsA429ThatProgramsAndClientsOfModelsUnderstand() throws IOException {
        requestsLeft.set(1);
        assertThat(ask("/v1/messages", "{}")).contains("HTTP/1.1 200");
        String over = ask("/v1/messages", "{}");
        assertThat(over)
                .contains("HTTP/1.1 429")
                .contains("\"code\":\"budget_exceeded\",\"message\":\"The budget is used up.\",\"hint\":\"Ask for more.\"")
                .contains("\"type\":\"error\",\"error\":{\"type\":\"insufficient_quota\"")
                .containsIgnoringCase("x-should-retry: false")
                .doesNotContainIgnoringCase("retry-after");
        assertThat(models.asked()).hasSize(1);
        await().until(() -> journeys.stream().anyMatch(each -> each.verdict() == Verdict.DENY));
        assertThat(journeys.stream().filter(each -> each.verdict() == Verdict.DENY).findFirst().orElseThrow().why()).isEqualTo("The budget is used up.");
    }

    @Test
    void noNumberOfRequestsAtOnceGetsPastTheBound() throws InterruptedException {
        requestsLeft.set(5);
        AtomicInteger good = new AtomicInteger();
        List<Thread> threads = java.util.stream.IntStream.range(0, 20)
                .mapToObj(_ -> Thread.startVirtualThread(() -> {
                    try {
                        if (ask("/v1/messages", "{}").startsWith("HTTP/1.1 200")) {
                            good.incrementAndGet();
                        }
                    } catch (IOException problem) {
                        throw new IllegalStateException(problem);
                    }
                }))
                .toList();
        for (Thread each : threads) {
            each.join();
        }
        assertThat(good).hasValue(5);
        assertThat(models.asked()).hasSize(5);
    }

    @Test
    void whatCannotBeCountedIsNotSent() throws IOException {
        failing = true;
        assertThat(ask("/v1/messages", "{}")).contains("HTTP/1.1 503").contains("the disk is full");
        assertThat(models.asked()).isEmpty();
    }

    /** Nobody looks into what is said then, and one request would be as many as one likes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noProtocolIsChangedWhereRequestsOrTokensAreCounted(boolean tokens) throws IOException {
        countsTokens = tokens;
        String got = talk(socket -> {
            socket.getOutputStream().write(("GET /v1/realtime HTTP/1.1\r\nHost: " + NAME
                            + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            return until(socket.getInputStream(), "\r\n");
        });
        assertThat(got).contains(" 501 ");
        assertThat(models.asked()).isEmpty();
    }

    @Test
    void whatOnlyReadsTakesNoTokens() throws IOException {
        String got = talk(socket -> {
            socket.getOutputStream().write(("GET /v1/models HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        });
        assertThat(got).contains("\"id\":\"model\"");
        await().untilAsserted(() -> assertThat(said).containsExactly(0L));
    }
}
