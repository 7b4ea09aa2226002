package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;

/** Programs in the network of a sandbox, servers in a small internet, and nothing between them but the gateway. */
class GatewayTest extends GatewayFixture {
    @Test
    void aNameThatThePolicyAllowsIsReached() throws IOException {
        world.name("api.example.org", "203.0.113.10");
        world.echo("203.0.113.10", 7, "");
        change(allowing("allow api.example.org:7"));
        assertThat(resolve("api.example.org")).containsExactly("203.0.113.10");
        try (SocketChannel connection = connect("203.0.113.10", 7)) {
            assertThat(said(connection, "hello")).isEqualTo("hello");
        }
        Journey journey = onlyJourney();
        assertThat(journey.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(journey.why()).isEqualTo("allow api.example.org:7");
        assertThat(journey.sent()).isEqualTo(5);
        assertThat(journey.received()).isEqualTo(5);
        assertThat(journey.attempt().name().orElseThrow()).hasToString("api.example.org");
    }

    @Test
    void anotherNameIsRefusedAndNobodyIsAskedForIt() throws IOException {
        world.name("secret.example.com", "203.0.113.10");
        change(allowing("allow api.example.org"));
        assertThat(ask("secret.example.com").getRcode()).isEqualTo(Rcode.REFUSED);
        assertThat(world.questions()).isEmpty();
    }

    @Test
    void anotherPortOfAnAllowedNameIsReset() throws IOException {
        world.name("api.example.org", "203.0.113.10");
        world.echo("203.0.113.10", 8, "");
        change(allowing("allow api.example.org:7"));
        resolve("api.example.org");
        assertThatThrownBy(() -> exchange("203.0.113.10", 8, "hello")).isInstanceOf(IOException.class).hasMessageContaining("reset");
        assertThat(onlyJourney().verdict()).isEqualTo(Verdict.DENY);
        assertThat(onlyJourney().opening().orElseThrow()).isEqualTo(Rule.parse("allow api.example.org:8"));
    }

    @Test
    void anAddressThatNoNameWasAskedForIsResetWhereOnlyNamesAreAllowed() throws IOException {
        world.name("api.example.org", "203.0.113.10");
        world.echo("203.0.113.10", 7, "");
        change(allowing("allow api.example.org:7"));
        assertThatThrownBy(() -> exchange("203.0.113.10", 7, "hello")).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.0.0.1", "10.0.0.2", "192.168.1.1", "169.254.169.254", "172.16.0.1", "100.64.0.1", "224.0.0.1", "255.255.255.255", "0.0.0.0"})
    void noPolicyOpensAnAddressThatIsNotPublic(String address) throws IOException {
        change(allowing("allow *", "allow 10.0.0.0/8", "allow 127.0.0.0/8"));
        assertThatThrownBy(() -> exchange(address, 4444, "hello")).isInstanceOf(IOException.class);
        journeys.forEach(each -> assertThat(each.verdict()).isEqualTo(Verdict.DENY));
    }

    @Test
    void aNameThatLeadsToAPrivateAddressIsNotReachedNotEvenTheSecondTime() throws Exception {
        world.name("rebinding.example.org", "10.1.2.3");
        change(allowing("allow rebinding.example.org"));
        assertThat(resolve("rebinding.example.org")).isEmpty();
        world.name("turning.example.org", "203.0.113.10");
        change(allowing("allow turning.example.org"));
        assertThat(resolve("turning.example.org")).containsExactly("203.0.113.10");
        world.name("turning.example.org", "127.0.0.1");
        world.echo("203.0.113.10", 7, "");
        await().untilAsserted(() -> { // until the resolver's memory of it is over
            assertThatThrownBy(() -> exchange("203.0.113.10", 7, "hello")).isInstanceOf(IOException.class);
        });
    }

    @Test
    void aHostHeaderThatNamesAnotherHostIsRefused() throws IOException {
        world.name("api.example.org", "203.0.113.10");
        world.name("other.example.org", "203.0.113.11");
        world.http("203.0.113.10", 80);
        change(allowing("allow *.example.org"));
        resolve("api.example.org");
        assertThat(exchange("203.0.113.10", 80, "GET / HTTP/1.1\r\nHost: api.example.org\r\nConnection: close\r\n\r\n")).contains("GET / of api.example.org");
        assertThatThrownBy(() -> exchange("203.0.113.10", 80, "GET / HTTP/1.1\r\nHost: other.example.org\r\n\r\n")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> exchange("203.0.113.10", 80, "GET / HTTP/1.1\r\nHost: 203.0.113.10\r\n\r\n")).isInstanceOf(IOException.class);
        assertThat(exchange("203.0.113.10", 80, "GET / HTTP/1.1\r\nHost: api.example.org\r\nHost: other.example.org\r\n\r\n")).startsWith("HTTP/1.1 400").doesNotContain("GET / of");
    }

    /** Who waits, or sends something else before, must not get round the look at names. */
    @Test
    void silenceIsNoWayRoundTheLookAtNames() throws Exception {
        world.name("api.example.org", "203.0.113.10");
        world.echo("203.0.113.10", 80, "hi");
        change(allowing("allow api.example.org:80"));
        resolve("api.example.org");
        try (SocketChannel right = connect("203.0.113.10", 80);
                SocketChannel wrong = connect("203.0.113.10", 80)) {
            for (SocketChannel silent : List.of(right, wrong)) { // who is greeted was taken for one that waits
                assertThat(received(silent, 2)).isEqualTo("hi");
            }
            assertThat(line(right, "word\n")).isEqualTo("word\n");
            assertThatThrownBy(() -> line(wrong, "GET / HTTP/1.1\r\nHost: other.example.org\r\n\r\n")).isInstanceOf(IOException.class);
        }
        assertThat(exchange("203.0.113.10", 80, "GET / HTTP/1.1\r\nHost: other.example.org")).as("cut off in the head").startsWith("HTTP/1.1 400");
        byte[] warning = {21, 3, 1, 0, 2, 1, 90};
        assertThatThrownBy(() -> exchange("203.0.113.10", 80, new String(warning, StandardCharsets.US_ASCII))).as("a record before the ClientHello").isInstanceOf(IOException.class);
    }

    /** What a name leads to when it is dialed is held against the policy too. */
    @Test
    void aNameThatTurnsAwayFromAnAllowedNetworkIsNotFollowed() throws Exception {
        world.echo("203.0.113.200", 7, "");
        change(allowing("allow turning.example.org,203.0.113.0/28", "deny *"));
        world.name("turning.example.org", "203.0.113.5");
        assertThat(resolve("turning.example.org")).containsExactly("203.0.113.5");
        change(allowing("allow 203.0.113.0/28"));
        world.name("turning.example.org", "203.0.113.200");
        await().untilAsserted(() -> { // until the resolver's memory of the first answer is over, and it asks again
            assertThatThrownBy(() -> exchange("203.0.113.5", 7, "hello")).isInstanceOf(IOException.class);
            assertThat(world.questions()).hasSizeGreaterThanOrEqualTo(2);
        });
    }

    @Test
    void aRuleAboutANetworkLetsNoQuestionsOut() throws IOException {
        change(allowing("allow api.example.org", "allow 203.0.113.0/24"));
        assertThat(ask("secret.evil.example").getRcode()).isEqualTo(Rcode.REFUSED);
        assertThat(world.questions()).isEmpty();
    }

    @Test
    void fewConnectionsToTheResolverStayOpen() throws IOException {
        List<SocketChannel> idle = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            idle.add(connect("10.0.0.1", 53));
        }
        world.echo("203.0.113.10", 7, "");
        change(Policy.OPEN);
        assertThat(exchange("203.0.113.10", 7, "hello")).isEqualTo("hello");
        for (SocketChannel each : idle) {
            each.close();
        }
    }

    @Test
    void aServerMaySpeakFirst() throws IOException {
        world.echo("203.0.113.10", 25, "220 ready\r\n");
        change(Policy.OPEN);
        try (SocketChannel connection = connect("203.0.113.10", 25)) {
            ByteBuffer greeting = ByteBuffer.allocate(11);
            while (greeting.hasRemaining() && connection.read(greeting) >= 0) {}
            assertThat(new String(greeting.array(), StandardCharsets.US_ASCII)).isEqualTo("220 ready\r\n");
        }
    }

    @Test
    void protocolsAreToldApartByTheirFirstBytes() throws IOException {
        world.echo("203.0.113.10", 22, "");
        change(allowing("allow 203.0.113.10:22/ssh"));
        assertThat(exchange("203.0.113.10", 22, "SSH-2.0-client\r\nmore")).isEqualTo("SSH-2.0-client\r\nmore");
        for (String other : List.of("GET / HTTP/1.1\r\nHost: 203.0.113.10\r\n\r\n", "SSX-2.0-client\r\n", "anything\n")) {
            assertThatThrownBy(() -> exchange("203.0.113.10", 22, other)).as(other).isInstanceOf(IOException.class);
        }
        change(allowing("allow 203.0.113.10:22/other"));
        assertThat(exchange("203.0.113.10", 22, "anything\n")).isEqualTo("anything\n");
        assertThatThrownBy(() -> exchange("203.0.113.10", 22, "SSH-2.0-client\r\n")).isInstanceOf(IOException.class);
    }

    @Test
    void aChangeOfThePolicyEndsWhatItForbidsAndNothingElse() throws IOException {
        world.echo("203.0.113.10", 7, "");
        world.echo("203.0.113.11", 7, "");
        change(Policy.OPEN);
        try (SocketChannel stays = connect("203.0.113.10", 7);
                SocketChannel goes = connect("203.0.113.11", 7)) {
            assertThat(line(stays, "one\n")).isEqualTo("one\n");
            assertThat(line(goes, "two\n")).isEqualTo("two\n");
            change(allowing("allow 203.0.113.10"));
            assertThatThrownBy(() -> line(goes, "three\n")).isInstanceOf(IOException.class);
            assertThat(line(stays, "four\n")).isEqualTo("four\n");
        }
    }

    @Test
    void aThousandConnectionsAtOnceGetTheirOwnBytes() throws Exception {
        world.echo("203.0.113.10", 7, "");
        change(Policy.OPEN);
        List<SocketChannel> connections = new ArrayList<>();
        NetworkNamespace.call(gate.pair().inside(), () -> {
            for (int i = 0; i < 1000; i++) {
                connections.add(SocketChannel.open(new InetSocketAddress("203.0.113.10", 7)));
            }
            return true;
        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < connections.size(); i++) {
                String word = "word-" + i + "-" + "x".repeat(20_000) + "\n";
                SocketChannel connection = connections.get(i);
                answers.add(threads.submit(() -> line(connection, word).equals(word) ? "same" : "different"));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).isEqualTo("same");
            }
        }
        for (SocketChannel connection : connections) {
            connection.close();
        }
        await().until(() -> journeys.size() == 1000);
    }

