package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every change of a sandbox can be read afterwards. */
@OnEveryRuntime
class EventTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    EventTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void aLifeIsToldFromBeginningToEnd() throws IOException {
        TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name("told-" + runtime));
        Command command = box.start(Run.shell("exit 7"));
        box.await(command);
        Eventually.get(() -> types(box.id()), types -> types.contains("command.exited"));
        Processes.kill(box.info().pid());
        Eventually.get(box::now, now -> now.state().equals("failed"));
        box.close();
        List<Event> events = events("sandbox=" + box.id());
        assertThat(events)
                .extracting(Event::type)
                .containsExactly(
                        "sandbox.creating", "sandbox.created", "command.started", "command.exited", "sandbox.failed", "sandbox.destroying",
                        "sandbox.destroyed");
        assertThat(events).extracting(Event::id).isSorted().doesNotHaveDuplicates();
        assertThat(events).extracting(Event::sandboxName).containsOnly(box.name());
        assertThat(events.get(3).data()).containsEntry("command", command.id()).containsEntry("exit_code", "7");
        assertThat(events.get(4).data()).containsEntry("reason", "exited");
        assertThat(events("sandbox=" + box.name() + "&type=sandbox.failed&type=sandbox.destroyed")).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aRestAndAnEndTellWhatBroughtThem() throws IOException {
        TestSandbox timedOut = daemon.api().create(SandboxRequest.on(runtime).timeout(1));
        TestSandbox old = daemon.api().create(SandboxRequest.on(runtime).hardTtl(1));
        try (TestSandbox unused = daemon.api().create(SandboxRequest.on(runtime).ttl(1))) {
            assertThat(reason(timedOut, "sandbox.destroyed")).isEqualTo("timeout");
            assertThat(reason(old, "sandbox.destroying")).isEqualTo("hard_ttl");
            assertThat(reason(old, "sandbox.destroyed")).isEqualTo("hard_ttl");
            assertThat(reason(unused, "sandbox.paused")).isEqualTo("ttl");
            assertThat(unused.now().reason()).isEqualTo("ttl");
        }
        TestSandbox asked = daemon.api().create(SandboxRequest.on(runtime));
        asked.pause(true);
        assertThat(reason(asked, "sandbox.paused")).isEqualTo("api");
        asked.close();
        assertThat(reason(asked, "sandbox.destroyed")).isEqualTo("api");
    }

    private String reason(TestSandbox box, String type) {
        return String.valueOf(Eventually.get(() -> events("sandbox=" + box.id() + "&type=" + type), found -> !found.isEmpty()).getLast().data().get("reason"));
    }

    @Test
    void whatIsNoSandboxIsRefusedAndTheBeginningOfANameWillDo() throws IOException {
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> events("sandbox=never-was-" + runtime));
        TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name("begins-so-" + runtime));
        assertThat(events("sandbox=begins-so-" + runtime.substring(0, 3))).hasSize(2);
        box.close();
        assertThat(events("sandbox=" + box.name() + "&type=sandbox.destroyed")).isNotEmpty();
        assertThat(events("sandbox=" + box.name() + "&type=command")).isEmpty();
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> events("sandbox=begins-so-" + runtime.substring(0, 3)));
    }

    @Test
    void aDaemonThatIsKilledLosesNone() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            List<Event> before = events("sandbox=" + box.id());
            daemon.kill();
            daemon.start();
            assertThat(events("sandbox=" + box.id())).isEqualTo(before).isNotEmpty();
            Processes.kill(box.info().pid());
            Eventually.get(box::now, now -> now.state().equals("failed"));
            assertThat(events("sandbox=" + box.id() + "&after=" + before.getLast().id())).extracting(Event::type).containsExactly("sandbox.failed");
        }
    }

    @Test
    void theEndOfACommandIsToldOnceWhicheverDaemonSeesIt() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            Command alone = box.start(Run.shell("while [ ! -e /tmp/go ]; do sleep 0.1; done; exit 7"));
            Command later = box.start(Run.of("cat").withInput());
            Command before = box.start(Run.shell("exit 3"));
            Eventually.get(() -> exited(box), List.of(before.id() + " 3")::equals);
            box.output("touch /tmp/go");
            daemon.kill();
            daemon.start();
            box.await(alone);
            box.input(later, "", true);
            box.await(later);
            List<String> all = List.of(before.id() + " 3", alone.id() + " 7", later.id() + " 0");
            assertThat(Eventually.get(() -> exited(box), seen -> seen.size() >= all.size())).containsExactlyInAnyOrderElementsOf(all);
            daemon.kill();
            daemon.start();
            Command last = box.start(Run.of("true"));
            Eventually.get(() -> exited(box), seen -> seen.contains(last.id() + " 0"));
            assertThat(exited(box)).hasSize(all.size() + 1).doesNotHaveDuplicates();
            assertThat(types(box.id()).stream().filter("command.started"::equals)).hasSize(all.size() + 1);
        }
    }

    private List<String> exited(TestSandbox box) {
        return events("type=command.exited&sandbox=" + box.id()).stream()
                .map(event -> event.data().get("command") + " " + event.data().get("exit_code"))
                .toList();
    }

    private List<String> types(String sandbox) {
        return events("sandbox=" + sandbox).stream().map(Event::type).toList();
    }

    private List<Event> events(String query) {
        return daemon.caller().get("/v1/events?limit=1000&" + query).as(EventList.class).events();
    }
}
