package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RouteVerbsTest extends VerbFixture {
    static final String ROUTE = "{\"sandbox\":\"sbx-aaaaaaaaaaaa\",\"name\":\"web\",\"port\":8080,\"access\":\"private\",\"auth\":\"bearer\",\"methods\":[\"GET\"],\"path_prefix\":\"/api\",\"rewrite\":\"/\","
            + "\"rate\":{\"per_second\":5,\"burst\":9},\"timeout\":60,\"resume\":true,\"websocket\":true,\"forwarded\":true,\"url\":\"http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/api/\","
            + "\"host_url\":\"http://8080-sbxaaaaaaaaaaaa.sandglass.localhost:7071/api/\",\"created_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String PUBLIC = "{\"sandbox\":\"sbx-aaaaaaaaaaaa\",\"name\":\"all\",\"port\":80,\"access\":\"public\",\"methods\":[],\"path_prefix\":\"/\",\"timeout\":60,"
            + "\"resume\":false,\"websocket\":false,\"forwarded\":false,\"url\":\"http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/all/\",\"host_url\":\"http://80-sbxaaaaaaaaaaaa.sandglass.localhost:7071/\",\"created_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String LINK = "{\"url\":\"http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/?sandglass_link=1.x\",\"host_url\":\"http://8080-sbxaaaaaaaaaaaa.sandglass.localhost:7071/?sandglass_link=1.x\","
            + "\"expires_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String SECRET = "tell-nobody-7f3a91-c2";

    @Test
    void aSecretThatIsGivenIsSentAndNotPrinted() {
        daemon.on("POST /v1/sandboxes/box/routes", 201, ROUTE);
        console.input(SECRET + "\n");
        assertThat(console.run("route", "create", "box", "web", "--port", "8080", "--secret-stdin", "-o", "table")).isZero();
        assertThat(daemon.asked).last().isEqualTo("POST /v1/sandboxes/box/routes {\"name\":\"web\",\"port\":8080,\"secret\":\"" + SECRET + "\"}");
        assertThat(console.out + console.err).doesNotContain(SECRET);
    }

    @Test
    void oneThatIsDrawnIsPrintedWithTheWordThatItIsNotShownAgain() {
        daemon.on("POST /v1/sandboxes/box/routes", 201, ROUTE.replace("\"created_at\"", "\"secret\":\"drawn\",\"created_at\""));
        assertThat(console.run("route", "create", "box", "web", "-p", "8080", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("""
                route       web of sbx-aaaaaaaaaaaa
                port        8080
                access      private, bearer
                methods     GET
                path        /api as /
                rate        5/s, 9 at once
                timeout     60 s
                resume      yes
                url         http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/api/
                host url    http://8080-sbxaaaaaaaaaaaa.sandglass.localhost:7071/api/
                secret      drawn   (it is not shown again)
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "--port 0", "--port http", "--port 80 --secret-stdin --secret-env KEY", "--port 80 --secret-env NOT_THERE", "--port 80 --secret tell-nobody", "--port 80 --burst 5", "--port 80 --cors-credentials"
    })
    void whatCannotBeMeantIsNotAskedFor(String options) {
        String[] words = ("route create box web " + options).strip().split(" +");
        assertThat(console.with("KEY", SECRET).run(words)).isEqualTo(2);
        assertThat(daemon.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "cors.credentials: true (expected: false)|--cors-credentials: true (expected: false)",
        "cors.origins: x (expected: an origin)|--cors-origin: x (expected: an origin)",
        "cors.methods[0]: get (expected: upper case)|--cors-method: get (expected: upper case)",
        "header: Host (expected: another)|--auth: Host (expected: another)",
        "methods[0]: get (expected: upper case)|--method: get (expected: upper case)",
        "path_prefix: api (expected: beginning with /)|--path-prefix: api (expected: beginning with /)",
        "rate.per_second: 0 (expected: >= 1)|--rate: 0 (expected: >= 1)"
    })
    void whatTheDaemonSaysOfAFieldIsSaidOfTheOption(String told, String shown) {
        daemon.on("POST /v1/sandboxes/box/routes", 400, "{\"code\":\"invalid_request\",\"message\":\"" + told + "\",\"hint\":\"\"}");
        assertThat(console.run("route", "create", "box", "web", "--port", "80", "-o", "table")).isEqualTo(2);
        assertThat(console.err).isEqualTo("error: " + shown + "\n");
    }

    @Test
    void aTimeThatIsTooLongIsSaidAsItWasWritten() {
        assertThat(console.run("route", "link", "box", "web", "--expires", "400d", "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: --expires: 400d (expected: at most 365d)\n");
        assertThat(console.run("route", "create", "box", "web", "--port", "80", "--timeout", "2h", "-o", "table")).isEqualTo(2);
        assertThat(console.err).contains("error: --timeout: 2h (expected: at most 1h)\n");
        assertThat(daemon.asked).isEmpty();
    }

    @Test
    void whatTheDaemonWarnsOfIsOnStandardError() {
        daemon.on("POST /v1/sandboxes/box/routes", 201, ROUTE.replace("\"created_at\"", "\"warnings\":[\"resume: nothing wakes it\"],\"created_at\""));
        assertThat(console.run("route", "create", "box", "web", "-p", "8080", "--resume", "-o", "table")).isZero();
        assertThat(console.err).isEqualTo("warning: resume: nothing wakes it\n");
        assertThat(console.out).doesNotContain("nothing wakes it");
    }

    @Test
    void theyAreListedShownAndRemoved() {
        daemon.on("GET /v1/routes", 200, "{\"routes\":[" + PUBLIC + "," + ROUTE + "]}")
                .on("GET /v1/sandboxes/box/routes", 200, "{\"routes\":[" + PUBLIC + "]}")
                .on("GET /v1/sandboxes/box/routes/web", 200, ROUTE)
                .on("DELETE /v1/sandboxes/box/routes/web", 204, "")
                .on("DELETE /v1/sandboxes/box/routes/gone", 404, "{\"code\":\"route_not_found\",\"message\":\"none\",\"hint\":\"\"}");
        assertThat(console.run("route", "ls", "-o", "table")).isZero();
        assertThat(console.out)
                .containsPattern("SANDBOX +NAME +PORT +ACCESS +METHODS +PATH +RATE +RESUME +URL")
                .containsPattern("sbx-aaaaaaaaaaaa +all +80 +public +http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/all/")
                .containsPattern("web +8080 +private, bearer +GET +/api as / +5/s, 9 at once +yes +http://");
        assertThat(console.run("route", "ls", "box", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("SANDBOX +NAME +PORT +ACCESS +URL").doesNotContain("web");
        assertThat(console.run("route", "ls", "-q")).isZero();
        assertThat(console.out).isEqualTo("all\nweb\n");
        assertThat(console.run("route", "inspect", "box", "web", "-o", "table")).isZero();
        assertThat(console.out).startsWith("route       web of sbx-aaaaaaaaaaaa\n").doesNotContain("secret");
        assertThat(console.run("route", "rm", "box", "web", "gone", "-o", "table")).isEqualTo(3);
        assertThat(console.out).isEqualTo("web\n");
        assertThat(console.run("route", "rm", "-f", "box", "gone")).isZero();
    }

    @Test
    void aLinkIsOfARouteOrOfAPort() {
        daemon.on("POST /v1/sandboxes/box/routes/web/link", 201, LINK)
                .on("POST /v1/sandboxes/box/ports/8080/link", 201, LINK)
                .on("DELETE /v1/sandboxes/box/routes/web/link", 204, "")
                .on("DELETE /v1/sandboxes/box/ports/8080/link", 204, "");
        assertThat(console.run("route", "link", "box", "web", "--expires", "2h", "-q")).isZero();
        assertThat(console.out).isEqualTo("http://127.0.0.1:7071/sbx-aaaaaaaaaaaa/web/?sandglass_link=1.x\n");
        assertThat(daemon.asked).last().isEqualTo("POST /v1/sandboxes/box/routes/web/link {\"expires\":7200}");
        assertThat(console.run("route", "link", "box", "8080", "--host-name", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("http://8080-sbxaaaaaaaaaaaa.sandglass.localhost:7071/?sandglass_link=1.x\n");
        assertThat(daemon.asked).last().isEqualTo("POST /v1/sandboxes/box/ports/8080/link {}");
        assertThat(console.run("route", "link", "box", "web")).isZero();
        assertThat(console.out).isEqualTo(LINK + "\n");
        assertThat(console.run("route", "unlink", "box", "web", "-o", "table")).isZero();
        assertThat(console.run("route", "unlink", "box", "8080")).isZero();
        assertThat(console.out).isEqualTo("{\"unlinked\":[\"8080\"]}\n");
        assertThat(daemon.asked).last().isEqualTo("DELETE /v1/sandboxes/box/ports/8080/link");
    }
}
