package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** All machines of a file are made from it, and brought to what it says again and again. */
@ExtendWith(SharedCheckout.class)
@ParameterizedClass(name = "on {0}")
@ValueSource(strings = {"container", "gvisor"})
@Timeout(900)
class FleetTest {
    @TempDir
    Path host;

    private final String runtime;
    private Checkout checkout;

    FleetTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void open(Checkout shared) {
        checkout = shared;
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("for one in team other; do ./sandglass fleet destroy $one --volumes --force > /dev/null 2>&1; done; ./sandglass rm -f team-foreign team-outside > /dev/null; "
                + "./sandglass template rm -f team-image > /dev/null; ./sandglass volume rm -f team-gate > /dev/null; ./sandglass snapshot rm -f team-golden > /dev/null");
    }

    private void write(String yaml) throws IOException {
        Files.writeString(host.resolve("team.yaml"), yaml.replace("RUNTIME", runtime));
    }

    private Checkout.Outcome create(String options) throws IOException, InterruptedException {
        return checkout.bash("./sandglass fleet create -f '" + host + "/team.yaml' -o table " + options);
    }

    /** The names and outcomes of a table. */
    private static List<String> outcomes(Checkout.Outcome outcome) {
        return outcome.stdout().lines().skip(1).map(line -> line.replaceFirst("^(\\S+) +(?:sbx-\\S+ +)?([a-z]+) .*", "$1 $2")).toList();
    }

    private String ids() throws IOException, InterruptedException {
        return checkout.check("./sandglass fleet ls team -o json | grep -o '\"id\":\"[^\"]*\"'");
    }

    @Test
    void machinesHaveWhatTheFileSaysAndAreKept() throws IOException, InterruptedException {
        Files.writeString(host.resolve("one.env"), "A=of the file\nB=of the file\n");
        write("""
                name: team
                machines:
                  - name: web
                    count: 2
                    runtime: RUNTIME
                    memory: 256M
                    cpus: 0.5
                    policy: {rules: [allow example.org], otherwise: deny}
                    env_file: one.env
                    env: {B: of the entry}
                    provision: [{name: greeter, install: echo hello > /srv/greeting, verify: test -s /srv/greeting}]
                    volumes: [{name: "work-${MACHINE}", path: /work, size: 64M}, {name: shelf, path: /shelf, mode: shared, size: 64M}]
                    services: [{name: ticker, command: sleep 1000}]
                    labels: {colour: red}
                  - {name: db, memory: 256, runtime: RUNTIME, policy: none}
                """);
        Checkout.Outcome made = create("");
        assertThat(made.status()).as(made.stderr()).isZero();
        assertThat(outcomes(made)).containsExactly("web-1 created", "web-2 created", "db created");
        assertThat(made.stderr()).contains("web-2: creating\n", "web-2: [1/1] greeter\n", "web-2: created (");
        assertThat(checkout.check("""
                for one in web-1 web-2; do ./sandglass exec $one 'echo $A, $B; cat /srv/greeting; echo of $HOSTNAME >> /work/mine; echo of $HOSTNAME >> /shelf/ours; cat /work/mine'; done
                ./sandglass exec web-1 -- cat /shelf/ours
                ./sandglass service ls web-2 -o table | grep -o 'ticker *running'
                ./sandglass policy show web-1 -o table
                ./sandglass inspect web-1 -o yaml | grep -E '^(memory_mb|cpus|runtime)'
                ./sandglass ls -o table --filter label=colour=red | grep -c web-
                """)).isEqualTo("""
                of the file, of the entry
                hello
                of web-1
                of the file, of the entry
                hello
                of web-2
                of web-1
                of web-2
                ticker   running
                allow example.org
                otherwise deny
                runtime: %s
                memory_mb: 256
                cpus: 0.5
                2
                """.formatted(runtime));
        assertThat(checkout.check("./sandglass fleet ls -o table")).containsPattern("(?m)^team +3 +3 +0 +3$");
        assertThat(checkout.check("./sandglass fleet ls team -q")).isEqualTo("db\nweb-1\nweb-2\n");

        String before = ids();
        assertThat(outcomes(create(""))).containsExactly("web-1 kept", "web-2 kept", "db kept");
        assertThat(ids()).isEqualTo(before);

        assertThat(checkout.check("./sandglass fleet destroy team -o table | wc -l; ./sandglass volume ls -o table | grep -cE '^(work-web-1|work-web-2|shelf) '")).isEqualTo("4\n3\n");
        assertThat(checkout.bash("./sandglass fleet destroy team").status()).isEqualTo(3);
        assertThat(checkout.check("./sandglass fleet destroy team --volumes -o table | grep -c removed; ./sandglass volume ls -q | wc -l")).isEqualTo("3\n0\n");
    }

