package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes and links as the API gives them, and whom they let in; a secret goes in, and comes out once if it was drawn here. */
class RouteApiTest extends ApiFixture {
    private static final SandboxId BOX = new SandboxId("sbx-aaaaaaaaaaaa");
    private static final SandboxId OTHER = new SandboxId("sbx-bbbbbbbbbbbb");
    private static final String SECRET = "tell-nobody-7f3a91-c2";
    private static final String ROUTES = "/v1/sandboxes/box/routes";
    private static final String FULL = "{\"name\":\"web\",\"port\":8080,\"access\":\"private\",\"auth\":\"header\",\"header\":\"X-Route-Key\",\"secret\":\"" + SECRET + "\",\"methods\":[\"POST\",\"GET\"],"
            + "\"path_prefix\":\"/api/\",\"rewrite\":\"/\",\"cors\":{\"origins\":[\"https://app.example.org\"],\"methods\":[\"GET\"],\"headers\":[\"X-One\"],\"credentials\":true},"
            + "\"rate\":{\"per_second\":5,\"burst\":9},\"timeout\":7,\"resume\":true,\"websocket\":false,\"forwarded\":false}";

    @BeforeEach
    void insert() {
        api.ledger.insert(record(BOX, "box"));
        api.ledger.insert(record(OTHER, "other"));
    }

    /** One that is stopped, which a daemon without a runtime leaves as it is. */
    private static SandboxRecord record(SandboxId id, String name) {
        return new SandboxRecord(
                id, 1, name, new SandboxState.Stopped("by request"), "gvisor", Security.STANDARD, Set.of(), new Limits(1 << 30, 1, 1 << 30, 128),
                new Deadlines(Optional.empty(), Optional.empty(), Lifecycle.PLAIN, Optional.empty(), Optional.empty()), Map.of(), Map.of(), "base", "digest", List.of(), Instant.EPOCH,
                Optional.empty(), Lineage.OF_AN_IMAGE, Optional.empty(), Set.of(), List.of(), CommandDefaults.NONE);
    }

    private String send(String operation, String method, String target, String body, int status) throws IOException, InterruptedException {
        HttpResponse<String> answer = exchange(operation, method, target, body, status);
        assertThat(answer.body() + answer.headers().map()).doesNotContain(SECRET);
        return answer.body();
    }

    private dev.sandglass.wire.Route create(String body) throws IOException, InterruptedException {
        return Json.read(dev.sandglass.wire.Route.class, send("createRoute", "POST", ROUTES, body, 201).getBytes(StandardCharsets.UTF_8));
    }

    private Route find(String name) {
        return routes().find(BOX, name).orElseThrow();
    }

    private Routes routes() {
        return api.engine.routes();
    }

    @Test
    void whoMakesOneThatCannotWakeItsSandboxIsWarned() throws IOException, InterruptedException {
        assertThat(create("{\"name\":\"one\",\"port\":80,\"resume\":true}").warnings()).singleElement().asString().startsWith("resume: ").contains("box --auto-resume");
        assertThat(create("{\"name\":\"two\",\"port\":80}").warnings()).isNull();
        assertThat(send("getRoute", "GET", ROUTES + "/one", "", 200)).doesNotContain("warnings");
    }

    @Test
    void oneIsKeptShownAndRemovedAsDescribed() throws IOException, InterruptedException {
        String made = send("createRoute", "POST", ROUTES, FULL, 201);
        assertThat(made).contains(
                "\"sandbox\":\"sbx-aaaaaaaaaaaa\"", "\"name\":\"web\"", "\"port\":8080", "\"access\":\"private\"", "\"auth\":\"header\"", "\"header\":\"X-Route-Key\"", "\"methods\":[\"GET\",\"POST\"]",
                "\"path_prefix\":\"/api\"", "\"rewrite\":\"/\"", "\"origins\":[\"https://app.example.org\"]", "\"headers\":[\"x-one\"]", "\"credentials\":true", "\"per_second\":5", "\"burst\":9",
                "\"timeout\":7", "\"resume\":true", "\"websocket\":false", "\"forwarded\":false", "\"url\":\"http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/api/\"",
                "\"host_url\":\"http://8080-sbxaaaaaaaaaaaa.sandglass.localhost:7071/api/\"").doesNotContain("\"secret\"");
        String kept = send("getRoute", "GET", ROUTES + "/web", "", 200);
        assertThat(made).startsWith(kept.substring(0, kept.length() - 1)); // and what is told once
        assertThat(send("listRoutes", "GET", ROUTES, "", 200)).isEqualTo("{\"routes\":[" + kept + "]}");
        assertThat(send("listRoutes", "GET", "/v1/sandboxes/other/routes", "", 200)).isEqualTo("{\"routes\":[]}");
        assertThat(send("listAllRoutes", "GET", "/v1/routes", "", 200)).isEqualTo("{\"routes\":[" + kept + "]}");
        assertThat(send("createRoute", "POST", ROUTES, FULL, 409)).contains("name_taken");
        api.close();
        api = new ServedApi(directory);
        assertThat(send("getRoute", "GET", ROUTES + "/web", "", 200)).as("by the next daemon").isEqualTo(kept);
        send("deleteRoute", "DELETE", ROUTES + "/web", "", 204);
        assertThat(send("getRoute", "GET", ROUTES + "/web", "", 404)).contains("route_not_found");
        send("deleteRoute", "DELETE", ROUTES + "/web", "", 404);
        assertThat(send("listAllRoutes", "GET", "/v1/routes", "", 200)).isEqualTo("{\"routes\":[]}");
    }

