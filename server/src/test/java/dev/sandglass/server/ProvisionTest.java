package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.Provision;
import dev.sandglass.wire.recipe.ComponentText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Components are installed in a sandbox and verified; one that fails hides none of the others. */
@OnEveryRuntime
class ProvisionTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates builds = new TestTemplates(daemon);
    private final String runtime;

    ProvisionTest(String runtime) {
        this.runtime = runtime;
    }

    private static Provision request(String yaml) {
        ComponentText.Contents file = ComponentText.read("test.yaml", yaml, "file");
        return new Provision(file.names(), file.components(), file.bundles(), null);
    }

    private Build provisioned(TestSandbox box, Provision request) {
        return builds.awaited(daemon.caller().post(box.path() + "/provision", request).as(Build.class).id());
    }

    private static String why(Build build, String step) {
        return build.steps().stream().filter(each -> each.name().equals(step)).map(BuildStep::message).findFirst().orElseThrow();
    }

    @Test
    void oneFailureDoesNotStopOrHideTheOthers() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Build build = provisioned(box, request("""
                    components:
                      - {name: fails, install: "echo the reason; exit 4"}
                      - {name: unverified, install: "true", verify: "test -e /nowhere"}
                      - {name: needs-it, requires: [fails], install: "true"}
                      - {name: slow, timeout: 1, install: sleep 60}
                      - {name: fine, variables: {WORD: yes}, install: "echo $WORD > /opt/fine", verify: "grep yes /opt/fine", memory: {provision_mb: 4096, run_mb: 2048}}
                    """));
            assertThat(TestTemplates.states(build))
                    .containsExactlyInAnyOrderEntriesOf(Map.of("fails", "failed", "unverified", "failed", "needs-it", "skipped", "slow", "failed", "fine", "done"));
            assertThat(why(build, "fails")).contains("ended with 4").endsWith("the reason");
            assertThat(why(build, "needs-it")).contains("requires fails");
            assertThat(why(build, "slow")).contains("longer than 1 s");
            assertThat(build.warnings()).singleElement().asString().contains("fine wants 4096 MB", "the sandbox has 256 MB", "`sandglass update " + box.name() + " --memory 4096M`");
            assertThat(Objects.requireNonNull(build.error()).message()).contains("4 of 5");
            assertThat(box.output("cat /opt/fine")).isEqualTo("yes");
            EventList events = daemon.caller().get("/v1/events?type=build.step&limit=1000&sandbox=" + box.id()).as(EventList.class);
            assertThat(events.events()).anyMatch(event -> event.data().equals(Map.of("build", build.id(), "subject", box.name(), "step", "fine", "state", "done")));
        }
    }

    @Test
    void tooLittleMemoryIsNamedAsSuchWithWhatRaisesIt() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Build build = provisioned(box, request("components: [{name: hungry, install: \"python3 -c 'x = bytearray(3 << 30); print(len(x))'\"}]"));
            BuildStep step = build.steps().getFirst();
            assertThat(step.message()).contains("ran out of memory");
            assertThat(step.hint()).contains("--memory 512M");
        }
    }

    @Test
    void whatThePolicyClosesIsToldWithWhatOpensIt() {
        try (TestSandbox none = daemon.api().create(SandboxRequest.on(runtime)); TestSandbox closed = daemon.api().create(SandboxRequest.on(runtime).network(null, "allow example.org"))) {
            Provision outside = request("components: [{name: far, install: \"true\", domains: [\"${PLACE}\"], variables: {PLACE: \"https://far.example.net:8443/x\"}}]");
            assertThat(why(provisioned(none, outside), "far")).contains("needs far.example.net:8443", "has no network");
            Build build = provisioned(closed, outside);
            assertThat(build.steps().getFirst().hint()).contains("sandglass policy allow " + closed.name() + " far.example.net:8443");
            assertThat(Objects.requireNonNull(closed.now().network()).rules()).as("nothing is opened by itself").containsExactly("allow example.org");
        }
    }

    @Test
    void whatIsUnknownIsRefusedBeforeAnythingBegins() {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        String path = box.path() + "/provision";
        assertThat(refused(ErrorCode.COMPONENT_NOT_FOUND, () -> daemon.caller().post(path, new Provision(List.of("node-js"), null, null, null)))).hasMessageContaining("nodejs?");
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(path, new Provision(List.of("nodejs"), null, null, Map.of("NODE_VERSON", "1"))))).hasMessageContaining("NODE_VERSION?");
        Provision cycle = request("components: [{name: a, requires: [b], install: \"true\"}, {name: b, requires: [a], install: \"true\"}]");
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(path, cycle))).hasMessageContaining("a -> b -> a");
        Provision around = request("bundles: [{name: all, components: [some]}, {name: some, components: [all]}]\ncomponents: [all]\n");
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(path, around))).hasMessageContaining("all -> some -> all");
        assertThat(refused(ErrorCode.COMPONENT_NOT_FOUND, () -> daemon.caller().get("/v1/components/ml"))).hasMessageContaining("ml is a bundle");
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> daemon.caller().post("/v1/sandboxes/nobody/provision", cycle));
        refused(ErrorCode.BUILD_NOT_FOUND, () -> daemon.caller().get("/v1/builds/build-000000000000"));
    }

    @Test
    void theOwnersComponentsAreKnownByName() throws IOException {
        Path directory = Path.of(daemon.api().status().dataDir()).resolve("components");
        Files.createDirectories(directory);
        Path file = directory.resolve("own.yaml");
        try {
            Files.writeString(file, "components: [{name: own-one, install: \"true\", tags: [mine]}]\nbundles: [{name: own-all, components: [own-some]}, {name: own-some, components: [own-one]}]\n");
            Files.writeString(directory.resolve("broken.yaml"), "components: [{nam: x}]\n");
            ComponentList known = daemon.caller().get("/v1/components").as(ComponentList.class);
            assertThat(known.components()).anyMatch(each -> each.name().equals("own-one") && "directory".equals(each.origin())).anyMatch(each -> each.name().equals("jq"));
            assertThat(known.problems()).as("what was left out").singleElement().asString().contains("broken.yaml:1:15: nam is no known key");
            Build build = provisioned(SharedDaemon.sandbox(runtime), new Provision(List.of("own-all"), null, null, null));
            assertThat(TestTemplates.states(build)).isEqualTo(Map.of("own-one", "done"));
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory.resolve("broken.yaml"));
            Files.deleteIfExists(directory);
        }
    }
}