    @Test
    void oneThatFailsKeepsNoneOfTheOthersAndIsFinishedLater() throws IOException, InterruptedException {
        write("""
                name: team
                machines:
                  - {name: good, memory: 256, runtime: RUNTIME}
                  - {name: bad, memory: 256, runtime: RUNTIME, provision: [{name: fails, install: "echo the reason; test -e /srv/mended"}]}
                  - {name: worse, memory: 1, runtime: RUNTIME}
                """);
        Checkout.Outcome first = create("");
        assertThat(first.status()).isEqualTo(1);
        assertThat(outcomes(first)).containsExactly("good created", "bad failed", "worse failed");
        assertThat(first.stderr()).contains("error: bad: fails: ", "the reason\nhint: ", "error: worse: ", "team.yaml:5:12: memory: 1 (expected: >= 64)\nhint: Correct the file");
        assertThat(checkout.check("./sandglass fleet ls -o table")).containsPattern("(?m)^team +2 +2 +1 +0$");
        String before = ids();
        checkout.check("./sandglass exec bad -- touch /srv/mended");
        Checkout.Outcome again = checkout.bash("./sandglass fleet create -f '" + host + "/team.yaml' -o json");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.stdout()).containsPattern("\"name\":\"good\"[^}]*\"outcome\":\"kept\"").containsPattern("\"name\":\"bad\"[^}]*\"outcome\":\"finished\"").containsPattern("\"error\":\\{\"code\":\"invalid_request\",");
        assertThat(ids()).isEqualTo(before);
    }

    @Test
    void whatTheFileChangesIsChangedAndNothingElse() throws IOException, InterruptedException {
        String yaml = """
                name: team
                machines:
                  - {name: web, count: 2, memory: 256, runtime: RUNTIME, env: {A: one}, policy: {rules: [allow example.org]}}
                  - {name: db, memory: 256, runtime: RUNTIME}
                """;
        write(yaml);
        assertThat(create("").status()).isZero();
        String before = ids();

        write(yaml.replace("web, count: 2, memory: 256", "web, count: 3, memory: 300").replace("example.org", "example.net"));
        checkout.check("./sandglass stop db");
        assertThat(outcomes(create(""))).containsExactly("web-1 updated", "web-2 updated", "web-3 created", "db started");
        assertThat(ids()).startsWith(before.substring(0, before.indexOf('\n'))).contains(before.lines().toList());
        assertThat(checkout.check("./sandglass inspect web-1 -o yaml | grep ^memory; ./sandglass policy show web-1 -o table")).isEqualTo("memory_mb: 300\nallow example.net\notherwise deny\n");

        write(yaml.replace("count: 2", "count: 1").replace("A: one", "A: two"));
        Checkout.Outcome told = create("");
        assertThat(told.status()).isZero();
        assertThat(outcomes(told)).containsExactly("web-1 changed", "db kept", "web-2 extra", "web-3 extra");
        assertThat(told.stderr()).contains("hint: 1 changed: --replace", "hint: 2 extra: --prune");
        assertThat(checkout.check("./sandglass exec web-1 'echo $A'")).isEqualTo("one\n");
        assertThat(outcomes(create("--prune --replace"))).containsExactly("web-1 replaced", "db kept", "web-2 removed", "web-3 removed");
        assertThat(checkout.check("./sandglass exec web-1 'echo $A'; ./sandglass fleet ls team -q")).isEqualTo("two\ndb\nweb-1\n");
        assertThat(outcomes(create("--prune --replace"))).containsExactly("web-1 kept", "db kept");
    }

    @Test
    void aRunThatIsKilledIsFinishedByTheNext() throws IOException, InterruptedException {
        checkout.check("./sandglass volume create team-gate --size 16M");
        write("""
                name: team
                machines:
                  - name: web
                    count: 4
                    memory: 256
                    runtime: RUNTIME
                    volumes: ["team-gate:/gate:shared"]
                    provision: [{name: waits, install: "until [ -e /gate/open ]; do sleep 0.1; done; echo done >> /srv/done"}]
                """);
        String killed = checkout.check("""
                ./sandglass fleet create -f 'HOST/team.yaml' --parallel 2 -o table > 'HOST/out' 2> 'HOST/err' & pid=$!
                for ((i = 0; i < 600; i++)); do [ $(grep -c '\\[1/1\\] waits' 'HOST/err') -lt 2 ] || break; sleep 0.1; done
                kill -KILL $pid
                wait $pid 2> /dev/null
                echo "ended with $?"
                ./sandglass fleet ls -o table | grep ^team | sed 's/  */ /g'
                """.replace("HOST", host.toString()));
        assertThat(killed).isEqualTo("ended with 137\nteam 2 2 2 0\n");
        String before = ids();
        checkout.check("./sandglass exec web-1 -- touch /gate/open");
        Checkout.Outcome again = create("");
        assertThat(again.status()).as(again.stderr()).isZero();
        assertThat(outcomes(again)).containsExactly("web-1 finished", "web-2 finished", "web-3 created", "web-4 created");
        assertThat(ids()).startsWith(before);
        assertThat(checkout.check("for i in 1 2 3 4; do ./sandglass exec web-$i -- sort -u /srv/done; done; ./sandglass fleet ls -o table | grep ^team | sed 's/  */ /g'"))
                .isEqualTo("done\n".repeat(4) + "team 4 4 0 0\n");
    }

    @Test
    void whatIsHalfMadeOfSomethingElseIsMadeAnew() throws IOException, InterruptedException {
        write("name: team\nmachines: [{name: web, memory: 256, runtime: RUNTIME, provision: [{name: fails, install: exit 1}]}]\n");
        assertThat(create("").status()).isEqualTo(1);
        String before = ids();
        write("name: team\nmachines: [{name: web, memory: 256, runtime: RUNTIME, provision: [{name: works, install: touch /srv/here}]}]\n");
        assertThat(outcomes(create(""))).containsExactly("web created");
        assertThat(ids()).isNotEqualTo(before);
        checkout.check("./sandglass exec web -- test -e /srv/here");
    }

    @Test
    void whatCollidesIsRefusedBeforeAnythingIsMade() throws IOException, InterruptedException {
        checkout.check("./sandglass create --name team-foreign --memory 256 --runtime container");
        write("name: team\nmachines: [{name: team-first}, {name: team-foreign}]\n");
        Checkout.Outcome taken = create("--replace --prune");
        assertThat(taken.status()).isEqualTo(4);
        assertThat(taken.stderr()).contains("sandboxes that are not of the fleet team have names of its machines: team-foreign.", "hint: ");
        for (String[] wrong : new String[][] {
            {"{name: team-first}, {name: team-first}", "team-first}", "as team-first is"},
            {"{name: a-1}, {name: a, count: 2}", "a, count", "as a-1 is"},
            {"{name: team-first, memroy: 1}", "memroy", "memory?"},
            {"{name: team-first}, {name: two, from: team-nothing}", "team-nothing", "there is no snapshot or template team-nothing"},
            {"{name: team-first}, {name: two, provision: jqq}", "jqq", "jq?"},
            {"{name: team-first}, {name: two, volumes: [\"team-none:/v\"]}", "\"team-none", "there is no volume team-none"},
            {"{name: team-first, count: 2, volumes: [{name: v, path: /v, size: 1G}]}", "v, path", "both write to v"},
            {"{name: team-first, env_file: team-none.env}", "team-none.env", "team-none.env"},
        }) {
            String line = "machines: [" + wrong[0] + "]";
            write("name: team\n" + line + "\n");
            Checkout.Outcome refused = create("");
            assertThat(refused.status()).as(wrong[0]).isEqualTo(2);
            assertThat(refused.stderr()).contains("team.yaml:2:" + (line.lastIndexOf(wrong[1]) + 1) + ": ", wrong[2]);
        }
        assertThat(checkout.check("./sandglass fleet ls -o table; ./sandglass volume ls -q; ./sandglass ls -q --filter name=team-")).isEqualTo(checkout.check("echo 'FLEET   MACHINES   RUNNING   UNFINISHED   VOLUMES'; ./sandglass ls -q --filter name=team-foreign"));
    }

    /** The golden image: made, verified, snapshotted, given to workers, and made anew while they run. */
    @Test
    void newWorkersBeginWithTheNewVersionWhileTheOldRunOn() throws IOException, InterruptedException {
        checkout.check("""
                ./sandglass create --name team-outside --memory 256 --runtime RUNTIME
                ./sandglass exec team-outside 'echo one > /srv/version'
                ./sandglass template create team-image --from-sandbox team-outside
                """.replace("RUNTIME", runtime));
        String yaml = "name: team\nmachines:\n  - {name: worker, count: 3, from: team-image, memory: 256, runtime: RUNTIME}\n";
        write(yaml);
        Checkout.Outcome made = create("");
        assertThat(made.status()).as(made.stderr()).isZero();
        checkout.check("""
                ./sandglass exec team-outside 'echo two > /srv/version'
                ./sandglass template create team-image --from-sandbox team-outside
                """);
        write(yaml.replace("count: 3", "count: 4"));
        Checkout.Outcome more = create("");
        assertThat(outcomes(more)).containsExactly("worker-1 changed", "worker-2 changed", "worker-3 changed", "worker-4 created");
        assertThat(more.stdout()).contains("team-image is another now than it began with");
        String versions = "for i in 1 2 3 4; do ./sandglass exec worker-$i cat /srv/version; done";
        assertThat(checkout.check(versions)).isEqualTo("one\none\none\ntwo\n");
        assertThat(outcomes(create("--replace"))).containsExactly("worker-1 replaced", "worker-2 replaced", "worker-3 replaced", "worker-4 kept");
        assertThat(checkout.check(versions)).isEqualTo("two\n".repeat(4));
    }

    @Test
    void aTemplateThatIsNotBuiltIsBuiltOnceAndFirst() throws IOException, InterruptedException {
        Files.writeString(host.resolve("image.yaml"), "name: team-image\nruntime: " + runtime + "\nsetup: echo built > /srv/built\n");
        checkout.check("./sandglass template create --file '" + host + "/image.yaml'");
        write("name: team\nmachines: [{name: web, count: 2, template: team-image, memory: 256}, {name: broken, template: team-broken}]\n");
        Files.writeString(host.resolve("broken.yaml"), "name: team-broken\nruntime: " + runtime + "\nsetup: exit 7\n");
        try {
            checkout.check("./sandglass template create --file '" + host + "/broken.yaml'");
            Checkout.Outcome made = create("");
            assertThat(made.status()).isEqualTo(1);
            assertThat(outcomes(made)).containsExactly("web-1 created", "web-2 created", "broken failed");
            assertThat(made.stderr()).contains("template team-image: built (", "error: broken: template team-broken: ");
            assertThat(checkout.check("for i in 1 2; do ./sandglass exec web-$i cat /srv/built; done; ./sandglass template history team-image -o table | grep -c current")).isEqualTo("built\nbuilt\n1\n");
            assertThat(outcomes(create(""))).contains("web-1 kept", "web-2 kept");
        } finally {
            checkout.check("./sandglass template rm -f team-broken");
        }
    }

    @Test
    void onATerminalEachHasARowThatTellsWhatIsDone() throws IOException, InterruptedException {
        write("""
                name: team
                machines: [{name: web, count: 3, memory: 256, runtime: RUNTIME, provision: [{name: waits, install: "echo waiting here; until [ -e /srv/go ]; do sleep 0.1; done"}]}]
                """);
        try (Terminal terminal = new Terminal(checkout.root(), checkout.environment())) {
            terminal.type("./sandglass fleet create -f '" + host + "/team.yaml' --parallel 2");
            terminal.awaitScreen("(?m)^fleet team: 0 of 3\\nweb-1 .* s  \\[1/1] waits  waiting here\\nweb-2 .* s  \\[1/1] waits  waiting here\\nweb-3 .*waits$");
            checkout.check("for i in 1 2; do ./sandglass exec web-$i touch /srv/go; done");
            terminal.awaitScreen("(?m)^web-3 .*waiting here$");
            checkout.check("./sandglass exec web-3 touch /srv/go");
            assertThat(terminal.awaitScreen("(?m)^web-3 +sbx-.* created .*$")).as("the rows are gone").doesNotContain("of 3", "waiting here");
        }
    }
}
