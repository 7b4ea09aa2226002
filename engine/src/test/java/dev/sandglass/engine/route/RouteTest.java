package dev.sandglass.engine.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.RouteCors;
import dev.sandglass.wire.RouteRate;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests a route is for, and what the sandbox is asked for then. */
class RouteTest {
    private static final SandboxId SANDBOX = new SandboxId("sbx-aaaaaaaaaaaa");

    private static Route route(@Nullable String prefix, @Nullable String rewrite) {
        return made(new CreateRoute("web", 80, null, null, null, null, null, prefix, rewrite, null, null, null, null, null, null));
    }

    private static Route made(CreateRoute request) {
        return Route.of(SANDBOX, request, "generation", Instant.EPOCH);
    }

    @ParameterizedTest
    @CsvSource({
        ",,/a/b,/a/b",
        ",,/../a,/../a",
        "/,,/a,/a",
        "/api,,/api,/api",
        "/api/,,/api/v1/x,/api/v1/x",
        "/api,/,/api/v1,/v1",
        "/api,/,/api,/",
        "/api,/,/api/,/",
        "/api,/internal/v2,/api/x%20y,/internal/v2/x%20y",
        "/,/app,/x,/app/x",
        "/api,,/api/a..b/...,/api/a..b/..."
    })
    void theRestOfThePathStays(@Nullable String prefix, @Nullable String rewrite, String path, String inside) {
        assertThat(route(prefix, rewrite).inside(path)).contains(inside);
    }

    @ParameterizedTest
    @CsvSource({
        ",,/login,/login",
        "/api,,/api/login,/api/login",
        "/api,/,/login?next=/x,/api/login?next=/x",
        "/api,/,/,/api/",
        "/api,/inner,/inner,/api",
        "/api,/inner,/inner?x,/api?x",
        "/api,/inner,/inner/y#z,/api/y#z",
        "/api,/inner,/innermost,/innermost",
        "/api,/inner,/login,/login",
        "/,/app,/app?x=/app,/?x=/app"
    })
    void whatTheSandboxNamesIsFoundOutside(@Nullable String prefix, @Nullable String rewrite, String path, String outside) {
        assertThat(route(prefix, rewrite).outside(path)).isEqualTo(outside);
    }

