package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that are wrong in form: each gets a typed problem that the description has, and the daemon goes on. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class BadRequestTest {
    private final Caller caller = SharedDaemon.daemon().caller();
    private final TestSandbox box = SharedDaemon.sandbox("container");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "POST | /commands/run            | {'argv': []}                              | 400 | invalid_request",
                "POST | /commands/run            | {'argv': 'ls'}                            | 400 | invalid_request",
                "POST | /commands/run            | {'argv': [1]}                             | 400 | invalid_request",
                "POST | /commands/run            | {}                                        | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'timeout_ms': 0}         | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'output_limit': -1}      | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'output_limit': 99999999} | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'shell': true}           | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'user': ''}              | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls'], 'env': {'A': null}}      | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls', null]}                    | 400 | invalid_request",
                "POST | /commands                | {'argv': ['ls'], 'env': {'A': null}}      | 400 | invalid_request",
                "PATCH | /files/attributes?path=/tmp | {'xattrs': {'user.none': 1}}          | 400 | invalid_request",
                "POST | /commands/run            | {'argv': ['ls']                           | 400 | malformed_request",
                "POST | /commands/run            | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ | 400 | malformed_request",
                "POST | /commands                | {'argv': ['ls'], 'pty': {'cols': 0, 'rows': 1}} | 400 | invalid_request",
                "POST | /commands                | {'argv': ['ls'], 'pty': true}             | 400 | invalid_request",
                "GET  | /commands/cmd-999999     | ``                                        | 404 | command_not_found",
                "GET  | /commands/cmd-9999999999 | ``                                        | 400 | invalid_request",
                "GET  | /commands/nonsense       | ``                                        | 400 | invalid_request",
                "POST | /commands/cmd-999999/signal | {'signal': 'TERM'}                     | 404 | command_not_found",
                "GET  | /files                   | ``                                        | 400 | invalid_request",
                "GET  | /files?path=             | ``                                        | 400 | invalid_request",
                "GET  | /files?path=/etc/hostname&offset=-1 | ``                             | 400 | invalid_request",
                "GET  | /files?path=/etc/hostname&offset=x  | ``                             | 400 | invalid_request",
                "GET  | /files?path=/none        | ``                                        | 404 | path_not_found",
                "GET  | /files/list?path=/&depth=65 | ``                                     | 400 | invalid_request",
                "PATCH | /files/attributes?path=/tmp | {'mode': '9'}                         | 400 | invalid_request",
                "GET  | /nothing/here            | ``                                        | 404 | route_not_found",
                "PATCH | /commands               | {}                                        | 405 | method_not_allowed",
            })
    void aWrongRequestIsAnsweredWithItsCode(String method, String path, String body, int status, String code) {
        String json = body.replace('\'', '"');
        Answer answer = caller.send(method, box.path() + path, json.isEmpty() ? "" : "application/json", json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.problem()).as(answer.text()).isEqualTo(code);
    }

    @Test
    void unknownSandboxesAreNotFoundWhateverIsAsked() {
        for (String reference : new String[] {"nobody", "sbx-aaaaaaaaaaaa", "%2e%2e", "a%2fb"}) {
            for (String path : new String[] {"", "/commands", "/commands/cmd-1", "/files?path=/", "/archive?path=/"}) {
                Answer answer = caller.send("GET", "/v1/sandboxes/" + reference + path, "", BodyPublishers.noBody());
                assertThat(answer.status()).as("%s%s: %s", reference, path, answer.text()).isIn(400, 404);
            }
        }
    }

    @Test
    void whereNothingMustBeSaidNoBodyIsNeeded() {
        for (String path : new String[] {"/resume", "/snapshots"}) {
            for (String type : new String[] {"", "application/json"}) {
                Answer answer = caller.send("POST", box.path() + path, type, BodyPublishers.noBody());
                assertThat(answer.status()).as(answer.text()).isIn(200, 201);
            }
            assertThat(caller.send("POST", box.path() + path, "", BodyPublishers.ofString("{}")).problem()).isEqualTo("unsupported_media_type");
            assertThat(caller.send("POST", box.path() + path, "text/plain", BodyPublishers.noBody()).problem()).isEqualTo("unsupported_media_type");
        }
        assertThat(caller.send("POST", box.path() + "/commands/run", "", BodyPublishers.noBody()).problem()).isEqualTo("unsupported_media_type");
        assertThat(caller.send("POST", box.path() + "/commands/run", "application/json", BodyPublishers.noBody()).problem()).isEqualTo("malformed_request");
        SharedDaemon.daemon().api().snapshots().forEach(taken -> SharedDaemon.daemon().api().deleteSnapshot(taken.id()));
    }

    @Test
    void aBodyThatIsTooLargeOrOfAnotherTypeIsRefused() {
        String path = box.path() + "/commands/run";
        byte[] large = ("{\"argv\": [\"" + "x".repeat(30 << 20) + "\"]}").getBytes(StandardCharsets.US_ASCII);
        assertThat(caller.send("POST", path, "application/json", BodyPublishers.ofByteArray(large)).problem()).isEqualTo("too_large");
        assertThat(caller.send("POST", path, "text/plain", BodyPublishers.ofString("{\"argv\": [\"ls\"]}")).problem()).isEqualTo("unsupported_media_type");
        assertThat(box.output("echo fine")).isEqualTo("fine");
    }
}
