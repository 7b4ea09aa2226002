package dev.sandglass.wire.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people write into the file of a fleet, and what is wrong in it. */
class FleetTextTest {
    private static FleetText.Contents read(String yaml) {
        return FleetText.read("f.yaml", yaml);
    }

    private static CreateSandbox request(String keys) {
        return read("machines: [{name: a, " + keys + "}]").machines().getFirst().request();
    }

    @Test
    void aMachineHasAllThatIsWritten() {
        FleetText.Contents file = read("""
                name: team
                machines:
                  - name: web
                    count: 2
                    from: golden
                    memory: 1.5G
                    cpus: 0.5
                    disk: 20G
                    processes: 64
                    env: {A: 1}
                    envFile: [a.env, b.env]
                    provision: [jq, {name: own, install: "true"}]
                    policy: {preset: open, rules: [deny example.org]}
                    volumes: ["data:/data:ro", {name: "own-${MACHINE}", path: /own, size: 64}]
                    services: [{name: s, command: serve}]
                    lifecycle: {ttl: 60}
                    labels: {team: red}
                  - {name: db, provision: "jq, ripgrep"}
                """);
        assertThat(file.name()).isEqualTo("team");
        FleetText.Entry web = file.machines().getFirst();
        assertThat(web.names()).containsExactly("web-1", "web-2");
        assertThat(web.origin().map(FleetText.Named::text)).isEqualTo(Optional.of("golden"));
        assertThat(web.request().memoryMb()).isEqualTo(1536);
        assertThat(web.request().diskMb()).isEqualTo(20480);
        assertThat(web.request().maxProcesses()).isEqualTo(64);
        assertThat(web.request().ttl()).isEqualTo(60);
        assertThat(web.request().env()).isEqualTo(Map.of("A", "1"));
        assertThat(web.request().network()).isEqualTo(new NetworkPolicy("open", List.of("deny example.org"), null));
        assertThat(web.envFiles()).extracting(FleetText.Named::text).containsExactly("a.env", "b.env");
        assertThat(web.components()).containsExactly("jq", "own");
        assertThat(web.definitions()).hasSize(1);
        assertThat(web.volumes()).extracting(each -> each.of("web-2")).containsExactly("data", "own-web-2");
        assertThat(web.volumes()).extracting(FleetText.Volume::sizeMb).containsExactly(null, 64L);
        assertThat(web.services()).extracting(each -> each.name()).containsExactly("s");
        assertThat(file.machines().get(1).names()).containsExactly("db");
        assertThat(file.machines().get(1).components()).containsExactly("jq", "ripgrep");
    }

    @Test
    void sizesHaveUnits() {
        assertThat(List.of(512L, 512L, 512L, 2048L, 1L, 1L << 20))
                .isEqualTo(List.of("512", "512M", "512MiB", "2gb", "1024K", "1T").stream().map(text -> request("memory: " + text).memoryMb()).toList());
        for (String wrong : List.of("much", "-1", "0", "0.1K", "1e9", "999999999999G", "5Q")) {
            assertThatThrownBy(() -> request("memory: " + wrong)).as(wrong).hasMessageStartingWith("f.yaml:1:30: machines[0].memory: ");
        }
    }

    @Test
    void whatIsWrongIsToldWhereItStands() {
        Map.ofEntries(
                        Map.entry("machines: [{name: a, memroy: 1}]", "f.yaml:1:22: memroy is no known key (expected: memory?)"),
                        Map.entry("machine: []", "f.yaml:1:1: machine is no known key (expected: machines?)"),
                        Map.entry("machines: []", "f.yaml:1:11: machines: a list (expected: 1 to 500 machines, and not 0)"),
                        Map.entry("machines: [{count: 2}]", "f.yaml:1:12: machines[0]: name is missing"),
                        Map.entry("machines: [{name: ../a}]", "f.yaml:1:19: machines[0].name: ../a (expected: 1 to 63 letters"),
                        Map.entry("machines: [{name: a, count: 501}]", "f.yaml:1:29: machines[0].count: 501 (expected: a whole number, 0 to 500)"),
                        Map.entry("machines: [{name: a, count: 400}, {name: b, count: 400}]", "and not 800"),
                        Map.entry("machines: [{name: a}, {name: a}]", "f.yaml:1:30: machines[1].name: a (expected: names that are not there twice"),
                        Map.entry("machines: [{name: a-2}, {name: a, count: 2}]", "as a-2 is: see line 1"),
                        Map.entry("machines: [{name: a, from: b, image: c}]", "f.yaml:1:12: machines[0]: it begins with one of from, template and image"),
                        Map.entry("machines: [{name: a, volumes: [data]}]", "f.yaml:1:32: machines[0].volumes[0]: data (expected: VOLUME:/PATH"),
                        Map.entry("machines: [{name: a, volumes: [{name: v}]}]", "path is missing"),
                        Map.entry("machines: [{name: a, volumes: [{name: v, path: data, size: 1G}]}]", "f.yaml:1:48: machines[0].volumes[0].path: data (expected: a path that begins with /)"),
                        Map.entry("machines: [{name: a, volumes: [{name: v, path: /data, mode: r}]}]", "mode: r (expected: one of rw, shared, ro)"),
                        Map.entry("machines: [{name: a, volumes: ['v:/data:r']}]", "v:/data:r (expected: a mode that is one of rw, shared, ro)"),
                        Map.entry("machines: [{name: a, policy: opne}]", "f.yaml:1:30: machines[0].policy: opne (expected: one of none, open, package-registries, or rules)"),
                        Map.entry("machines: [{name: a, policy: {preset: opne}}]", "(expected: one of none, open, package-registries, or rules)"),
                        Map.entry("machines: [{name: a, env: {1x: y}}]", "f.yaml:1:27: machines[0].env: a mapping (expected: names of letters, digits and '_' that begin with no digit, and not 1x)"),
                        Map.entry("machines: [{name: a, security: tight}]", "f.yaml:1:32: machines[0].security: tight (expected: one of strict, standard)"),
                        Map.entry("machines: [{name: a, labels: {sandglass.fleet: x}}]", "labels that do not begin with sandglass."),
                        Map.entry("machines: [{name: a, cpus: -1}]", "(expected: a number above 0)"),
                        Map.entry("machines: [{name: a, services: [{name: w}]}]", "either command, for a shell, or argv"),
                        Map.entry("name: -x\nmachines: [{name: a}]", "f.yaml:1:7: name: -x (expected: 1 to 63 letters"))
                .forEach((text, said) -> assertThatThrownBy(() -> read(text))
                        .as(text)
                        .hasMessageContaining(said)
                        .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST)));
    }

    @Test
    void aNameWithItsNumberIsNoLongerThanNamesAre() {
        String longest = "a".repeat(61);
        assertThat(read("machines: [{name: " + longest + ", count: 9}]").machines().getFirst().names()).hasSize(9);
        assertThatThrownBy(() -> read("machines: [{name: " + longest + ", count: 10}]")).hasMessageContaining("with its number");
    }
}
