package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.server.RouteClient.Reply;
import dev.sandglass.server.RoutedProgram.Wish;
import dev.sandglass.server.http.Zeros;
import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.RouteCors;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.UpdateSandbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests from outside reach the program that they are meant for, and it alone, when they may. */
@OnEveryRuntime
class RouteProxyTest {
    private static final String SECRET = "a-secret-of-some-length";
    private static final int MANY = 100 << 20;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final RouteClient client = RouteClient.of(daemon);
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final TestSandbox box;

    RouteProxyTest(String runtime) {
        this.box = daemon.api().create(SandboxRequest.on(runtime).name("routed-" + runtime));
    }

    @BeforeEach
    void serve() {
        RoutedProgram.serve(box);
    }

    @AfterEach
    void end() {
        box.close();
        http.shutdownNow();
    }

    @Test
    void aPublicRouteIsReachedByHostAndByPath() {
        RoutedProgram.route(box, Wish.open("web"));
        for (String name : List.of(box.id(), box.name())) {
            Reply byHost = client.get(client.name(8000, name), "/a%2Fb//c?x=1&y");
            assertThat(byHost.status()).isEqualTo(200);
            assertThat(byHost.text()).contains("\"path\": \"/a%2Fb//c?x=1&y\"").contains("\"method\": \"GET\"");
        }
        String home = "127.0.0.1:" + client.port();
        assertThat(client.get(home, "/" + box.id() + "/web/a/b?c=d").text()).contains("\"path\": \"/a/b?c=d\"");
        assertThat(client.get(home, "/" + box.name() + "/web/").text()).contains("\"path\": \"/\"");
        Reply bare = client.get(home, "/" + box.id() + "/web?c=d");
        assertThat(bare.status()).isEqualTo(308);
        assertThat(bare.header("Location")).isEqualTo("/" + box.id() + "/web/?c=d");
        assertThat(client.send("HEAD", client.name(8000, box.id()), "/").header("Content-Length")).isNotEqualTo("0").isNotEmpty();
    }

    @Test
    void whatIsPrivateAndWhatIsNotThereLookTheSame() {
        RoutedProgram.route(box, Wish.closed("api", SECRET));
        String home = "127.0.0.1:" + client.port();
        Reply closed = client.get(home, "/" + box.id() + "/api/");
        for (String target : List.of("/" + box.id() + "/none/", "/sbx-aaaaaaaaaaaa/api/", "/nobody/api/x")) {
            Reply other = client.get(home, target, "Authorization: Bearer wrong");
            assertThat(other.status()).isEqualTo(closed.status()).isEqualTo(401);
            assertThat(other.text()).isEqualTo(closed.text());
            assertThat(other.headers()).isEqualTo(closed.headers());
        }
        for (String host : List.of(client.name(8000, box.id()), client.name(8000, "nobody"), client.name(8001, box.id()))) {
            assertThat(client.get(host, "/").text()).isEqualTo(closed.text());
        }
        assertThat(client.get("evil.example", "/" + box.id() + "/api/").status()).isEqualTo(403);
        String owner = "Authorization: " + box.caller().authorization();
        assertThat(client.get(home, "/" + box.id() + "/none/", owner).problem()).isEqualTo("route_not_found");
        assertThat(client.get(home, "/nobody/api/", owner).problem()).isEqualTo("sandbox_not_found");
        assertThat(client.get(client.name(8000, "nobody"), "/", owner).problem()).isEqualTo("sandbox_not_found");
    }

