package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.recipe.FleetText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class FleetVerbsTest extends VerbFixture {
    private static final String WEB = VerbsTest.SANDBOX.replace("bra\\u001bve", "web");
    private static final String NONE = "{\"sandboxes\":[]}";

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = directory.resolve("team.yaml");
        write("name: team\nmachines: [{name: web, env_file: web.env}]\n");
        Files.writeString(directory.resolve("web.env"), "KEY=of a file\n");
        daemon.on("GET /v1/sandboxes", 200, NONE).on("POST /v1/sandboxes", 201, WEB).on("PATCH /v1/sandboxes/sbx-aaaaaaaaaaaa", 200, WEB).on("GET /v1/volumes", 200, "{\"volumes\":[]}");
    }

    private void write(String yaml) throws IOException {
        Files.writeString(file, yaml);
    }

    private int create(String... more) {
        String[] args = new String[more.length + 4];
        System.arraycopy(new String[] {"fleet", "create", "-f", file.toString()}, 0, args, 0, 4);
        System.arraycopy(more, 0, args, 4, more.length);
        return console.run(args);
    }

    /** The fingerprint with which the only machine of the file is made. */
    private String entry() {
        FleetFile fleet = FleetFile.read(file.toString(), Map.of());
        return Fingerprint.of(fleet.machines().getFirst(), "").text();
    }

    private String labelled(String entry, String more) {
        return WEB.replace("\"labels\":{}", "\"labels\":{\"sandglass.fleet\":\"team\",\"sandglass.machine\":\"web\",\"sandglass.entry\":\"" + entry + "\"" + more + "}");
    }

    private void there(String sandbox) {
        daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + sandbox + "]}").on("GET /v1/sandboxes/sbx-aaaaaaaaaaaa", 200, sandbox);
    }

    @Test
    void whatIsMadeIsMarkedFirstAndFinishedLast() {
        assertThat(create("-o", "table")).as(console.err).isZero();
        String label = "\"labels\":{\"sandglass.fleet\":\"team\",\"sandglass.machine\":\"web\",\"sandglass.entry\":\"" + entry() + "\",\"sandglass.unfinished\":\"yes\"}";
        assertThat(daemon.asked).anyMatch(asked -> asked.startsWith("POST /v1/sandboxes ") && asked.contains("\"name\":\"web\"") && asked.contains("\"env\":{\"KEY\":\"of a file\"}") && asked.contains(label));
        assertThat(daemon.asked).last().isEqualTo("PATCH /v1/sandboxes/sbx-aaaaaaaaaaaa {\"labels\":{\"sandglass.unfinished\":null}}");
        assertThat(console.out).containsPattern("NAME +ID +OUTCOME +SECONDS\nweb +sbx-aaaaaaaaaaaa +created +");
        assertThat(console.err).startsWith("web: creating\nweb: created (").doesNotContain("of a file");
    }

    @Test
    void onATerminalThereIsARowForEach() {
        assertThat(console.terminals(Console.ERR).run("fleet", "create", "-f", file.toString(), "-o", "table")).isZero();
        assertThat(console.err).doesNotContain("web: creating\n");
        assertThat(console.out).contains("created");
    }

    @Test
    void whatIsThereIsNotTouched() {
        there(labelled(entry(), ""));
        assertThat(create("-o", "json")).isZero();
        assertThat(console.out).startsWith("[{\"name\":\"web\",\"id\":\"sbx-aaaaaaaaaaaa\",\"machine\":\"web\",\"outcome\":\"kept\",\"ms\":");
        assertThat(daemon.asked).allMatch(asked -> asked.startsWith("GET "));
    }

    @Test
    void whatWasCutOffIsFinished() {
        there(labelled(entry(), ",\"sandglass.unfinished\":\"yes\""));
        assertThat(create("-o", "table")).isZero();
        assertThat(console.out).contains("finished");
        assertThat(daemon.asked).last().asString().contains("\"sandglass.unfinished\":null");
    }

    @Test
    void theFingerprintTellsWhatCannotBeChanged() throws IOException {
        Fingerprint first = Fingerprint.parse(entry()).orElseThrow();
        write("name: team\nmachines: [{name: web, env_file: web.env, memory: 512, policy: open, labels: {a: b}, lifecycle: {ttl: 5}}]\n");
        assertThat(Fingerprint.parse(entry()).orElseThrow()).satisfies(other -> assertThat(other.sameMake(first)).isTrue()).isNotEqualTo(first);
        for (String more : List.of("env: {A: b}", "runtime: gvisor", "provision: jq", "volumes: [\"a:/a\"]", "services: [{name: s, command: c}]", "policy: none", "user: user")) {
            write("name: team\nmachines: [{name: web, env_file: web.env, " + more + "}]\n");
            assertThat(Fingerprint.parse(entry()).orElseThrow().sameMake(first)).as(more).isFalse();
        }
        write("name: team\nmachines: [{name: web, env: {A: a, KEY: of a file, B: b}}]\n");
        String ordered = entry();
        write("name: team\nmachines: [{name: web, env_file: web.env, env: {B: b, A: a}}]\n");
        assertThat(entry()).as("the order of variables means nothing").isEqualTo(ordered);
        assertThat(Fingerprint.parse("nonsense")).isEmpty();
    }

    @Test
    void aFleetHasTheNameOfItsFileWhereThatDoesNotSay() throws IOException {
        write("machines: [{name: a}]\n");
        assertThat(FleetFile.read(file.toString(), Map.of()).name()).isEqualTo("team");
        assertThat(FleetText.read("x", "machines: [{name: a}]").name()).isNull();
        Path odd = Files.move(file, directory.resolve("_odd name.yml"));
        assertThat(console.run("fleet", "create", "-f", odd.toString())).isEqualTo(2);
        assertThat(console.err).contains("name is missing");
    }

    @Test
    void aRuntimeThatIsNotThereIsToldBeforeAnythingIsMade() throws IOException {
        write("machines: [{name: web, runtime: docker}]\n");
        daemon.on("GET /v1/status", 200, TimeTravelTest.STATUS.formatted("{\"name\":\"gvisor\",\"available\":true}"));
        assertThat(create("-o", "table")).isEqualTo(2);
        assertThat(console.err).contains("team.yaml:1:19: runtime: there is no runtime docker");
        assertThat(daemon.asked).noneMatch(asked -> asked.startsWith("POST"));
    }

    @Test
    void aSecretInAFileOfVariablesIsNotTold() throws IOException {
        Files.writeString(directory.resolve("web.env"), "KEY=fine\nhunter2 is no name=x\n");
        assertThat(create("-o", "table")).isEqualTo(2);
        assertThat(console.err).contains("team.yaml:2:34: env_file: ", "web.env:2 begins with no name").doesNotContain("hunter2");
        assertThat(daemon.asked).isEmpty();
    }

    @Test
    void theyAreListed() {
        there(labelled(entry(), ",\"sandglass.unfinished\":\"yes\""));
        assertThat(console.run("fleet", "ls", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("FLEET +MACHINES +RUNNING +UNFINISHED +VOLUMES\nteam +1 +1 +1 +0\n");
        assertThat(console.run("fleet", "list", "team", "-o", "json")).isZero();
        assertThat(console.out).isEqualTo("[{\"fleet\":\"team\",\"machine\":\"web\",\"name\":\"web\",\"id\":\"sbx-aaaaaaaaaaaa\",\"state\":\"running\",\"finished\":false}]\n");
        assertThat(console.run("fleet", "ls", "other")).isEqualTo(3);
    }

    @Test
    void allOfOneAreRemovedAndNothingElse() {
        there(labelled(entry(), ""));
        daemon.on("DELETE /v1/sandboxes/sbx-aaaaaaaaaaaa", 204, "");
        assertThat(console.run("fleet", "destroy", "other")).isEqualTo(3);
        assertThat(console.run("fleet", "destroy", "other", "--force")).isZero();
        assertThat(console.run("fleet", "destroy")).isEqualTo(2);
        assertThat(console.run("fleet", "destroy", "team", "-f", file.toString())).isEqualTo(2);
        assertThat(daemon.asked).noneMatch(asked -> asked.startsWith("DELETE"));
        assertThat(console.run("fleet", "rm", "-f", file.toString(), "-o", "table")).isZero();
        assertThat(console.out).contains("removed");
        assertThat(daemon.asked).last().isEqualTo("DELETE /v1/sandboxes/sbx-aaaaaaaaaaaa");
    }

    @Test
    void whatIsMissingIsToldBeforeTheDaemonIsAsked() {
        assertThat(console.run("fleet", "create")).isEqualTo(2);
        assertThat(console.err).contains("--file");
        assertThat(create("--parallel", "0")).isEqualTo(2);
        assertThat(console.run("fleet", "create", "-f", directory.resolve("none.yaml").toString())).isEqualTo(2);
        assertThat(daemon.asked).isEmpty();
    }
}
