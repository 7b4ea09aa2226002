package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.RollbackTemplate;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.TemplateInclusion;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.TemplateVersion;
import dev.sandglass.wire.TraceStep;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A recipe becomes a snapshot, and sandboxes begin with it. */
@OnEveryRuntime
class TemplateTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);
    private final String runtime;

    TemplateTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void clear() {
        daemon.api().names().stream().filter(name -> name.startsWith("of-") || name.startsWith("build-")).forEach(daemon.api()::destroy);
        templates.clear();
    }

    private String recipe(String name, String rest) {
        return "name: " + name + "\nruntime: " + runtime + "\nresources: {memory_mb: 256}\n" + rest;
    }

    private TestSandbox from(String name, String template) {
        return new TestSandbox(daemon.caller(), daemon.caller().post("/v1/sandboxes", request(name, template)).as(Sandbox.class));
    }

    private NetworkPolicy policy(TestSandbox box) {
        return daemon.caller().get(box.path() + "/policy").as(NetworkPolicy.class);
    }

    private static CreateSandbox request(String name, String template) {
        return new CreateSandbox(name, null, null, null, null, null, null, Map.of("MINE", "own"), null, null, null, null, null, null, null, null, template, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    @Test
    void filesSetupServicesAndDefaultsAreThereInEverySandbox() {
        templates.create(recipe("whole", """
                env: {GREETING: hello}
                workdir: /srv/place
                files:
                  - {path: /usr/local/bin/greet, mode: "0755", content: "#!/bin/sh\\necho $GREETING\\n"}
                  - {path: /srv/data, content_base64: AAEC, owner: user}
                setup: |
                  greet > /srv/greeted
                services:
                  - {name: web, command: "exec python3 -m http.server 8080 --directory /srv", port: 8080}
                ready: curl -fsS http://127.0.0.1:8080/greeted
                lifecycle: {ttl: 3600}
                network: {rules: ["allow example.org"]}
                pool: {minIdle: 1, maxIdle: 2}
                """));
        Build build = templates.built("whole");
        assertThat(build.steps()).extracting("name").containsExactly("base", "files", "setup", "services", "ready", "snapshot");
        TemplateStatus status = templates.get("whole");
        assertThat(status.state()).isEqualTo("ready");
        assertThat(status.snapshot()).isEqualTo(build.snapshot());
        assertThat(Objects.requireNonNull(Objects.requireNonNull(status.recipe()).pool()).maxIdle()).isEqualTo(2);
        assertThat(daemon.api().names()).as("the sandbox of the build is gone").noneMatch(name -> name.startsWith("build-"));
        try (TestSandbox box = from("of-whole", "whole")) {
            assertThat(box.output("cat /srv/greeted; greet; echo $MINE; stat -c %U%s /srv/data; test -d /srv/place; until curl -fsS http://127.0.0.1:8080/greeted; do sleep 0.1; done")).isEqualTo("hello\nhello\nown\nuser3\nhello");
            assertThat(box.now().memoryMb()).isEqualTo(256);
            assertThat(box.now().ttl()).isEqualTo(3600);
            assertThat(Objects.requireNonNull(box.now().network()).rules()).containsExactly("allow example.org");
            assertThat(box.now().snapshot()).isEqualTo(build.snapshot());
        }
    }

    @Test
    void sandboxesHaveExactlyThePolicyOfTheTemplateAndTheBuildOneOfItsOwn() {
        daemon.caller().post("/v1/credentials", new CreateCredential("of-template", "tell-nobody-5b20c4", null, null, null, null, null, "api.example.org", null, null, null, null, null, null, null));
        templates.create(recipe("governed", """
                required_domains: [build.example.org]
                credentials: [of-template]
                setup: date > /opt/when
                network:
                  preset: package-registries
                  rules:
                    - deny *.tracker.example.org
                    - allow *.example.org:443 GET /public/*
                    - allow 203.0.113.0/24:8000-8010
                """));
        templates.built("governed");
        String[] rules = {"deny *.tracker.example.org", "allow *.example.org:443 GET /public/*", "allow 203.0.113.0/24:8000-8010"};
        try (TestSandbox box = from("of-governed", "governed");
                TestSandbox same = daemon.api().create(SandboxRequest.on(runtime).network("package-registries", rules));
                TestSandbox closed = new TestSandbox(daemon.caller(), daemon.caller().post("/v1/sandboxes", SandboxRequest.on(runtime).name("of-closed").from("governed").network("none").toWire()).as(Sandbox.class))) {
            NetworkPolicy policy = policy(box);
            assertThat(policy).isEqualTo(policy(same)).isEqualTo(box.now().network());
            assertThat(policy.rules()).startsWith(rules);
            assertThat(policy.toString()).as("what was open for the build").doesNotContain("build.example.org");
            assertThat(closed.now().network()).as("who makes a sandbox has the last word").isNull();
            assertThat(box.now().credentials()).containsExactly("of-template");
            assertThat(closed.now().credentials()).isEmpty();
            assertThat(box.output("getent hosts www.tracker.example.org || echo unknown")).isEqualTo("unknown");
        } finally {
            daemon.caller().delete("/v1/credentials/of-template");
        }
        refused(ErrorCode.INVALID_REQUEST, () -> templates.create(recipe("ungoverned", "network: {rules: [\"permit all\"]}\n")));
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.get("ungoverned"));
    }

    @Test
    void stepsThatNothingChangedAreNotRepeated() {
        templates.create(recipe("cached", "files: [{path: /opt/one, content: first}]\nsetup: date +%N > /opt/when\n"));
        templates.built("cached");
        templates.replace(recipe("cached", "files: [{path: /opt/one, content: first}]\nsetup: date +%N > /opt/when; echo more\n"));
        assertThat(templates.get("cached").state()).isEqualTo("stale");
        assertThat(TestTemplates.states(templates.built("cached"))).containsEntry("files", "cached").containsEntry("setup", "done");
        Build again = templates.built("cached");
        assertThat(TestTemplates.states(again)).containsEntry("setup", "cached");
        Build anew = templates.awaited(templates.begin("cached", new BuildTemplate(null, false)).id());
        assertThat(TestTemplates.states(anew)).containsEntry("setup", "done").containsEntry("files", "done");
        assertThat(again.version()).isEqualTo(3);
    }

    /** Whoever says no runtime must not get that of somebody else, who may want less of a boundary. */
    @Test
    void stepsOfAnotherRuntimeAreTakenWithoutIt() {
        templates.create(recipe("theirs", "setup: echo same > /opt/same\n"));
        templates.built("theirs");
        templates.create("name: ours\nresources: {memory_mb: 256}\nsetup: echo same > /opt/same\n");
        assertThat(TestTemplates.states(templates.built("ours"))).containsEntry("setup", "cached");
        assertThat(from("of-ours", "ours").now().runtime()).isEqualTo(daemon.api().status().defaultRuntime());
    }

    @Test
    void aNewVersionTakesTheNameWhileSandboxesKeepTheOld() {
        templates.create(recipe("moving", "setup: echo one > /opt/version\n"));
        Build one = templates.built("moving");
        TestSandbox old = from("of-one", "moving");
        templates.replace(recipe("moving", "setup: echo two > /opt/version\n"));
        Build two = templates.built("moving");
        assertThat(daemon.api().snapshots()).filteredOn(each -> "moving".equals(each.name())).extracting(Snapshot::id).containsExactly(Objects.requireNonNull(two.snapshot()));
        assertThat(from("of-two", "moving").output("cat /opt/version")).isEqualTo("two");
        assertThat(old.output("cat /opt/version")).isEqualTo("one");
        assertThat(templates.history("moving").versions()).extracting(TemplateVersion::version, TemplateVersion::current).containsExactly(org.assertj.core.groups.Tuple.tuple(2L, true), org.assertj.core.groups.Tuple.tuple(1L, false));
        TemplateStatus back = daemon.caller().post("/v1/templates/moving/rollback", new RollbackTemplate(null)).as(TemplateStatus.class);
        assertThat(back.snapshot()).isEqualTo(one.snapshot());
        assertThat(from("of-back", "moving").output("cat /opt/version")).isEqualTo("one");
        refused(ErrorCode.CONFLICT, () -> daemon.caller().post("/v1/templates/moving/rollback", new RollbackTemplate(null)));
    }

    @Test
    void aFailingStepShowsItsLastLinesAndLeavesNothing() {
        templates.create(recipe("broken", "files: [{path: /opt/x, content: y}]\nsetup: |\n  sleep 0.5\n  echo the last words\n  exit 3\n"));
        Build build = templates.build("broken");
        assertThat(TestTemplates.error(build)).isEqualTo("build_failed");
        assertThat(Objects.requireNonNull(build.error()).message()).contains("setup ended with 3").endsWith("the last words");
        assertThat(TestTemplates.states(build)).containsEntry("setup", "failed").containsEntry("snapshot", "skipped");
        assertThat(templates.log(build.id())).contains("the last words");
        assertThat(templates.get("broken").state()).isEqualTo("new");
        assertThat(daemon.api().names()).noneMatch(name -> name.startsWith("build-"));
        assertThat(daemon.api().snapshots()).isEmpty();
        Build joined = templates.begin("broken", new BuildTemplate(null, null));
        assertThat(templates.begin("broken", new BuildTemplate(true, null)).id()).as("who joins may want it too").isEqualTo(joined.id());
        assertThat(daemon.api().get(templates.awaited(joined.id()).id()).state()).isEqualTo("running");
        refused(ErrorCode.BUILD_FAILED, () -> from("of-broken", "broken"));
    }

    @Test
    void whatNeverEndsFloodsOrFillsIsContained() {
        templates.create(recipe("endless", "timeout: 6\nsetup: yes and so on\n"));
        Build flood = templates.build("endless");
        assertThat(TestTemplates.error(flood)).isEqualTo("build_timeout");
        assertThat(Objects.requireNonNull(flood.error()).hint()).contains("6 s for all steps (timeout)");
        assertThat(templates.log(flood.id()).length()).isLessThan(300_000);
        templates.create(recipe("filling", "").replace("memory_mb: 256", "memory_mb: 256, disk_mb: 64") + "setup: dd if=/dev/zero of=/opt/big bs=1M count=200\n");
        assertThat(TestTemplates.error(templates.build("filling"))).isEqualTo("disk_full");
        templates.create(recipe("hungry", "setup: python3 -c 'x = bytearray(3 << 30); print(len(x))'\n"));
        Build hungry = templates.build("hungry");
        assertThat(TestTemplates.error(hungry)).isEqualTo("out_of_memory");
        assertThat(Objects.requireNonNull(hungry.error()).hint()).contains("memory_mb");
        assertThat(daemon.api().names()).as("sandboxes of builds that failed").noneMatch(name -> name.startsWith("build-"));
        assertThat(daemon.api().allSnapshots()).as("what they left").isEmpty();
        assertThat(templates.list()).filteredOn(each -> each.origin().equals("user")).extracting(TemplateStatus::state).containsOnly("new");
    }

    @Test
    void aBuildEndsWhenItsSandboxIsRemoved() {
        templates.create(recipe("ended", "setup: echo begun; sleep 600\n"));
        Build begun = templates.begin("ended", new BuildTemplate(null, null));
        Eventually.get(() -> templates.log(begun.id()), log -> log.contains("begun"));
        assertThat(refused(ErrorCode.CONFLICT, () -> templates.delete("ended"))).hasMessageContaining("is being built");
        daemon.api().destroy(begun.id());
        Build ended = templates.awaited(begun.id());
        assertThat(Objects.requireNonNull(ended.error()).message()).contains("The sandbox was removed during the step setup.");
        templates.delete("ended");
    }

    @Test
    void whatAReadyCheckSaysIsToldOnceAndWhenItChanges() {
        templates.create(recipe("patient", """
                ready: |
                  tries=$(( $(cat /run/tries 2> /dev/null || echo 0) + 1 )); echo $tries > /run/tries
                  if [ $tries -lt 4 ]; then echo not yet; exit 1; fi
                  echo at last
                """));
        assertThat(templates.log(templates.built("patient").id())).isEqualTo("not yet\nat last\n");
        templates.replace(recipe("patient", "ready: {command: \"echo never; false\", timeout: 2}\n"));
        Build late = templates.build("patient");
        assertThat(TestTemplates.error(late)).isEqualTo("build_timeout");
        assertThat(templates.log(late.id())).isEqualTo("never\n");
    }

    @Test
    void aTemplateTellsAllThatItIncludes() {
        templates.create(recipe("ground", "components: [{name: tool, install: \"true\", variables: {TOOL_VERSION: \"1\"}}]\n"));
        templates.create(recipe("including", "from: ground\ncomponents: [claude-code]\nvariables: {CLAUDE_CODE_VERSION: 9.9.9}\n"));
        TemplateStatus told = templates.get("including");
        assertThat(Objects.requireNonNull(told.includes())).extracting(TemplateInclusion::name).containsExactly("tool", "nodejs", "git", "ripgrep", "claude-code");
        assertThat(told.includes()).contains(new TemplateInclusion("tool", Map.of("TOOL_VERSION", "1")), new TemplateInclusion("claude-code", Map.of("CLAUDE_CODE_VERSION", "9.9.9")));
        assertThat(told.domains()).containsExactly("@apt", "@npm");
    }

    @Test
    void twoBuildsOfTheSameAtOnceAreOne() {
        templates.create(recipe("shared", "setup: sleep 1; date +%N > /opt/when\n"));
        Build first = templates.begin("shared", new BuildTemplate(null, null));
        Build second = templates.begin("shared", new BuildTemplate(null, null));
        assertThat(second.id()).isEqualTo(first.id());
        List<TestSandbox> boxes = AtOnce.all(List.of(() -> from("of-shared-1", "shared"), () -> from("of-shared-2", "shared")));
        assertThat(boxes.stream().map(box -> box.output("cat /opt/when")).distinct()).hasSize(1);
        assertThat(templates.history("shared").versions()).hasSize(1);
    }

    @Test
    void whoCreatesTheFirstSandboxSeesHowTheBuildGoes() {
        templates.create(recipe("watched", "setup: sleep 1\n"));
        OperationStatus made = daemon.caller().post("/v1/sandboxes?trace=true", request("of-watched", "watched")).as(OperationStatus.class);
        assertThat(made.steps()).extracting(TraceStep::name).startsWith("building watched").containsSubsequence("building watched: setup", "ledger, running");
    }

    @Test
    void aTemplateIsMadeOfAnotherAndNeverOfItself() {
        templates.create(recipe("lower", "setup: echo lower > /opt/lower\n"));
        templates.create("name: upper\nfrom: lower\nresources: {memory_mb: 256}\nsetup: head -n 1 < /opt/lower | tr a-z A-Z > /opt/upper\n");
        try (TestSandbox box = from("of-upper", "upper")) {
            assertThat(box.output("cat /opt/upper")).isEqualTo("LOWER");
            assertThat(box.now().runtime()).as("that of what it is made of").isEqualTo(runtime);
        }
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> templates.replace(recipe("lower", "from: upper\n")))).hasMessageContaining("lower -> upper -> lower");
        refused(ErrorCode.INVALID_REQUEST, () -> templates.create(recipe("self", "from: self\n")));
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.create(recipe("orphan", "from: nobody\n")));
        assertThat(refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.create(recipe("orphan", "from: loewr\n")))).hasMessageContaining("(expected: lower?)");
        refused(ErrorCode.CONFLICT, () -> templates.delete("lower"));
    }

    @Test
    void aSandboxBecomesATemplate() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("echo by hand > /opt/made");
            TemplateStatus made = daemon.caller().post("/v1/templates/capture", new CaptureTemplate("handmade", source.id(), "of a test")).as(TemplateStatus.class);
            assertThat(made.origin()).isEqualTo("sandbox");
            assertThat(made.state()).isEqualTo("ready");
            try (TestSandbox copy = from("of-handmade", "handmade")) {
                assertThat(copy.output("cat /opt/made")).isEqualTo("by hand");
            }
            refused(ErrorCode.CONFLICT, () -> templates.build("handmade"));
        }
    }

    @Test
    void namesThatCollideAreRefused() {
        templates.create(recipe("taken", "setup: echo\n"));
        assertThat(refused(ErrorCode.NAME_TAKEN, () -> templates.create(recipe("taken", ""))).hint()).contains("--replace");
        assertThat(refused(ErrorCode.NAME_TAKEN, () -> templates.create(recipe("python", ""))).hint()).contains("`from: python`");
        refused(ErrorCode.CONFLICT, () -> templates.replace(recipe("python", "")));
        TestSandbox box = SharedDaemon.sandbox(runtime);
        refused(ErrorCode.NAME_TAKEN, () -> daemon.api().capture(box.id(), "taken"));
        daemon.api().capture(box.id(), "captured");
        refused(ErrorCode.NAME_TAKEN, () -> templates.create(recipe("captured", "")));
        assertThat(daemon.api().snapshots()).as("what has another's name is not made").extracting(Snapshot::name).containsExactly("captured");
        assertThat(templates.list()).filteredOn(each -> each.origin().equals("user")).extracting(TemplateStatus::name).containsExactly("taken");
        assertThat(Objects.requireNonNull(templates.get("python").recipe()).runtime()).as("that of the built-in one").isNull();
        assertThat(refused(ErrorCode.COMPONENT_NOT_FOUND, () -> templates.create(recipe("nothing", "components: [jqq]\n")))).hasMessageContaining("jq?");
        assertThat(refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.get("tken"))).hasMessageContaining("taken?");
    }

    @Test
    void warmServicesGoOnInEverySandbox() {
        templates.create(recipe("warm", """
                warm: true
                services: [{name: count, command: "exec python3 -c 'import time\\nn = 0\\nwhile True:\\n  n += 1\\n  open(\\"/run/count\\", \\"w\\").write(str(n))\\n  time.sleep(0.05)'"}]
                ready: test "$(cat /run/count)" -gt 20
                """));
        if (!runtime.equals("gvisor")) {
            assertThat(TestTemplates.error(templates.build("warm"))).isIn("conflict", "snapshot_blocked", "runtime_unavailable");
            return;
        }
        templates.built("warm");
        try (TestSandbox box = from("of-warm", "warm")) {
            assertThat(Integer.parseInt(box.output("cat /run/count"))).isGreaterThan(20);
        }
    }
}