    @Test
    void secretsLetInAndGoNoFurther() {
        RoutedProgram.route(box, Wish.closed("api", SECRET));
        RoutedProgram.route(box, Wish.closed("keyed", SECRET + "2").header("X-Key"));
        String home = "127.0.0.1:" + client.port();
        Reply bearer = client.get(home, "/" + box.id() + "/api/", "authorization: bearer " + SECRET, "Cookie: a=b; sandglass_link=x; c=d", "X-Key: mine");
        assertThat(bearer.status()).isEqualTo(200);
        assertThat(bearer.text()).doesNotContain(SECRET).doesNotContain("sandglass_link").containsIgnoringCase("[\"Cookie\", \"a=b; c=d\"]").contains("mine");
        Reply keyed = client.get(home, "/" + box.id() + "/keyed/", "X-Key: " + SECRET + "2", "Authorization: Basic mine");
        assertThat(keyed.status()).isEqualTo(200);
        assertThat(keyed.text()).doesNotContain(SECRET).contains("Basic mine");
        assertThat(client.get(home, "/" + box.id() + "/keyed/", "X-Key: " + SECRET).status()).as("the secret of another route").isEqualTo(401);
        assertThat(client.get(home, "/" + box.id() + "/keyed/", "X-Key: " + SECRET + "2", "X-Key: x").status()).as("two of them").isEqualTo(401);
        String owner = box.caller().authorization();
        Reply owned = client.get(client.name(8000, box.id()), "/", "Authorization: " + owner);
        assertThat(owned.status()).isEqualTo(200);
        assertThat(owned.text()).doesNotContain(owner.substring("Bearer ".length()));
        assertThat(client.get(client.name(8000, box.id()), "/", "Authorization: Bearer " + SECRET).status()).as("by host name").isEqualTo(200);
        RoutedProgram.route(box, Wish.open("public"));
        assertThat(client.get(home, "/" + box.id() + "/public/", "Authorization: " + owner).text()).doesNotContain(owner.substring("Bearer ".length()));
    }

