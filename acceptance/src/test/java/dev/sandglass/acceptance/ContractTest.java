package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What scripts rely on: exit codes, formats, errors as JSON, aliases and prefixes. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class ContractTest {
    private static final String CODES = """
            0    ls
            4    create --name code-box
            2    create --memory 1
            2    create --nonsense
            2    create --wait --no-wait
            2    nonsense
            2    ls -o nonsense
            2    update code-box
            3    inspect nope
            3    rm nope
            0    rm -f nope
            3    create --from nope
            3    stop nope
            2    stop
            3    start nope
            0    start code-box
            3    pause nope
            3    resume nope
            0    resume code-box
            3    fork nope
            4    fork code-box --name code-box
            2    fork code-box -n 0
            3    rewind code-box nope
            4    rewind code-box --undo
            2    rewind code-box
            3    snapshot create nope
            2    snapshot create code-box --expires nonsense
            3    snapshot inspect nope
            3    snapshot verify nope
            3    snapshot rm nope
            0    snapshot rm -f nope
            2    snapshot nonsense
            3    history nope
            3    diff code-box nope
            2    diff
            2    tree nonsense
            3    stats nope
            3    logs nope
            3    kill code-box 4711
            3    cp code-box:/nope /tmp/nope
            3    cp /nope/nope code-box:/tmp/nope
            2    cp here there
            3    files cat code-box:/nope
            1    files cat code-box:/etc
            4    files rm code-box:/etc
            1    ls --url unix:///nowhere
            1    ls --token-file /nowhere
            9    exec code-box 'exit 9'
            137  exec code-box -- sh -c 'kill -9 $$'
            127  exec code-box nonsense
            127  exec code-box -- nonsense
            126  exec code-box -- /etc/passwd
            124  exec --timeout 500ms code-box -- sleep 1000
            125  exec nope true
            125  exec
            125  exec --nonsense code-box true
            125  attach code-box nonsense
            125  shell nope
            7    run --runtime container 'exit 7'
            127  run --runtime container -- nonsense
            125  run --memory 1 true
            125  run --from nope true
            """;

    private static final List<String> PRINTING = List.of(
            "ls", "inspect code-box", "ps -a", "stats", "stats code-box", "events -n 1", "status", "version", "files ls code-box:/", "files mkdir code-box:/tmp/d",
            "exec code-box -- true", "exec -d code-box -- true", "update code-box --label a=b", "start code-box", "logs code-box", "kill --all code-box", "rm -f nope");

    /** What is made of BOX and its snapshot, in an order in which each works. */
    private static final List<String> LIFE = List.of(
            "create --name BOX --runtime container", "cp /etc/hostname BOX:/root/file", "snapshot create BOX --name BOX-kept", "snapshot ls", "snapshot inspect BOX-kept",
            "snapshot verify BOX-kept", "history BOX", "diff BOX", "diff BOX-kept BOX", "tree", "fork BOX --name BOX-copy", "rewind BOX BOX-kept", "rewind BOX --undo",
            "pause --disk-only BOX", "resume BOX", "stop BOX", "start BOX", "snapshot rm BOX-kept", "rm BOX BOX-copy");

    private static final String FAILURES = """
            snapshot_not_found   create --from nope
            invalid_request      create --memory 1
            name_taken           create --name code-box
            snapshot_not_found   run --from nope
            sandbox_not_found    cp nope:/etc/passwd /tmp
            path_not_found       cp code-box:/nope /tmp
            sandbox_not_found    stop nope
            sandbox_not_found    start nope
            sandbox_not_found    pause nope
            sandbox_not_found    resume nope
            snapshot_not_found   fork nope
            sandbox_not_found    rewind nope nope
            conflict             rewind code-box --undo
            sandbox_not_found    snapshot create nope
            invalid_request      snapshot ls nope
            snapshot_not_found   snapshot inspect nope
            snapshot_not_found   snapshot verify nope
            snapshot_not_found   snapshot rm nope
            sandbox_not_found    history nope
            snapshot_not_found   diff nope
            invalid_request      tree nope
            """;

    private Checkout checkout;

    @BeforeEach
    void open(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check("./sandglass create --name code-box --runtime container");
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("./sandglass rm -f code-box");
    }

    @Test
    void everyOutcomeHasItsExitCode() throws IOException, InterruptedException {
        for (String line : CODES.lines().toList()) {
            String[] parts = line.split(" +", 2);
            Checkout.Outcome outcome = checkout.bash("./sandglass " + parts[1]);
            assertThat(outcome.status()).as("%s%n%s%s", line, outcome.stdout(), outcome.stderr()).isEqualTo(Integer.parseInt(parts[0]));
        }
    }

    @Test
    void whatIsPrintedComesInEveryFormat() throws IOException, InterruptedException {
        checkout.check("./sandglass exec -d code-box -- echo something");
        for (String verb : PRINTING) {
            String[] words = verb.split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            String line = verb.startsWith("files ") ? "files " + rest.replaceFirst(" ", " %s ") : words[0] + " %s " + rest;
            // Each line is a value of its own where many follow each other.
            checkout.check("./sandglass " + line.formatted("--format json") + " | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'");
            String yaml = checkout.check("./sandglass " + line.formatted("--output=yaml"));
            assertThat(yaml).as(verb).containsPattern("^(---\n)?(- )?[a-z_]+:|^\\[\\]");
            assertThat(checkout.check("./sandglass " + line.formatted("-o table"))).as(verb).doesNotStartWith("{").doesNotStartWith("[");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml", "table"})
    void whatChangesPrintsOneValueAndNothingElse(String format) throws IOException, InterruptedException {
        String box = "code-" + format;
        try {
            for (String line : LIFE) {
                String verb = line.replace("BOX", box) + " -o " + format;
                assertOneValue(verb, format, checkout.check("./sandglass " + verb));
            }
        } finally {
            checkout.check("./sandglass rm -f %1$s %1$s-copy && ./sandglass snapshot rm -f %1$s-kept".formatted(box));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml", "table"})
    void aRunPrintsWhatItsCommandDidAsOneValue(String format) throws IOException, InterruptedException {
        Checkout.Outcome outcome = checkout.bash("./sandglass run --runtime container -o " + format + " -- sh -c 'echo said; exit 3'");
        assertThat(outcome.status()).as(outcome.stderr()).isEqualTo(3);
        assertThat(outcome.stderr()).isEmpty();
        assertThat(outcome.stdout()).contains("said");
        assertOneValue("run", format, outcome.stdout());
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml"})
    void everyFailureHasACodeAndAHint(String format) throws IOException, InterruptedException {
        for (String line : FAILURES.lines().toList()) {
            String[] parts = line.split(" +", 2);
            Checkout.Outcome outcome = checkout.bash("./sandglass " + parts[1] + " -o " + format);
            assertThat(outcome.status()).as(line).isNotZero();
            assertThat(value(format, outcome.stderr())).as(line).isInstanceOfSatisfying(Map.class, told -> assertThat(told.get("error"))
                    .asInstanceOf(InstanceOfAssertFactories.map(String.class, String.class))
                    .containsEntry("code", parts[0])
                    .hasEntrySatisfying("message", message -> assertThat(message).isNotEmpty())
                    .hasEntrySatisfying("hint", hint -> assertThat(hint).isNotEmpty()));
            if (!outcome.stdout().isEmpty()) {
                assertOneValue(line, format, outcome.stdout()); // verbs that take several tell of those that went well
            }
        }
    }

    @Test
    void errorsAreAsTheResultsAre() throws IOException, InterruptedException {
        String told = "There is no sandbox nope.";
        Checkout.Outcome piped = checkout.bash("./sandglass inspect nope");
        assertThat(piped.stdout()).isEmpty();
        assertThat(piped.stderr()).startsWith("{\"error\":{\"code\":\"sandbox_not_found\",\"message\":\"" + told + "\",\"hint\":\"");
        assertThat(checkout.bash("./sandglass exec -o json nope true").stderr()).isEqualTo(piped.stderr());
        assertThat(checkout.bash("./sandglass inspect nope --format yaml").stderr()).startsWith("error:\n  code: sandbox_not_found\n");
        assertThat(checkout.bash("./sandglass inspect nope -o table").stderr()).startsWith("error: " + told + "\nhint: ");
        assertThat(checkout.bash("./sandglass exec nope true").stderr()).startsWith("error: " + told + "\nhint: ");
    }

    @Test
    void verbsHaveTheNamesThatPeopleExpect() throws IOException, InterruptedException {
        assertThat(checkout.check("./sandglass list --format json -q")).isEqualTo(checkout.check("./sandglass ls -o json -q"));
        checkout.check("./sandglass files mkdir code-box:/root/a code-box:/root/b");
        checkout.check("./sandglass files delete code-box:/root/a && ./sandglass files destroy code-box:/root/b");
        assertThat(checkout.check("./sandglass files list code-box:/root -o json")).doesNotContain("\"a\"");
        checkout.check("./sandglass create --name code-two --runtime container && ./sandglass delete code-two");
        checkout.check("./sandglass create --name code-two --runtime container && ./sandglass destroy code-two");
        assertThat(checkout.check("./sandglass --version")).isEqualTo(checkout.check("./sandglass version"));
    }

    @Test
    void aSandboxIsNamedByNameIdOrTheBeginningOfItsId() throws IOException, InterruptedException {
        String id = checkout.check("./sandglass inspect code-box | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"id\"])'").strip();
        for (String name : List.of("code-box", id, id.substring(0, 9), id.substring(4), id.substring(4, 11))) {
            assertThat(checkout.check("./sandglass exec " + name + " -- hostname")).as(name).isEqualTo("code-box\n");
        }
    }

    @Test
    void theStatusTellsWhoServesAndHow() throws IOException, InterruptedException {
        String told = checkout.check("./sandglass status -o json | python3 -c 'import json, sys; s = json.load(sys.stdin); "
                + "print(s[\"pid\"], s[\"address\"], *[r[\"name\"] for r in s[\"runtimes\"] if r[\"available\"]])'");
        assertThat(told).startsWith(checkout.daemon() + " http://127.0.0.1:").contains("container");
    }

    private static void assertOneValue(String verb, String format, String printed) {
        if (format.equals("table")) {
            assertThat(printed).as(verb).doesNotStartWith("{").doesNotStartWith("[");
        } else {
            assertThat(value(format, printed)).as(verb).isInstanceOfAny(Map.class, List.class);
        }
    }

    /** All of the text as one value; fails where it is none, or where there is more. */
    private static @Nullable Object value(String format, String text) {
        return format.equals("json")
                ? Json.tree(text.getBytes(StandardCharsets.UTF_8))
                : new Load(LoadSettings.builder().build()).loadFromString(text);
    }
}
