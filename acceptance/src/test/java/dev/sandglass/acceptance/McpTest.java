package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The official clients of the Model Context Protocol use a real daemon: what they do is seen by the command line, and what that does by them. */
@ExtendWith(SharedCheckout.class)
@Timeout(1800)
class McpTest {
    private Checkout checkout;
    private Path scripts;

    @BeforeEach
    void install(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        scripts = NpmPackages.install(shared, "mcp");
    }

    @ParameterizedTest
    @CsvSource({"legacy,stdio,gvisor", "modern,http,gvisor", "legacy,http,container", "modern,stdio,container"})
    void everyToolDoesWhatItSays(String era, String transport, String runtime) throws IOException, InterruptedException {
        String name = "mcp-" + era + "-" + transport + "-" + runtime;
        try {
            assertThat(node("tools.mjs", era, transport, runtime)).endsWith("ok all\n");
        } finally {
            checkout.bash("./sandglass rm -f %1$s %1$s-copy-1 %1$s-copy-2 %1$s-made %1$s-third; ./sandglass snapshot rm -f %1$s-good".formatted(name));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aDaemonThatIsReplacedTakesNoClientWithIt(String era) throws IOException, InterruptedException {
        try {
            assertThat(node("replaced.mjs", era, "mcp-replaced-" + era)).endsWith("ok all\n");
        } finally {
            checkout.bash("./sandglass up; ./sandglass rm -f mcp-replaced-" + era);
        }
    }

    /** The inspector is what people look with at a server that does not do what they think. */
    @ParameterizedTest
    @ValueSource(strings = {"./sandglass mcp", "http://127.0.0.1:7070/mcp --transport http --header \"Authorization: Bearer $(cat /var/lib/sandglass/token)\""})
    void theInspectorSeesWhatThereIs(String server) throws IOException, InterruptedException {
        String inspector = "node '" + scripts + "/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js' --cli " + server;
        assertThat(checkout.check(inspector + " --method tools/list")).contains("\"name\": \"create_sandbox\"", "\"destructiveHint\": true");
        assertThat(checkout.check(inspector + " --method tools/call --tool-name list_sandboxes")).contains("\"structuredContent\"");
        assertThat(checkout.check(inspector + " --method resources/list")).contains("sandglass://tree");
        assertThat(checkout.check(inspector + " --method prompts/list")).contains("checkpoint_try_rewind");
    }

    @Test
    void aServerOfItsMakersRunsInASandbox() throws IOException, InterruptedException {
        try {
            checkout.check("./sandglass create --name mcp-maker --from node");
            checkout.check("./sandglass exec mcp-maker mkdir -p /opt/everything && ./sandglass cp '" + scripts + "/node_modules' mcp-maker:/opt/everything/");
            checkout.check("./sandglass snapshot create mcp-maker --name mcp-everything --disk-only && ./sandglass rm mcp-maker");
            assertThat(node("wrap.mjs", "mcp-everything")).endsWith("ok its sandbox goes with it\n");
        } finally {
            checkout.bash("./sandglass rm -f mcp-maker; ./sandglass snapshot rm -f mcp-everything");
        }
    }

    /** What the server ends with, and what it prints besides, is as if it ran here; and nothing of it stays. */
    @Test
    void aWrappedServerEndsAsItEnds() throws IOException, InterruptedException {
        String wrap = "./sandglass mcp wrap --runtime container --network none";
        Checkout.Outcome ended = checkout.bash("printf 'one\\ntwo\\n' | " + wrap + " -- sh -c 'cat; echo aside >&2; exit 7'");
        assertThat(ended.status()).isEqualTo(7);
        assertThat(ended.stdout()).isEqualTo("one\ntwo\n");
        assertThat(ended.stderr()).isEqualTo("aside\n");
        // A client that gives up sends TERM, and the server hears of it.
        assertThat(checkout.check("mkfifo /tmp/mcp-wrap-$$; " + wrap + " -- sh -c 'trap \"echo told; exit 0\" TERM; echo ready; while :; do sleep 0.1; done' < /dev/null > /tmp/mcp-wrap-$$ & wrapped=$!; "
                        + "{ read -r line; echo \"$line\"; kill -TERM $wrapped; cat; } < /tmp/mcp-wrap-$$; wait $wrapped; rm /tmp/mcp-wrap-$$"))
                .isEqualTo("ready\ntold\n");
        // One that is killed takes its sandbox along.
        String before = checkout.check("./sandglass ls -q -o table");
        checkout.check(wrap + " --label of=a-killed-wrap -- sleep 1000 < <(sleep 1000) > /dev/null & wrapped=$!; "
                + "until [ -n \"$(./sandglass ls -q -o table --filter label=of=a-killed-wrap --filter state=running)\" ]; do sleep 0.1; done; kill -KILL $wrapped; "
                + "until [ -z \"$(./sandglass ls -q -o table --filter label=of=a-killed-wrap)\" ]; do sleep 0.1; done");
        assertThat(checkout.check("./sandglass ls -q -o table")).isEqualTo(before);
        assertThat(checkout.bash(wrap + " -- no-such-server").status()).isEqualTo(127);
    }

    private String node(String script, String... arguments) throws IOException, InterruptedException {
        return checkout.check("SANDGLASS=\"$PWD/sandglass\" node '" + scripts.resolve(script) + "' " + String.join(" ", arguments));
    }
}
