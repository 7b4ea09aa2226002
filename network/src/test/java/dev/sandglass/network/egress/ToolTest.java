package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.network.intercept.WorldAuthority;
import dev.sandglass.wire.NetworkAttempt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of tools of an MCP server are told apart where a policy does. */
class ToolTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "mcp.example.org";
    private static final String JSON = "Content-Type: application/json\r\n";

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        world.http(ADDRESS, 80);
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow mcp.example.org:80,443 POST /mcp tool:search,tool:read", "deny mcp.example.org tool:delete", "allow mcp.example.org POST /rpc", "allow mcp.example.org GET"));
        resolve(NAME);
    }

    private static String call(String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool + "\",\"arguments\":{}}}";
    }

    private static String post(String path, String fields, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n" + fields + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private String plain(String text) throws IOException {
        return exchange(ADDRESS, 80, text);
    }

    /** In the order of the requests: what went on is told of when it is over, which may be after the next was refused. */
    private List<NetworkAttempt> told(int count) {
        await().until(() -> journeys.size() == count);
        return journeys.stream().sorted(Comparator.comparing(Journey::at)).map(Journey::toWire).toList();
    }

    @Test
    void aToolThatARuleNamesIsCalledAndNoOther() throws IOException {
        assertThat(plain(post("/mcp", JSON, call("search")))).contains("POST /mcp of " + NAME + " body=" + call("search"));
        assertThat(plain(post("/mcp", JSON, call("write")))).startsWith("HTTP/1.1 403").contains("policy allow").contains("tool:write").doesNotContain("POST /mcp of");
        assertThat(plain(post("/rpc", JSON, call("write")))).as("where any other may be called").contains("POST /rpc of");
        assertThat(plain(post("/rpc", JSON, call("delete")))).startsWith("HTTP/1.1 403").doesNotContain("POST /rpc of");
        List<NetworkAttempt> told = told(4);
        assertThat(told).extracting(NetworkAttempt::tool).containsExactly("search", "write", "write", "delete");
        assertThat(told).extracting(NetworkAttempt::verdict).containsExactly("allow", "deny", "allow", "deny");
        assertThat(told.get(1).allow()).isEqualTo("mcp.example.org:80 POST /mcp tool:write");
    }

    @Test
    void theOneStepThatIsOfferedOpensThatToolAlone() throws IOException {
        plain(post("/mcp", JSON, call("write")));
        Rule opening = journeys.element().opening().orElseThrow();
        change(gateway.policy().with(opening));
        assertThat(plain(post("/mcp", JSON, call("write")))).contains("POST /mcp of");
        assertThat(plain(post("/mcp", JSON, call("other")))).startsWith("HTTP/1.1 403");
    }

    /** It would be copied into a shell. */
    @Test
    void noStepIsOfferedWithANameThatASandboxMadeUp() throws IOException {
        assertThat(plain(post("/mcp", JSON, call("';reboot;'")))).startsWith("HTTP/1.1 403").doesNotContain("reboot");
        assertThat(journeys.element().opening()).isEmpty();
    }

    @Test
    void whatCallsNoToolIsJudgedByMethodAndPath() throws IOException {
        String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
        assertThat(plain(post("/rpc", JSON, list))).contains("POST /rpc of");
        assertThat(plain(post("/mcp", JSON, list))).as("only two tools are allowed there").startsWith("HTTP/1.1 403").contains("'mcp.example.org:80 POST /mcp no-tool'");
        assertThat(plain("GET /mcp HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n\r\n")).contains("GET /mcp of");
    }

    /** Every conversation with an MCP server begins with messages that call no tool. */
    @Test
    void oneRuleAllowsAConversationWithSomeToolsAlone() throws IOException {
        change(allowing("allow mcp.example.org:80 POST /mcp no-tool,tool:search"));
        String begin = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}";
        assertThat(plain(post("/mcp", JSON, begin))).contains("POST /mcp of");
        assertThat(plain(post("/mcp", JSON, "[" + begin + "," + call("search") + "]"))).contains("POST /mcp of");
        assertThat(plain(post("/mcp", JSON, call("write")))).startsWith("HTTP/1.1 403").contains("'mcp.example.org:80 POST /mcp tool:write'");
        assertThat(plain(post("/mcp", JSON, "[" + begin + "," + call("write") + "]"))).startsWith("HTTP/1.1 403");
        assertThat(plain(post("/rpc", JSON, begin))).startsWith("HTTP/1.1 403");
    }

    @Test
    void everyCallOfABatchMustBeAllowed() throws IOException {
        assertThat(plain(post("/mcp", JSON, "[" + call("search") + "," + call("read") + "]"))).contains("POST /mcp of");
        assertThat(plain(post("/mcp", JSON, "[" + call("search") + "," + call("write") + "]"))).startsWith("HTTP/1.1 403").doesNotContain("POST /mcp of");
        List<NetworkAttempt> told = told(2);
        assertThat(told).as("one line for each request, with the call that decided").extracting(NetworkAttempt::tool).containsExactly("search", "write");
        assertThat(told).extracting(NetworkAttempt::verdict).containsExactly("allow", "deny");
        assertThat(told).extracting(NetworkAttempt::why).allSatisfy(why -> assertThat(why).endsWith(" (one of 2 messages in this request)"));
    }

    @Test
    void aBodyWithoutALengthIsReadToo() throws IOException {
        String body = call("search");
        String chunked = Integer.toHexString(10) + "\r\n" + body.substring(0, 10) + "\r\n" + Integer.toHexString(body.length() - 10) + "\r\n" + body.substring(10) + "\r\n0\r\n\r\n";
        String head = "POST /mcp HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n" + JSON + "\r\n";
        assertThat(plain(head + chunked)).contains("body=" + body + " ");
        assertThat(plain(head + chunked.replace("search", "delete"))).startsWith("HTTP/1.1 403");
        assertThat(plain(post("/mcp", JSON + "Expect: 100-continue\r\n", body))).as("one that waits to be asked for").contains("body=" + body + " ");
    }

    @Test
    void insideOfTlsToo() throws IOException {
        for (String tool : List.of("search", "delete")) {
            try (SocketChannel channel = connect(ADDRESS, 443);
                    SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
                socket.getOutputStream().write(post("/mcp", JSON, call(tool)).getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).startsWith(tool.equals("search") ? "HTTP/1.1 200" : "HTTP/1.1 403");
            }
        }
    }

    @Test
    void aBodyThatCannotBeReadForSureIsRefused() throws IOException {
        String hidden = "{\"method\":\"ping\",\"Method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}";
        for (String unclear : List.of(
                post("/rpc", JSON, hidden),
                post("/rpc", "Content-Type: text/plain\r\n", call("delete")),
                post("/rpc", "", call("delete")),
                post("/rpc", JSON + "Content-Encoding: gzip\r\n", call("search")),
                post("/rpc", JSON, call("delete").replace("\"", "'")),
                post("/rpc", JSON, "not json"))) {
            assertThat(plain(unclear)).as(unclear).startsWith("HTTP/1.1 400").doesNotContain("POST /rpc of");
        }
        assertThat(told(6)).extracting(NetworkAttempt::verdict).containsOnly("deny");
    }

    @Test
    void aBodyThatIsTooLongIsRefused() throws IOException {
        String large = "{\"a\":\"" + "x".repeat(1 << 20) + "\"}";
        assertThat(answered(post("/rpc", JSON, large))).startsWith("HTTP/1.1 413");
        String chunked = "POST /rpc HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n" + JSON + "\r\n" + Integer.toHexString(large.length()) + "\r\n" + large + "\r\n0\r\n\r\n";
        assertThat(answered(chunked)).startsWith("HTTP/1.1 413");
        assertThat(told(2)).extracting(NetworkAttempt::status).containsOnly(413);
    }

    /** What comes back although not all that is said is read. */
    private String answered(String text) throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            Thread.startVirtualThread(() -> {
                try {
                    channel.socket().getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException unread) {
                    // which is what is expected
                }
            });
            byte[] begin = channel.socket().getInputStream().readNBytes(12);
            return new String(begin, StandardCharsets.US_ASCII);
        }
    }

    /** Nobody sends thousands of messages at once, but who wants to fill a memory or a log. */
    @Test
    void aBatchIsBounded() throws IOException {
        String most = (call("search") + ",").repeat(99) + call("read");
        assertThat(plain(post("/mcp", JSON, "[" + most + "]"))).startsWith("HTTP/1.1 200").contains("POST /mcp of");
        assertThat(plain(post("/mcp", JSON, " [" + most + "," + call("search") + "]"))).startsWith("HTTP/1.1 400").contains("more than 100 messages").doesNotContain("POST /mcp of");
    }

    /** Bodies that are begun and never ended take the room of one sandbox, for a while. */
    @Test
    void bodiesThatAreHeldAreBounded() throws IOException {
        String begun = "POST /mcp HTTP/1.1\r\nHost: " + NAME + "\r\nTransfer-Encoding: chunked\r\n" + JSON + "\r\n1\r\n{\r\n";
        List<SocketChannel> held = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            SocketChannel channel = connect(ADDRESS, 80);
            channel.write(ByteBuffer.wrap(begun.getBytes(StandardCharsets.US_ASCII)));
            held.add(channel);
        }
        await().atMost(Duration.ofSeconds(25)).until(() -> plain(post("/mcp", JSON, call("search"))).startsWith("HTTP/1.1 503"));
        for (SocketChannel each : held) {
            try (each) {
                assertThat(rest(each)).as("it has not come to its end in time").doesNotContain("200 OK");
            } catch (IOException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }
        await().untilAsserted(() -> assertThat(plain(post("/mcp", JSON, call("search")))).contains("POST /mcp of"));
    }

    @Test
    void noConversationBeginsOfWhichNothingCouldBeRead() throws IOException {
        change(allowing("deny mcp.example.org tool:delete", "allow mcp.example.org"));
        assertThat(plain(WebSocketPeer.opening(NAME, "/ws", ""))).startsWith("HTTP/1.1 403").contains("WebSocket");
    }
}
