package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for sandboxes that cannot be: each is refused with its reason, and nothing is made. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class BadSandboxTest {
    private final Api api = SharedDaemon.api();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'name': ''}",
                "{'name': '-x'}",
                "{'name': '.'}",
                "{'name': '..'}",
                "{'name': 'a/b'}",
                "{'name': 'a b'}",
                "{'name': 'a\\u0000b'}",
                "{'name': 'a\\nb'}",
                "{'name': 'caf\\u00e9'}",
                "{'name': '\\u001b[31mred'}",
                "{'name': 'sbx-abcdefghijkl'}",
                "{'name': 'a123456789b123456789c123456789d123456789e123456789f123456789g123'}",
                "{'name': 7}",
                "{'name': ['a']}",
                "{'runtime': 'docker'}",
                "{'runtime': ''}",
                "{'runtime': '../../bin'}",
                "{'security': 'none'}",
                "{'security': 'STRICT'}",
                "{'memory_mb': 0}",
                "{'memory_mb': 63}",
                "{'memory_mb': -1}",
                "{'memory_mb': 16777217}",
                "{'memory_mb': 9223372036854775807}",
                "{'memory_mb': 99999999999999999999}",
                "{'memory_mb': 1.5}",
                "{'memory_mb': '512'}",
                "{'memory_mb': true}",
                "{'cpus': 0}",
                "{'cpus': 0.01}",
                "{'cpus': -1}",
                "{'cpus': 4097}",
                "{'cpus': 1e400}",
                "{'cpus': 'NaN'}",
                "{'disk_mb': 15}",
                "{'disk_mb': 1073741825}",
                "{'max_processes': 15}",
                "{'max_processes': 4194305}",
                "{'env': {'': 'x'}}",
                "{'env': {'A=B': 'x'}}",
                "{'env': {'1A': 'x'}}",
                "{'env': {'A': 'a\\u0000b'}}",
                "{'env': {'A': 1}}",
                "{'env': ['A=B']}",
                "{'env': {'A': null}}",
                "{'labels': {'': 'x'}}",
                "{'labels': {'-a': 'x'}}",
                "{'labels': 'a=b'}",
                "{'memory': 512}",
                "{'network': 'all'}",
                "[]",
                "null",
                "7",
                "'text'",
                "{",
                "{'name': 'a'} trailing",
                "{'name': 'a', 'name': 'b'}",
            })
    void anImpossibleRequestIsRefusedAndMakesNothing(String json) throws IOException {
        List<String> before = api.names();
        Answer answer = api.caller()
                .send("POST", "/v1/sandboxes", "application/json", BodyPublishers.ofString(json.replace('\'', '"')));
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isIn("invalid_request", "malformed_request");
        assertThat(answer.text()).doesNotContain("\u001b");
        assertThat(api.names()).isEqualTo(before);
        assertThat(Leftovers.of(SharedDaemon.daemon()).strays()).isEmpty();
    }
}