    @Test
    void aLinkBecomesACookieAndLeavesTheAddress() {
        RouteLink link = box.caller().post(box.path() + "/ports/8000/link", new CreateLink(600L)).as(RouteLink.class);
        URI url = URI.create(link.hostUrl());
        String host = url.getAuthority();
        assertThat(host).isEqualTo(client.name(8000, box.id()));
        String query = url.getRawQuery();
        Reply moved = client.get(host, "/deep?a=1&" + query + "&b=2", "Accept: text/html");
        assertThat(moved.status()).isEqualTo(303);
        assertThat(moved.header("Location")).isEqualTo("/deep?a=1&b=2");
        String cookie = moved.header("Set-Cookie");
        assertThat(cookie).contains("HttpOnly").contains("SameSite=Lax").contains("Path=/;").doesNotContain("Domain");
        String pair = cookie.split(";")[0];
        Reply inside = client.get(host, "/deep", "Cookie: x=y; " + pair);
        assertThat(inside.status()).isEqualTo(200);
        assertThat(inside.text()).doesNotContain("sandglass_link").contains("x=y");
        assertThat(client.get(host, "//evil.example/?" + query, "Accept: text/html").header("Location")).isEqualTo("/.//evil.example/");
        Reply program = client.get(host, "/direct?" + query + "&b=2");
        assertThat(program.text()).contains("\"path\": \"/direct?b=2\"").doesNotContain("sandglass_link");
        assertThat(client.get(host, "/", "Cookie: " + pair, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors").status()).as("a page of a neighbour").isEqualTo(401);
        assertThat(client.get(host, "/", "Cookie: " + pair, "Origin: http://" + client.name(8001, box.id())).status()).as("a page of a neighbour").isEqualTo(401);
        assertThat(client.get(host, "/", "Cookie: " + pair, "Origin: http://" + host).status()).as("its own page").isEqualTo(200);
        assertThat(client.get(client.name(8001, box.id()), "/", "Cookie: " + pair).status()).as("another port").isEqualTo(401);
        box.caller().delete(box.path() + "/ports/8000/link");
        assertThat(client.get(host, "/deep", "Cookie: " + pair).status()).as("links were made worthless").isEqualTo(401);
    }

    @Test
    void aLinkByPathIsForThatRouteAlone() {
        RoutedProgram.route(box, Wish.closed("one", SECRET));
        RoutedProgram.route(box, Wish.closed("two", SECRET));
        URI url = URI.create(box.caller().post(box.path() + "/routes/one/link", new CreateLink(600L)).as(RouteLink.class).url());
        Reply moved = client.get(url.getAuthority(), url.getRawPath() + "?" + url.getRawQuery(), "Accept: text/html");
        assertThat(moved.status()).isEqualTo(303);
        assertThat(moved.header("Set-Cookie")).contains("Path=/" + box.id() + "/one;");
        String pair = moved.header("Set-Cookie").split(";")[0];
        assertThat(client.get(url.getAuthority(), "/" + box.id() + "/one/", "Cookie: " + pair).status()).isEqualTo(200);
        assertThat(client.get(url.getAuthority(), "/" + box.id() + "/two/", "Cookie: " + pair).status()).isEqualTo(401);
    }

    @Test
    void theProgramLearnsWhereARequestCameFromAndFromNobodyElse() {
        RoutedProgram.route(box, Wish.open("web"));
        String host = client.name(8000, box.id());
        Reply reply = client.get(
                host, "/", "X-Forwarded-For: 9.9.9.9", "X_Forwarded_For: 9.9.9.9", "X-Forwarded-Anything: 9.9.9.9", "Forwarded: for=9.9.9.9", "X-Real-IP: 9.9.9.9", "Keep-Alive: x", "TE: trailers", "X-Mine: hop",
                "Proxy-Authorization: hop", "Connection: x-mine");
        assertThat(reply.text()).doesNotContain("9.9.9.9").doesNotContain("hop").doesNotContain("trailers").contains("[\"X-Forwarded-For\", \"127.0.0.1\"]")
                .contains("[\"X-Forwarded-Host\", \"" + host + "\"]").contains("[\"X-Forwarded-Proto\", \"http\"]").contains("for=127.0.0.1").contains("[\"Host\", \"" + host + "\"]");
        assertThat(client.get("localhost", "/" + box.id() + "/web/").text()).contains("[\"X-Forwarded-Prefix\", \"/" + box.id() + "/web\"]");
    }

    /** Some programs refuse what a proxy passes on, as OpenClaw does. */
    @Test
    void aProgramThatIsNotToldSeesNothingOfAnyProxy() {
        RoutedProgram.route(box, Wish.open("web").silent());
        for (String path : List.of("/" + box.id() + "/web/", "/")) {
            String host = path.equals("/") ? client.name(8000, box.id()) : "localhost";
            Reply reply = client.get(host, path, "X-Forwarded-For: 9.9.9.9", "X-Forwarded-Anything: 9.9.9.9", "Forwarded: for=9.9.9.9", "X-Real-IP: 9.9.9.9");
            assertThat(reply.text()).contains("[\"Host\", \"" + host).doesNotContainIgnoringCase("forwarded").doesNotContain("9.9.9.9");
        }
    }

    @Test
    void anAnswerStaysInItsPlace() {
        RoutedProgram.route(box, Wish.open("web"));
        Reply byHost = client.get(client.name(8000, box.id()), "/cookies");
        assertThat(byHost.all("Set-Cookie")).containsExactly("a=1; Path=/; HttpOnly", "b=2; path=/deep", "c=3");
        assertThat(byHost.header("Alt-Svc")).isEmpty();
        assertThat(byHost.header("Access-Control-Allow-Origin")).as("the program's own").isEqualTo("*");
        String place = "/" + box.id() + "/web";
        Reply byPath = client.get("localhost", place + "/cookies");
        assertThat(byPath.all("Set-Cookie")).containsExactly("a=1; HttpOnly; Path=" + place, "b=2; Path=" + place + "/deep", "c=3; Path=" + place);
        assertThat(byPath.header("Service-Worker-Allowed") + byPath.header("Clear-Site-Data") + byPath.header("Alt-Svc")).isEmpty();
        assertThat(client.get("localhost", place + "/moved").header("Location")).isEqualTo(place + "/there?x=1");
        assertThat(client.get(client.name(8000, box.id()), "/moved").header("Location")).isEqualTo("/there?x=1");
    }

    @Test
    void methodsPrefixesAndRewritesHold() {
        RoutedProgram.route(box, Wish.open("api").methods("GET", "HEAD").below("/v1", "/inner"));
        String host = client.name(8000, box.id());
        assertThat(client.get(host, "/v1/x?q").text()).contains("\"path\": \"/inner/x?q\"");
        assertThat(client.get("localhost", "/" + box.id() + "/api/v1").text()).contains("\"path\": \"/inner\"");
        Reply post = client.send("POST", host, "/v1/x", "Content-Length: 0");
        assertThat(post.status()).isEqualTo(405);
        assertThat(post.header("Allow")).isEqualTo("GET, HEAD");
        for (String elsewhere : List.of("/", "/v10", "/v1/../secret", "/v1/%2e%2e/secret", "/v1/..%2fsecret", "/v1/x/..;/..;/secret")) {
            assertThat(client.get(host, elsewhere).status()).as(elsewhere).isIn(401, 400);
        }
    }

    @Test
    void anAnswerStaysBehindARewrite() {
        RoutedProgram.route(box, Wish.open("red").below("/api", "/"));
        String host = client.name(8000, box.id());
        String place = "/" + box.id() + "/red";
        assertThat(client.get(host, "/api/moved").header("Location")).isEqualTo("/api/there?x=1");
        assertThat(client.get("localhost", place + "/api/moved").header("Location")).isEqualTo(place + "/api/there?x=1");
        assertThat(client.get(host, "/api/there?x=1").text()).contains("\"path\": \"/there?x=1\"").contains("[\"X-Forwarded-Prefix\", \"/api\"]");
        assertThat(client.get("localhost", place + "/api/there").text()).contains("[\"X-Forwarded-Prefix\", \"" + place + "/api\"]");
    }

    @Test
    void pagesOfOtherOriginsMayWhatTheRouteSays() {
        RoutedProgram.route(box, Wish.closed("api", SECRET).cors(new RouteCors(List.of("https://app.example.org"), List.of("POST"), List.of("Authorization"), true)));
        String host = client.name(8000, box.id());
        Reply preflight = client.send("OPTIONS", host, "/x", "Origin: https://app.example.org", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization");
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example.org");
        assertThat(preflight.header("Access-Control-Allow-Methods")).isEqualTo("POST");
        assertThat(preflight.header("Access-Control-Allow-Headers")).isEqualTo("authorization");
        assertThat(preflight.header("Access-Control-Allow-Credentials")).isEqualTo("true");
        Reply other = client.send("OPTIONS", host, "/x", "Origin: https://evil.example.org", "Access-Control-Request-Method: POST");
        assertThat(other.status()).isEqualTo(401);
        assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
        Reply asked = client.get(host, "/cookies", "Origin: https://app.example.org", "Authorization: Bearer " + SECRET);
        assertThat(asked.header("Access-Control-Allow-Origin")).as("not the program's own").isEqualTo("https://app.example.org");
        assertThat(asked.all("Vary")).containsExactlyInAnyOrder("Accept", "Origin");
        Reply foreign = client.get(host, "/cookies", "Origin: https://evil.example.org", "Authorization: Bearer " + SECRET);
        assertThat(foreign.header("Access-Control-Allow-Origin")).isEmpty();
        assertThat(foreign.all("Vary")).as("a cache has others to serve").containsExactlyInAnyOrder("Accept", "Origin");
        assertThat(client.get(host, "/cookies", "Authorization: Bearer " + SECRET).all("Vary")).containsExactlyInAnyOrder("Accept", "Origin");
    }

    @Test
    void aPageOfAnAllowedOriginReadsThatItIsNotLetInAndOthersLearnNothing() {
        RoutedProgram.route(box, Wish.closed("api", SECRET).cors(new RouteCors(List.of("https://app.example.org"), null, null, true)));
        String place = "/" + box.id() + "/api/";
        for (String wrong : List.of("X: y", "Authorization: Bearer wrong")) {
            Reply told = client.get("localhost", place, "Origin: https://app.example.org", wrong);
            assertThat(told.status()).isEqualTo(401);
            assertThat(told.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example.org");
            assertThat(told.header("Access-Control-Allow-Credentials")).isEqualTo("true");
            assertThat(told.header("Vary")).isEqualTo("Origin");
        }
        for (String origin : List.of("X: y", "Origin: https://evil.example.org", "Origin: null")) {
            Reply there = client.get("localhost", place, origin);
            Reply nothing = client.get("localhost", "/nobody/api/", origin);
            assertThat(there.status()).isEqualTo(nothing.status()).isEqualTo(401);
            assertThat(there.headers()).isEqualTo(nothing.headers()).noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("access-control-"));
            assertThat(there.text()).isEqualTo(nothing.text());
        }
    }

    @Test
    void aRouteTakesSoManyRequests() {
        RoutedProgram.route(box, Wish.open("web").rate(1, 3));
        RoutedProgram.route(box, Wish.open("other"));
        int refused = 0;
        for (int i = 0; i < 30; i++) {
            Reply reply = client.get("localhost", "/" + box.id() + "/web/");
            if (reply.status() == 429) {
                refused++;
                assertThat(reply.header("Retry-After")).isEqualTo("1");
                assertThat(reply.problem()).isEqualTo("rate_limited");
            }
        }
        assertThat(refused).isPositive();
        assertThat(client.get("localhost", "/" + box.id() + "/other/").status()).isEqualTo(200);
    }

    @Test
    void aProgramThatDoesNotAnswerIsGivenUp() {
        RoutedProgram.route(box, Wish.open("web").timeout(1));
        Reply late = client.get("localhost", "/" + box.id() + "/web/wait");
        assertThat(late.status()).isEqualTo(504);
        assertThat(late.problem()).isEqualTo("guest_timeout");
        Eventually.get(() -> box.output("ls /workspace"), files -> files.contains("left"));
    }

    @Test
    void aClientThatLeavesTakesItsRequestWithIt() throws IOException {
        RoutedProgram.route(box, Wish.open("web"));
        try (Socket socket = client.open()) {
            socket.getOutputStream().write(("GET /" + box.id() + "/web/wait HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            Eventually.get(() -> box.output("ls /workspace"), files -> files.contains("waiting"));
        }
        Eventually.get(() -> box.output("ls /workspace"), files -> files.contains("left"));
    }

    @Test
    void anEventArrivesWhenItIsSent() throws IOException, InterruptedException {
        RoutedProgram.route(box, Wish.open("web"));
        box.output("touch /workspace/event0");
        HttpResponse<InputStream> response = http.send(HttpRequest.newBuilder(URI.create(client.url(box, "web", "/events"))).build(), BodyHandlers.ofInputStream());
        assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (int i = 0; i < 3; i++) {
                assertThat(lines.readLine()).isEqualTo("data: " + i);
                assertThat(lines.readLine()).isEmpty();
                box.output("touch /workspace/event" + (i + 1));
            }
            assertThat(lines.readLine()).isNull();
        }
    }

    /** A daemon that has less memory than one of the bodies. */
    @Test
    void largeBodiesPassInBothDirectionsAndAreNotKept() throws IOException, InterruptedException {
        RoutedProgram.route(box, Wish.open("web"));
        daemon.stop();
        daemon.with("JAVA_TOOL_OPTIONS", "-Xmx96m").start();
        try {
            MessageDigest digest = Sha256.begin();
            for (int i = 0; i < MANY >> 20; i++) {
                digest.update(new byte[1 << 20]);
            }
            String expected = HexFormat.of().formatHex(digest.digest());
            URI sink = URI.create(RouteClient.of(daemon).url(box, "web", "/sink"));
            HttpRequest known = HttpRequest.newBuilder(sink).POST(BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> new Zeros(MANY)), MANY)).build();
            assertThat(http.send(known, BodyHandlers.ofString()).body()).contains("\"bytes\": " + MANY).contains(expected);
            HttpRequest chunked = HttpRequest.newBuilder(sink).PUT(BodyPublishers.ofInputStream(() -> new Zeros(MANY))).build();
            assertThat(http.send(chunked, BodyHandlers.ofString()).body()).contains("\"bytes\": " + MANY).contains(expected).contains("\"chunked\"");
            URI source = URI.create(RouteClient.of(daemon).url(box, "web", "/big?n=" + MANY));
            try (InputStream body = http.send(HttpRequest.newBuilder(source).build(), BodyHandlers.ofInputStream()).body()) {
                assertThat(body.transferTo(OutputStream.nullOutputStream())).isEqualTo(MANY);
            }
            assertThat(daemon.isAlive()).isTrue();
        } finally {
            daemon.stop();
            daemon.without("JAVA_TOOL_OPTIONS").start();
        }
    }

    @Test
    void aWebSocketPassesThrough() throws Exception {
        RoutedProgram.route(box, Wish.open("web"));
        RoutedProgram.route(box, Wish.open("plain").withoutSockets());
        Collector collector = new Collector();
        URI at = URI.create(client.url(box, "web", "/socket").replace("http:", "ws:"));
        WebSocket socket = http.newWebSocketBuilder().buildAsync(at, collector).get(2, TimeUnit.MINUTES);
        for (int size : List.of(1, 200, 70_000)) {
            String text = "x".repeat(size);
            socket.sendText(text, true).get(2, TimeUnit.MINUTES);
            assertThat(collector.next()).isEqualTo(text);
        }
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(2, TimeUnit.MINUTES);
        collector.closed.get(2, TimeUnit.MINUTES);
        URI refused = URI.create(client.url(box, "plain", "/socket").replace("http:", "ws:"));
        assertThatThrownBy(() -> http.newWebSocketBuilder().buildAsync(refused, new Collector()).get(2, TimeUnit.MINUTES)).hasStackTraceContaining("405");
    }

    @Test
    void connectionsAreKeptAndNeverAfterARewind() {
        RoutedProgram.route(box, Wish.open("web"));
        Set<String> peers = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            peers.add(client.get("localhost", "/" + box.id() + "/web/").text().replaceAll(".*\"peer\": ([0-9]+).*", "$1"));
        }
        assertThat(peers).as("connections inside").hasSizeLessThan(10);
        Snapshot before = daemon.api().capture(box.id(), null);
        assertThat(client.get("localhost", "/" + box.id() + "/web/").status()).isEqualTo(200);
        box.rewind(before.id());
        assertThat(client.get("localhost", "/" + box.id() + "/web/").problem()).as("a state in which nothing runs").isEqualTo("port_refused");
        RoutedProgram.serve(box);
        assertThat(client.get("localhost", "/" + box.id() + "/web/").status()).isEqualTo(200);
        daemon.api().deleteSnapshot(before.id());
    }

    @Test
    void aNameThatLooksLikeMoreIsTakenWhole() {
        box.caller().patch(box.path(), new UpdateSandbox("a-b-8000-c", null, null, null, null, null, null, null, null, null, null, null, null, null));
        RoutedProgram.route(box, Wish.open("web"));
        assertThat(client.get(client.name(8000, "a-b-8000-c"), "/").status()).isEqualTo(200);
        assertThat(client.get(client.name(8000, "A-B-8000-C").toUpperCase(Locale.ROOT), "/").status()).isEqualTo(200);
        assertThat(client.get(client.name(8000, "b-8000-c"), "/").status()).isEqualTo(401);
    }

    @Test
    void routesWorkAgainAfterARestart() throws IOException, InterruptedException {
        RoutedProgram.route(box, Wish.closed("api", SECRET));
        RouteLink link = box.caller().post(box.path() + "/routes/api/link", new CreateLink(600L)).as(RouteLink.class);
        daemon.kill();
        daemon.start();
        RouteClient again = RouteClient.of(daemon);
        assertThat(again.get("localhost", "/" + box.id() + "/api/", "Authorization: Bearer " + SECRET).status()).isEqualTo(200);
        assertThat(again.get("localhost", "/" + box.id() + "/api/?" + URI.create(link.url()).getRawQuery()).status()).isEqualTo(200);
        assertThat(again.get("localhost", "/" + box.id() + "/api/").status()).isEqualTo(401);
    }

    private static final class Collector implements WebSocket.Listener {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder partial = new StringBuilder();

        String next() throws InterruptedException {
            return messages.poll(2, TimeUnit.MINUTES);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                messages.add(partial.toString());
                partial.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            closed.complete(code);
            return null;
        }
    }
}