    /** What nobody reads is not kept by the gateway, however much is written. */
    @Test
    void aReaderThatDoesNotReadStopsTheWriter() throws Exception {
        CompletableFuture<SocketChannel> writing = new CompletableFuture<>();
        world.serve("203.0.113.10", 7, writing::complete);
        change(Policy.OPEN);
        try (SocketChannel connection = connect("203.0.113.10", 7)) {
            connection.write(ByteBuffer.wrap("begin\n".getBytes(StandardCharsets.US_ASCII)));
            SocketChannel server = writing.get();
            long written = Flood.into(server);
            server.shutdownOutput();
            ByteBuffer sink = ByteBuffer.allocate(1 << 20);
            long read = 0;
            for (int got = connection.read(sink); got >= 0; got = connection.read(sink.clear())) {
                read += got;
            }
            assertThat(read).as("what was taken arrives").isEqualTo(written);
        }
    }

    @Test
    void whenTheGatewayIsGoneNothingGetsOut() throws IOException {
        world.echo("203.0.113.10", 7, "");
        change(Policy.OPEN);
        try (SocketChannel connection = connect("203.0.113.10", 7)) {
            assertThat(line(connection, "one\n")).isEqualTo("one\n");
            gateway.close();
            assertThatThrownBy(() -> line(connection, "two\n")).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> connect("203.0.113.10", 7)).isInstanceOf(IOException.class);
    }

    private Journey onlyJourney() {
        await().until(() -> !journeys.isEmpty());
        return journeys.element();
    }
}
