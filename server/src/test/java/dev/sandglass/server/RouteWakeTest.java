package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.server.RouteClient.Reply;
import dev.sandglass.server.RoutedProgram.Wish;
import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request wakes the sandbox that it is for, when it may: once for all who come, and not for who is not let in. */
@OnEveryRuntime
@Timeout(600)
class RouteWakeTest {
    private static final String SECRET = "a-secret-of-some-length";
    private static final int BURST = 20;
    private static final int MANY = 200;
    private static final int ROUNDS = 5;
    private static final int TOO_MANY = 300;
    /** As docs/security.md has it. */
    private static final int MOST_WAITING = 256;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;
    /** Where processes cannot be kept, what listens is gone after a pause. */
    private final boolean diskOnly;

    RouteWakeTest(String runtime) {
        this.runtime = runtime;
        this.diskOnly = CapturedMemory.obstacle(runtime).isPresent();
    }

    private Reply ask(TestSandbox box, String route, String... headers) {
        return RouteClient.of(daemon).get("localhost", "/" + box.id() + "/" + route + "/", headers);
    }

    /** Of what a woken sandbox answers, whether its program has gone on or starts anew. */
    private static void assertAwake(Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    @Test
    void aBurstWakesItOnceAndOnlyWhoMayDoes() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            RoutedProgram.serveAlways(box);
            RoutedProgram.route(box, Wish.closed("waking", SECRET).resuming());
            RoutedProgram.route(box, Wish.open("lazy"));
            box.pause(diskOnly);
            for (String wrong : List.of("Authorization: Bearer " + SECRET + "x", "X: y", "Cookie: sandglass_link=1.x")) {
                assertThat(ask(box, "waking", wrong).status()).isEqualTo(401);
            }
            Reply lazy = ask(box, "lazy");
            assertThat(lazy.status()).isEqualTo(503);
            assertThat(lazy.problem()).isEqualTo("sandbox_not_running");
            assertThat(lazy.header("Retry-After")).isNotEmpty();
            assertThat(box.now().state()).as("nobody was let in who may wake it").isEqualTo("paused");
            double before = woken();
            List<Callable<Reply>> burst = Collections.nCopies(BURST, () -> ask(box, "waking", "Authorization: Bearer " + SECRET));
            AtOnce.all(burst).forEach(RouteWakeTest::assertAwake);
            assertThat(woken() - before).as("wake-ups").isEqualTo(1);
            assertThat(box.now().state()).isEqualTo("running");
        }
    }

    /** Many of them find it on its way, and a moment later it runs. */
    @Test
    void nobodyWhoComesWhileItWakesIsTurnedAway() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            RoutedProgram.serveAlways(box);
            RoutedProgram.route(box, Wish.open("waking").resuming());
            for (int round = 0; round < ROUNDS; round++) {
                box.pause(diskOnly);
                List<Callable<Reply>> burst = Collections.nCopies(MANY, () -> ask(box, "waking"));
                AtOnce.all(burst).forEach(RouteWakeTest::assertAwake);
            }
        }
    }

    private double woken() {
        return daemon.caller().get("/metrics").text().lines().filter(line -> line.startsWith("sandglass_route_wakeups_total{result=\"succeeded\"}")).mapToDouble(line -> Double.parseDouble(line.split(" ")[1])).sum();
    }

    @Test
    void whoComesWhileTheProgramStartsWaitsForItToo() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            RoutedProgram.serveAlways(box, "until [ -e /workspace/listen ]; do sleep 0.05; done");
            RoutedProgram.route(box, Wish.open("waking").resuming());
            RoutedProgram.route(box, Wish.open("lazy"));
            box.pause(true);
            CompletableFuture<Reply> first = CompletableFuture.supplyAsync(() -> ask(box, "waking"));
            Eventually.get(() -> box.now().state(), "running"::equals);
            CompletableFuture<Reply> second = CompletableFuture.supplyAsync(() -> ask(box, "waking"));
            assertThat(ask(box, "lazy").problem()).as("by a route that does not wake it").isEqualTo("port_refused");
            assertThat(List.of(first.isDone(), second.isDone())).as("they wait").containsExactly(false, false);
            box.files().write("/workspace/listen", "");
            assertAwake(first.join());
            assertAwake(second.join());
            assertAwake(ask(box, "lazy"));
        }
    }

    @Test
    void noRouteToItsPortHidesOneThatWakesIt() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            RoutedProgram.serveAlways(box);
            RoutedProgram.route(box, Wish.open("aaa").methods("GET"));
            RoutedProgram.route(box, Wish.closed("web", SECRET).resuming());
            RouteClient client = RouteClient.of(daemon);
            String host = client.name(RoutedProgram.PORT, box.id());
            String secret = "Authorization: Bearer " + SECRET;
            assertThat(client.send("PUT", host, "/", secret).status()).as("a method that only the other takes").isEqualTo(200);
            assertThat(client.send("PUT", host, "/").status()).isEqualTo(405);
            box.pause(diskOnly);
            assertThat(client.get(host, "/").problem()).as("who is let in by the first alone").isEqualTo("sandbox_not_running");
            assertAwake(client.get(host, "/", secret));
            daemon.caller().delete(box.path() + "/routes/web");
            String link = URI.create(daemon.caller().post(box.path() + "/ports/" + RoutedProgram.PORT + "/link", new CreateLink(600L)).as(RouteLink.class).hostUrl()).getRawQuery();
            box.pause(diskOnly);
            assertAwake(client.get(host, "/?" + link));
        }
    }

    @Test
    void whatUseIsNotToWakeRests() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            RoutedProgram.route(box, Wish.open("waking").resuming());
            box.pause(diskOnly);
            assertThat(ask(box, "waking").problem()).isEqualTo("sandbox_not_running");
            assertThat(box.now().state()).isEqualTo("paused");
        }
    }

    @Test
    void whoWaitsTooLongOrComesWhenManyWaitIsToldToComeAgain() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            RoutedProgram.serveAlways(box);
            RoutedProgram.route(box, Wish.open("waking").resuming());
            box.pause(diskOnly);
            daemon.stop();
            daemon.with("SANDGLASS_ROUTE_WAKE_SECONDS", "1").holdingAt(Failpoint.RESUME_STARTED.name()).start();
            CompletableFuture<Reply> first = CompletableFuture.supplyAsync(() -> ask(box, "waking"));
            daemon.atTheStep(() -> assertComeAgain(first.join()));
            Eventually.get(() -> box.now().state(), "running"::equals);
            assertAwake(ask(box, "waking"));
            box.pause(diskOnly);
            daemon.stop();
            daemon.with("SANDGLASS_ROUTE_WAKE_SECONDS", "600").start();
            askAtOnce(box);
        } finally {
            daemon.stop();
            daemon.without("SANDGLASS_ROUTE_WAKE_SECONDS");
            daemon.revive();
        }
    }

    private void askAtOnce(TestSandbox box) throws IOException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Reply>> replies = IntStream.range(0, TOO_MANY).mapToObj(_ -> CompletableFuture.supplyAsync(() -> ask(box, "waking"), threads)).toList();
            daemon.atTheStep(() -> {
                Eventually.get(() -> replies.stream().filter(CompletableFuture::isDone).count(), count -> count == TOO_MANY - MOST_WAITING);
                replies.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join).forEach(RouteWakeTest::assertComeAgain);
            });
            assertThat(replies.stream().map(CompletableFuture::join).filter(reply -> reply.status() == 503)).hasSize(TOO_MANY - MOST_WAITING);
            replies.stream().map(CompletableFuture::join).filter(reply -> reply.status() != 503).forEach(RouteWakeTest::assertAwake);
        }
    }

    @Test
    void whatIsOpenKeepsItAwakeAndWhatIsKeptForLaterDoesNot() throws Exception {
        try (TestSandbox idle = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
                TestSandbox held = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
                HttpClient http = HttpClient.newHttpClient()) {
            for (TestSandbox box : List.of(idle, held)) {
                RoutedProgram.serveDetached(box); // a command would be use of its own
                RoutedProgram.route(box, Wish.open("web"));
            }
            URI at = URI.create(RouteClient.of(daemon).url(held, "web", "/socket").replace("http:", "ws:"));
            WebSocket socket = http.newWebSocketBuilder().buildAsync(at, new WebSocket.Listener() {}).get(2, TimeUnit.MINUTES);
            assertThat(ask(idle, "web").status()).as("leaves a connection for later").isEqualTo(200);
            pauseWhenUnused(idle);
            pauseWhenUnused(held);
            Eventually.get(() -> idle.now().state(), "paused"::equals);
            assertThat(held.now().state()).as("a WebSocket is open").isEqualTo("running");
            socket.abort();
            Eventually.get(() -> held.now().state(), "paused"::equals);
        }
    }

    private static void pauseWhenUnused(TestSandbox box) {
        box.caller().patch(box.path(), new UpdateSandbox(null, null, null, null, null, null, null, null, 1L, null, null, null, null, null));
    }

    private static void assertComeAgain(Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.problem()).isEqualTo("sandbox_waking");
        assertThat(reply.header("Retry-After")).isNotEmpty();
    }
}