    @Test
    void aSecretThatIsDrawnIsShownOnceAndLetsIn() throws IOException, InterruptedException {
        String secret = Objects.requireNonNull(create("{\"name\":\"web\",\"port\":80}").secret());
        assertThat(secret).hasSize(43);
        assertThat(send("getRoute", "GET", ROUTES + "/web", "", 200)).doesNotContain(secret, "\"secret\"");
        assertThat(send("listRoutes", "GET", ROUTES, "", 200)).doesNotContain(secret);
        assertThat(routes().admits(find("web"), secret)).isTrue();
        for (String wrong : List.of("", secret + "x", secret.substring(1), secret.toUpperCase(Locale.ROOT), secret + "\n", "\0")) {
            assertThat(routes().admits(find("web"), wrong)).as(wrong).isFalse();
        }
        String second = Objects.requireNonNull(create("{\"name\":\"more\",\"port\":80}").secret());
        assertThat(routes().admits(find("web"), second)).as("that of another").isFalse();
        assertThat(create("{\"name\":\"all\",\"port\":80,\"access\":\"public\"}").secret()).isNull();
        assertThat(routes().admits(find("all"), "")).as("nobody needs one").isFalse();
    }

    @Test
    void aSecretThatIsGivenIsNowhere() throws IOException, InterruptedException {
        create(FULL);
        assertThat(routes().admits(find("web"), SECRET)).isTrue();
        assertThat(api.get("/v1/events?limit=1000").body()).contains("route.created").doesNotContain(SECRET);
        api.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(SECRET);
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("routes.key")))).isEqualTo("rw-------");
        api = new ServedApi(directory);
        assertThat(routes().admits(find("web"), SECRET)).as("to the next daemon").isTrue();
        api.close();
        Files.writeString(directory.resolve("routes.key"), "0123456789abcdef".repeat(4));
        api = new ServedApi(directory);
        assertThat(routes().admits(find("web"), SECRET)).as("with another key").isFalse();
    }

    @Test
    void ofTwoWithTheSameSecretTheLedgerTellsNothing() throws IOException, InterruptedException {
        create("{\"name\":\"one\",\"port\":80,\"secret\":\"" + SECRET + "\"}");
        create("{\"name\":\"two\",\"port\":80,\"secret\":\"" + SECRET + "\"}");
        assertThat(api.ledger.routes().all().stream().map(row -> row.secret()).distinct()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "\"tell-nobody-7f3a91-c2\"",
        "{\"name\":\"web\",\"port\":80,\"secret\":[\"tell-nobody-7f3a91-c2\"]}",
        "{\"name\":\"web\",\"port\":80,\"secret\":\"tell-nobody-7f3a91-c2\\n\"}",
        "{\"name\":\"web\",\"port\":80,\"secret\":\"tell-nobody-7f3a91-c2\",\"access\":\"public\"}",
        "{\"name\":\"web\",\"port\":80,\"secret\":\"tell-nobody-7f3a91-c2\",\"more\":1}",
        "{\"name\":\"web\",\"port\":0,\"secret\":\"tell-nobody-7f3a91-c2\"}",
        "{\"name\":\"8080\",\"port\":80,\"secret\":\"tell-nobody-7f3a91-c2\"}",
        "{\"name\":\"web\",\"port\":80,\"secret\":\"tell-nobody-7f3a91-c2",
        "{\"name\":\"web\",\"port\":80,\"secret\":\"short\"}",
        "{\"name\":\"web\",\"port\":80,\"path_prefix\":\"/a/../b\"}",
        "{\"name\":\"web\",\"port\":80,\"cors\":{\"origins\":[\"*\"],\"credentials\":true}}"
    })
    void whatIsWrongIsSaidWithoutTheSecret(String body) throws IOException, InterruptedException {
        send("createRoute", "POST", ROUTES, body, 400);
        assertThat(api.ledger.routes().all()).isEmpty();
    }

    private static String token(String url) {
        return url.substring(url.indexOf("sandglass_link=") + "sandglass_link=".length());
    }

    private String link(String target, String body) throws IOException, InterruptedException {
        String answer = send(target.contains("/ports/") ? "linkPort" : "linkRoute", "POST", target, body, 201);
        return Json.read(dev.sandglass.wire.RouteLink.class, answer.getBytes(StandardCharsets.UTF_8)).url();
    }

    @Test
    void aLinkLetsInUntilItExpiresAndNowhereElse() throws IOException, InterruptedException {
        create("{\"name\":\"web\",\"port\":80,\"path_prefix\":\"/api\"}");
        create("{\"name\":\"more\",\"port\":80}");
        String url = link(ROUTES + "/web/link", "");
        assertThat(url).startsWith("http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/api/?sandglass_link=");
        String token = token(url);
        assertThat(routes().admitsUntil(find("web"), token)).hasValueSatisfying(end -> assertThat(end).isBetween(Instant.now().plusSeconds(3000), Instant.now().plusSeconds(3600)));
        assertThat(routes().admitsUntil(find("more"), token)).as("another route").isEmpty();
        assertThat(routes().at(BOX, 80)).extracting(Route::name).as("the narrowest first, the port at the end").containsExactly("web", "more", "");
        assertThat(routes().admitsUntil(routes().at(BOX, 80).getLast(), token)).as("the port itself").isEmpty();
        String[] parts = token.split("\\.", 2);
        long later = Long.parseLong(parts[0]) + 1;
        for (String forged : List.of("", "x", later + "." + parts[1], parts[0] + "." + parts[1].substring(1) + "A", token + "A", "99999999999999." + parts[1])) {
            assertThat(routes().admitsUntil(find("web"), forged)).as(forged).isEmpty();
        }
        String brief = token(link(ROUTES + "/web/link", "{\"expires\":1}"));
        Awaitility.await().forever().until(() -> routes().admitsUntil(find("web"), brief).isEmpty());
        assertThat(routes().admitsUntil(find("web"), token)).isPresent();
        send("linkRoute", "POST", ROUTES + "/web/link", "{\"expires\":0}", 400);
        send("linkRoute", "POST", ROUTES + "/web/link", "{\"expires\":31536001}", 400);
        assertThat(send("linkRoute", "POST", ROUTES + "/none/link", "{}", 404)).contains("route_not_found");
    }

    @Test
    void linksAreWorthlessOnceTheyAreUnlinkedOrTheRouteIsAnotherOne() throws IOException, InterruptedException {
        create("{\"name\":\"web\",\"port\":80,\"secret\":\"" + SECRET + "\"}");
        String first = token(link(ROUTES + "/web/link", "{}"));
        send("unlinkRoute", "DELETE", ROUTES + "/web/link", "", 204);
        assertThat(routes().admitsUntil(find("web"), first)).isEmpty();
        assertThat(routes().admits(find("web"), SECRET)).as("its secret is what it was").isTrue();
        String second = token(link(ROUTES + "/web/link", "{}"));
        api.close();
        api = new ServedApi(directory);
        assertThat(routes().admitsUntil(find("web"), first)).as("to the next daemon too").isEmpty();
        assertThat(routes().admitsUntil(find("web"), second)).isPresent();
        Route before = find("web");
        send("deleteRoute", "DELETE", ROUTES + "/web", "", 204);
        assertThat(routes().admits(before, SECRET)).as("by who still has it").isFalse();
        create("{\"name\":\"web\",\"port\":80,\"secret\":\"" + SECRET + "\"}");
        assertThat(routes().admitsUntil(find("web"), second)).isEmpty();
        assertThat(send("unlinkRoute", "DELETE", ROUTES + "/none/link", "", 404)).contains("route_not_found");
    }

    @Test
    void aPortHasLinksWithoutARoute() throws IOException, InterruptedException {
        String url = link("/v1/sandboxes/box/ports/9000/link", "{\"expires\":60}");
        assertThat(url).startsWith("http://9000-sbxaaaaaaaaaaaa.sandglass.localhost:7071/?sandglass_link=");
        assertThat(routes().admitsUntil(routes().at(BOX, 9000).getLast(), token(url))).isPresent();
        assertThat(routes().admitsUntil(routes().at(BOX, 9001).getLast(), token(url))).as("another port").isEmpty();
        assertThat(routes().admitsUntil(routes().at(OTHER, 9000).getLast(), token(url))).as("another sandbox").isEmpty();
        assertThat(routes().admits(routes().at(BOX, 9000).getLast(), "")).as("no secret opens it").isFalse();
        send("unlinkPort", "DELETE", "/v1/sandboxes/box/ports/9000/link", "", 204);
        assertThat(routes().admitsUntil(routes().at(BOX, 9000).getLast(), token(url))).isEmpty();
        String next = token(link("/v1/sandboxes/box/ports/9000/link", "{}"));
        api.close();
        api = new ServedApi(directory);
        assertThat(routes().admitsUntil(routes().at(BOX, 9000).getLast(), next)).isPresent();
        assertThat(routes().admitsUntil(routes().at(BOX, 9000).getLast(), token(url))).isEmpty();
        send("linkPort", "POST", "/v1/sandboxes/box/ports/70000/link", "{}", 400);
        send("unlinkPort", "DELETE", "/v1/sandboxes/box/ports/70000/link", "", 400);
        send("linkPort", "POST", "/v1/sandboxes/box/ports/0/link", "{}", 400);
    }

    @Test
    void aSandboxHasAtMostSoMany() throws IOException, InterruptedException {
        for (int i = 0; i < 64; i++) {
            create("{\"name\":\"r" + i + "\",\"port\":80}");
        }
        assertThat(send("createRoute", "POST", ROUTES, "{\"name\":\"more\",\"port\":80}", 429)).contains("limit_reached");
        assertThat(routes().list("box")).hasSize(64);
    }
}