    /** What some server takes for a way up is none that a route opens. */
    @ParameterizedTest
    @ValueSource(strings = {
        "/", "/apis", "/Api", "/%61pi/x", "/v1/api", "/api/..", "/api/../admin", "/api/x/../../admin", "/api/./x", "/api/%2e%2e/admin", "/api/.%2E/admin", "/api/..%2fadmin", "/api/..%5Cadmin",
        "/api/..\\admin", "/api/..;x=1/admin", "/api/..%3Bx/admin", "/api/%2e", "/api/%252e%252e/admin", "/api/%c0%ae%c0%ae/admin", "/api/%25c0%25ae./admin", "/api/x%00"
    })
    void whatIsElsewhereOrClimbsOutIsNotMeant(String path) {
        assertThat(route("/api", null).inside(path)).isEqualTo(Optional.empty());
        assertThat(route("/api", "/").inside(path)).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/..", "/../admin", "/..%2fadmin", "/x/../../admin", "/%2e%2e/admin", "/%252e%252e/admin", "/%c0%ae%c0%ae/admin", "/..;x/admin", "/..\\admin"})
    void aRewriteAloneConfinesToo(String path) {
        assertThat(route(null, "/app").inside(path)).isEqualTo(Optional.empty());
        assertThat(route("/", "/app").inside(path)).isEqualTo(Optional.empty());
        assertThat(route(null, "/app").inside("/x/%20y")).contains("/app/x/%20y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "api", "/a//b", "/a/../b", "/.", "/a?b", "/a#b", "/a b", "/a%2fb", "/\u00fc", "/a\n"})
    void aPrefixIsPlain(String prefix) {
        assertThatThrownBy(() -> route(prefix, null)).isInstanceOf(SandglassException.class).hasMessageContaining("path_prefix: ");
        assertThatThrownBy(() -> route(null, prefix)).isInstanceOf(SandglassException.class).hasMessageContaining("rewrite: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8080", "-web", "a b", "a/b", "\u00fc"})
    void aNameIsOneThatStandsInAPathAndIsNoPort(String name) {
        assertThatThrownBy(() -> made(new CreateRoute(name, 80, null, null, null, null, null, null, null, null, null, null, null, null, null))).hasMessageContaining("name");
    }

    @Test
    void methodsAreThoseThatWereNamedOrAll() {
        Route some = made(new CreateRoute("web", 80, null, null, null, null, List.of("GET", "HEAD"), null, null, null, null, null, null, null, null));
        assertThat(List.of(some.allows("GET"), some.allows("HEAD"), some.allows("POST"), some.allows("get"))).containsExactly(true, true, false, false);
        assertThat(route(null, null).allows("PURGE")).isTrue();
    }

    @Test
    void whoIsLetInIsSaidOnce() {
        assertThat(Access.of(null, null, null)).isEqualTo(new Access.Bearer());
        assertThat(Access.of("private", "header", "X-Key")).isEqualTo(new Access.Header("X-Key"));
        assertThat(Access.of("public", null, null)).isEqualTo(new Access.Public());
        assertThatThrownBy(() -> Access.of("public", "bearer", null)).hasMessageContaining("auth");
        assertThatThrownBy(() -> Access.of(null, "header", null)).hasMessageContaining("header");
        assertThatThrownBy(() -> Access.of(null, "bearer", "X-Key")).hasMessageContaining("header");
        for (String taken : List.of("Cookie", "authorization", "Host", "X-Forwarded-For", "a b", "")) {
            assertThatThrownBy(() -> Access.of(null, "header", taken)).as(taken).hasMessageContaining("header");
        }
    }

    @Test
    void noPageOfAnyOriginGetsWhatItsVisitorMay() {
        assertThat(Cors.of(new RouteCors(List.of("*"), null, List.of("X-One"), null))).isEqualTo(new Cors(Set.of("*"), Set.of(), Set.of("x-one"), false));
        assertThatThrownBy(() -> Cors.of(new RouteCors(List.of("*"), null, null, true))).hasMessageContaining("credentials");
        assertThatThrownBy(() -> Cors.of(new RouteCors(List.of("*", "https://a.example.org"), null, null, null))).hasMessageContaining("origins");
        for (String origin : List.of("", "null", "a.example.org", "https://a.example.org/", "https://A.example.org", "https://*.example.org", "ftp://a")) {
            assertThatThrownBy(() -> Cors.of(new RouteCors(List.of(origin), null, null, null))).as(origin).hasMessageContaining("origins");
        }
        Cors some = Cors.of(new RouteCors(List.of("https://a.example.org", "http://[::1]:3000"), null, null, true));
        assertThat(List.of(some.allows("https://a.example.org"), some.allows("https://a.example.org:8443"), some.allows("http://[::1]:3000"), some.allows("*"))).containsExactly(true, false, true, false);
    }

    @Test
    void aRateIsAsManyAtOnceAsInASecond() {
        assertThat(Rate.of(new RouteRate(5, null))).isEqualTo(new Rate(5, 5));
        assertThat(Rate.of(new RouteRate(5, 50))).isEqualTo(new Rate(5, 50));
        assertThatThrownBy(() -> Rate.of(new RouteRate(0, null))).hasMessageContaining("rate.per_second");
        assertThatThrownBy(() -> Rate.of(new RouteRate(1, 0))).hasMessageContaining("rate.burst");
    }

    @Test
    void urlsAreMadeOfIdsThatStay() {
        Route route = route("/api", null);
        assertThat(new Entrance("http", "127.0.0.1", 7071, "sandglass.localhost").byPath(route)).isEqualTo("http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/api/");
        assertThat(new Entrance("http", "127.0.0.1", 7071, "sandglass.localhost").byHost(route)).isEqualTo("http://80-sbxaaaaaaaaaaaa.sandglass.localhost:7071/api/");
        assertThat(new Entrance("https", "apps.example.org", 443, "apps.example.org").byHost(route)).isEqualTo("https://80-sbxaaaaaaaaaaaa.apps.example.org/api/");
        assertThat(new Entrance("https", "[::1]", 80, "example.org").byPath(Route.ofPort(SANDBOX, 80, ""))).isEqualTo("https://80-sbxaaaaaaaaaaaa.example.org:80/");
    }
}
