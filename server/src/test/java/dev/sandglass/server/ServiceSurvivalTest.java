package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Service;
import dev.sandglass.wire.Snapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services come back with the disk that they are on, go on with the processes that they are, and outlive the daemon. */
@OnEveryRuntime
@Timeout(600)
class ServiceSurvivalTest {
    /** Says each of its starts, and by which name. */
    private static final String SCRIPT = "hostname >> /workspace/starts; exec sleep infinity";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    ServiceSurvivalTest(String runtime) {
        this.runtime = runtime;
    }

    private TestSandbox served(SandboxRequest request) {
        TestSandbox box = daemon.api().create(request.memoryMb(256));
        box.services().create(ServiceRequest.shell("web", SCRIPT));
        starts(box, 1);
        return box;
    }

    /** By which names it started so far, at least so often: it runs a moment before it says so. */
    private static List<String> starts(TestSandbox box, int least) {
        return Eventually.get(() -> box.output("cat /workspace/starts 2> /dev/null || true").lines().toList(), names -> names.size() >= least);
    }

    @Test
    void itStartsAgainWithItsDisk() {
        try (TestSandbox box = served(SandboxRequest.on(runtime).name("served-" + runtime))) {
            box.services().create(ServiceRequest.lasting("stopped"));
            box.services().order("stopped", "stop");
            box.stop();
            box.powerOn();
            box.services().await("web", "running");
            starts(box, 2);
            assertThat(box.services().await("stopped", "running").enabled()).as("a stop is for this life").isTrue();
            box.pause(true);
            refused(ErrorCode.SANDBOX_NOT_RUNNING, box.services()::list);
            box.resume(false);
            box.services().await("web", "running");
            assertThat(starts(box, 3)).isEqualTo(Collections.nCopies(3, "served-" + runtime));
            Snapshot snapshot = daemon.api().capture(box.id(), "served-" + runtime);
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).name("copy-" + runtime))) {
                copy.services().await("web", "running");
                assertThat(starts(copy, 4)).endsWith("served-" + runtime, "copy-" + runtime);
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
            Forked forked = box.caller().post(box.path() + "/fork", new ForkSandbox(1, "fork-" + runtime, null, null, null, null, null, true)).as(Forked.class);
            try (TestSandbox fork = new TestSandbox(box.caller(), forked.sandboxes().getFirst())) {
                fork.services().await("web", "running");
                assertThat(starts(fork, 4)).endsWith(fork.name());
                fork.services().remove("web");
            }
            assertThat(box.services().get("web").state()).as("a copy has its own").isEqualTo("running");
        }
    }

    /** A service that is never done with its start. */
    @Test
    void aSandboxDoesNotWaitForItsServices() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            String unit = "[Service]\\nType=oneshot\\nExecStart=/bin/sleep infinity\\n";
            String wants = "/etc/systemd/system/multi-user.target.wants";
            box.output("mkdir -p " + wants + "; printf '" + unit + "' > /etc/systemd/system/slow.service; ln -s ../slow.service " + wants);
            box.stop();
            assertThat(box.powerOn().state()).isEqualTo("running");
            assertThat(box.output("echo fine")).isEqualTo("fine");
            box.services().await("slow", "starting");
        }
    }

    @Test
    void itGoesOnWithItsProcesses() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox box = served(SandboxRequest.on(runtime))) {
            Service before = box.services().get("web");
            box.pause(false);
            box.resume(false);
            Service after = box.services().get("web");
            assertThat(after).as("the same process in the same state").isEqualTo(before);
            Forked forked = box.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, null)).as(Forked.class);
            try (TestSandbox fork = new TestSandbox(box.caller(), forked.sandboxes().getFirst())) {
                assertThat(fork.services().get("web").pid()).isEqualTo(before.pid());
                fork.output("kill -9 " + before.pid());
                fork.services().await("web", service -> service.restarts() == 1 && service.state().equals("running"));
            }
            assertThat(starts(box, 1)).as("it was never started again").hasSize(1);
            assertThat(box.services().get("web").pid()).isEqualTo(before.pid());
        }
    }

    /** A kernel that is restored may tell the agent of what it closed long ago, for which nobody is left. */
    @Test
    void whatWasRemovedDoesNotComeBack() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            for (int round = 0; round < 6; round++) {
                box.services().create(ServiceRequest.shell("talks", "while :; do echo a line; sleep 0.1; done"));
                box.pause(false);
                box.resume(false);
                box.services().remove("talks");
                box.pause(false);
                box.resume(false);
                long before = ticks(box);
                box.output("sleep 1");
                assertThat(ticks(box) - before).as("hundredths of a second that the agent took of one in which nothing goes on").isLessThan(50);
            }
        }
    }

    private static long ticks(TestSandbox box) {
        String[] facts = box.output("cat /proc/1/stat").split(" ");
        return Long.parseLong(facts[13]) + Long.parseLong(facts[14]);
    }

    @Test
    void itOutlivesTheDaemon() throws IOException, InterruptedException {
        try (TestSandbox box = served(SandboxRequest.on(runtime))) {
            Service before = box.services().get("web");
            daemon.kill();
            daemon.start();
            assertThat(box.services().list()).containsExactly(before);
            List<String> told = box.services().eventTypes();
            box.output("kill -9 " + before.pid());
            Service again = box.services().await("web", service -> service.restarts() == 1 && service.state().equals("running"));
            assertThat(again.pid()).isNotEqualTo(before.pid());
            assertThat(starts(box, 2)).hasSize(2);
            List<Event> news = Eventually.get(box.services()::events, events -> events.size() > told.size());
            assertThat(news.subList(told.size(), news.size())).extracting(Event::type).containsExactly("service.restarted");
        }
    }

    /** Who only runs a service does not use the sandbox; who reads what it prints does. */
    @Test
    void itDoesNotKeepItsSandboxAwake() throws IOException {
        try (TestSandbox box = served(SandboxRequest.on(runtime).autoResume())) {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(box.services().follow("web", ""), StandardCharsets.UTF_8))) {
                daemon.api().update(box.id(), Changes.none().ttl(1).toWire());
                box.services().create(ServiceRequest.shell("clock", "while sleep 0.2; do date; done"));
                try (BufferedReader ticks = new BufferedReader(new InputStreamReader(box.services().follow("clock", ""), StandardCharsets.UTF_8))) {
                    for (int i = 0; i < 15; i++) { // longer than it may be idle
                        assertThat(ticks.readLine()).isNotNull();
                    }
                }
                assertThat(box.now().state()).isEqualTo("running");
                assertThat(reader.ready()).isFalse();
            }
            Eventually.get(() -> box.now().state(), "paused"::equals);
            box.services().await("web", "running"); // whoever asks wakes it
        }
    }
}
