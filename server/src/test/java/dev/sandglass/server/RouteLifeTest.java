package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteList;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Routes belong to one sandbox for as long as it is there, whatever becomes of it and of the daemon. */
@OnEveryRuntime
class RouteLifeTest {

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    RouteLifeTest(String runtime) {
        this.runtime = runtime;
    }

    private Route create(TestSandbox box, String name, int port) {
        return daemon.caller().post(box.path() + "/routes", new CreateRoute(name, port, null, null, null, null, null, null, null, null, null, null, null, null, null)).as(Route.class);
    }

    private List<String> names(String sandbox) {
        return daemon.caller().get("/v1/sandboxes/" + sandbox + "/routes").as(RouteList.class).routes().stream().map(Route::name).toList();
    }

    private List<Route> all() {
        return daemon.caller().get("/v1/routes").as(RouteList.class).routes();
    }

    private List<Event> events(TestSandbox box) {
        return daemon.caller().get("/v1/events?limit=1000&type=route.created&type=route.removed&sandbox=" + box.id()).as(EventList.class).events();
    }

    @Test
    void theyStayWhileTheSandboxRestsMovesAndTheDaemonIsReplaced() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Route made = create(box, "web", 8080);
            box.pause(CapturedMemory.obstacle(runtime).isPresent());
            assertThat(names(box.id())).containsExactly("web");
            create(box, "second", 8081);
            daemon.kill();
            daemon.start();
            assertThat(names(box.id())).as("to the next daemon").containsExactly("second", "web");
            box.resume(false);
            daemon.api().update(box.id(), new UpdateSandbox("renamed", null, null, null, null, null, null, null, null, null, null, null, null, null));
            Route later = daemon.caller().get("/v1/sandboxes/renamed/routes/web").as(Route.class);
            assertThat(URI.create(later.url()).getPath()).as("a name may change").isEqualTo(URI.create(made.url()).getPath()).contains(box.id()); // and the port of another daemon
            assertThat(daemon.caller().post("/v1/sandboxes/renamed/routes/web/link", new CreateLink(60L)).as(RouteLink.class).hostUrl()).contains(box.id().replace("-", ""));
        }
    }

    @Test
    void theNameThatASandboxHasNowLeadsToThem() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).name("heron"))) {
            RoutedProgram.route(box, RoutedProgram.Wish.open("web"));
            assertThat(List.of(asked("heron"), asked("egret"), asked(box.id()))).as("nothing listens there, or nothing is there").containsExactly(502, 401, 502);
            daemon.api().update(box.id(), new UpdateSandbox("egret", null, null, null, null, null, null, null, null, null, null, null, null, null));
            assertThat(List.of(asked("heron"), asked("egret"), asked(box.id()))).containsExactly(401, 502, 502);
            daemon.kill();
            daemon.start();
            assertThat(List.of(asked("heron"), asked("egret"), asked(box.id()))).as("to the next daemon").containsExactly(401, 502, 502);
        }
        assertThat(asked("egret")).isEqualTo(401);
    }

    @Test
    void noNewcomerGetsTheAddressOfOneThatIsGone() {
        String gone;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            gone = box.id().replace("-", "");
            refused(ErrorCode.INVALID_REQUEST, () -> daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).name(gone)));
            refused(ErrorCode.INVALID_REQUEST, () -> daemon.api().update(box.id(), Changes.none().name(gone).toWire()));
        }
        refused(ErrorCode.INVALID_REQUEST, () -> daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).name(gone)));
    }

    private int asked(String sandbox) {
        RouteClient client = RouteClient.of(daemon);
        int byHost = client.get(client.name(RoutedProgram.PORT, sandbox), "/").status();
        assertThat(client.get("localhost", "/" + sandbox + "/web/").status()).isEqualTo(byHost);
        return byHost;
    }

    @Test
    void behindAProxyTheyAreWhereThatIs() throws IOException, InterruptedException {
        int port = RouteClient.of(daemon).port(); // nobody tells it of a daemon behind a proxy
        RouteClient proxy = new RouteClient("127.0.0.1", port, "apps.example.org");
        daemon.kill();
        daemon.with("SANDGLASS_ROUTE_URL", "https://apps.example.org").with("SANDGLASS_ROUTE_LISTEN", "127.0.0.1:" + port).start();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            RoutedProgram.serve(box);
            Route made = create(box, "web", RoutedProgram.PORT);
            String name = RoutedProgram.PORT + "-" + box.id().replace("-", "") + ".apps.example.org";
            assertThat(made.url()).isEqualTo("https://apps.example.org/" + box.id() + "/web/");
            assertThat(made.hostUrl()).isEqualTo("https://" + name + "/");
            URI link = URI.create(daemon.caller().post(box.path() + "/routes/web/link", new CreateLink(60L)).as(RouteLink.class).hostUrl());
            RouteClient.Reply reply = proxy.get(name, "/?" + link.getQuery());
            assertThat(reply.text()).contains("[\"X-Forwarded-Proto\", \"https\"]").contains("proto=https");
            assertThat(reply.header("Set-Cookie")).endsWith("; Secure");
            assertThat(proxy.get("apps.example.org", "/" + box.id() + "/web/?" + link.getQuery()).status()).isEqualTo(200);
        } finally {
            daemon.kill();
            daemon.without("SANDGLASS_ROUTE_URL").without("SANDGLASS_ROUTE_LISTEN").start();
        }
    }

    @Test
    void theirComingAndGoingIsToldAndTheirSecretsAreNot() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Route made = create(box, "web", 8080);
            refused(ErrorCode.NAME_TAKEN, () -> create(box, "web", 8081));
            daemon.caller().delete(box.path() + "/routes/web");
            refused(ErrorCode.ROUTE_NOT_FOUND, () -> daemon.caller().delete(box.path() + "/routes/web"));
            Map<String, String> told = Map.of("route", "web", "port", "8080", "access", "private");
            assertThat(events(box)).extracting(Event::type, Event::data).containsExactly(tuple("route.created", told), tuple("route.removed", told));
            String secret = String.valueOf(made.secret());
            assertThat(daemon.caller().get("/v1/events?limit=1000").text()).doesNotContain(secret);
            for (Path file : List.of(daemon.log(), daemon.data().resolve("ledger.db"), daemon.data().resolve("ledger.db-wal"))) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(secret);
            }
        }
    }

    @Test
    void aCopyHasNone() {
        boolean captures = CapturedMemory.obstacle(runtime).isEmpty();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            create(box, "web", 8080);
            for (boolean diskOnly : captures ? List.of(true, false) : List.of(true)) {
                Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, diskOnly)).as(Forked.class);
                String copy = forked.sandboxes().getFirst().id();
                assertThat(names(copy)).isEmpty();
                daemon.api().destroy(copy);
                Snapshot snapshot = diskOnly ? daemon.api().capture(box.id(), null) : daemon.api().captureAll(box.id());
                try (TestSandbox grown = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()))) {
                    assertThat(names(grown.id())).isEmpty();
                }
                daemon.api().deleteSnapshot(snapshot.id());
            }
            assertThat(names(box.id())).containsExactly("web");
        }
    }

    @Test
    void theyGoWithTheirSandbox() throws IOException, InterruptedException {
        String gone;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).name("stork"))) {
            gone = box.id();
            create(box, "web", 8080);
        }
        assertThat(all()).extracting(Route::sandbox).doesNotContain(gone);
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> names(gone));
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).name("stork"))) {
            assertThat(names(box.id())).as("of one that has its name").isEmpty();
            create(box, "web", 8080);
            daemon.mortalAt(Failpoint.DESTROY_STOPPED.name());
            try {
                daemon.api().destroy(box.id());
            } catch (UncheckedIOException died) {
                daemon.awaitEnd();
            }
            daemon.revive();
            assertThat(all()).as("by a daemon that died on the way").extracting(Route::sandbox).doesNotContain(box.id());
        }
    }
}
