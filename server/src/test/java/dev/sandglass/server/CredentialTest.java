package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Credentials are granted to sandboxes, and to each by itself. */
@OnEveryRuntime
class CredentialTest {
    private static final String VALUE = "tell-nobody-7f3a91";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    CredentialTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void keep() {
        for (String name : List.of("first", "second")) {
            daemon.caller().post("/v1/credentials", new CreateCredential(
                    name, VALUE, null, null, null, null, null, "api.example.org", null, null, null, null, null, null, null));
        }
    }

    @AfterEach
    void remove() {
        for (String name : List.of("first", "second")) {
            daemon.caller().send("DELETE", "/v1/credentials/" + name, "", BodyPublishers.noBody()); // fine if it is gone
        }
    }

    private SandboxRequest linked() {
        return SandboxRequest.on(runtime).memoryMb(256).network("open");
    }

    private Sandbox grant(TestSandbox box, String credential) {
        return daemon.caller().good(daemon.caller().send("PUT", box.path() + "/credentials/" + credential, "", BodyPublishers.noBody())).as(Sandbox.class);
    }

    private Sandbox revoke(TestSandbox box, String credential) {
        return daemon.caller().delete(box.path() + "/credentials/" + credential).as(Sandbox.class);
    }

    @Test
    void theyAreGrantedAtTheBeginningAndWhileItRuns() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(linked().credentials("first"))) {
            assertThat(box.now().credentials()).containsExactly("first");
            assertThat(grant(box, "second").credentials()).containsExactly("first", "second");
            assertThat(grant(box, "second").credentials()).as("once more").containsExactly("first", "second");
            daemon.stop();
            daemon.start();
            assertThat(box.now().credentials()).as("to the next daemon").containsExactly("first", "second");
            assertThat(revoke(box, "first").credentials()).containsExactly("second");
            refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> revoke(box, "first"));
            refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> grant(box, "third"));
            assertThat(daemon.caller().get("/v1/events?limit=1000&sandbox=" + box.id()).text()).contains("\"changed\":\"credentials\"");
        }
    }

    @Test
    void aCopyHasNoneButThoseThatAreAskedFor() {
        for (boolean diskOnly : ofCopies()) {
            try (TestSandbox box = daemon.api().create(linked().credentials("first"))) {
                box.output("setsid sleep 86399 > /dev/null 2>&1 < /dev/null &");
                Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, diskOnly)).as(Forked.class);
                try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                    assertThat(copy.now().credentials()).isEmpty();
                    assertGoesOn(copy, !diskOnly);
                }
                Snapshot snapshot = diskOnly ? daemon.api().capture(box.id(), null) : daemon.api().captureAll(box.id());
                try (TestSandbox trusted = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).credentials("second"))) {
                    assertThat(trusted.now().credentials()).containsExactly("second");
                    assertGoesOn(trusted, !diskOnly);
                }
                assertThat(box.now().credentials()).containsExactly("first");
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    /** With and without its processes, where they can be captured beside a network. */
    private List<Boolean> ofCopies() {
        boolean captures = !runtime.equals("container") && CapturedMemory.obstacle(runtime).isEmpty();
        return captures ? List.of(true, false) : List.of(true);
    }

    private static void assertGoesOn(TestSandbox copy, boolean expected) {
        assertThat(copy.output("cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' '").contains("sleep 86399")).as("its processes go on").isEqualTo(expected);
    }

    @Test
    void oneWithoutANetworkAndOneThatIsNotThereAreRefused() {
        refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none").credentials("first")));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> daemon.api().create(linked().credentials("first", "third")));
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network("none"))) {
            refused(ErrorCode.CONFLICT, () -> grant(box, "first"));
        }
    }

    @Test
    void whatIsRemovedIsTakenFromAllWhateverTheirState() {
        try (TestSandbox running = daemon.api().create(linked().credentials("first", "second"));
                TestSandbox stopped = daemon.api().create(linked().credentials("first"));
                TestSandbox paused = daemon.api().create(linked().credentials("first"))) {
            stopped.stop();
            paused.pause(true);
            daemon.caller().delete("/v1/credentials/first");
            assertThat(running.now().credentials()).containsExactly("second");
            assertThat(stopped.now().credentials()).isEmpty();
            assertThat(paused.now().credentials()).isEmpty();
            keepAgain();
            assertThat(stopped.powerOn().credentials()).as("another one of that name").isEmpty();
        }
    }

    private void keepAgain() {
        daemon.caller().post("/v1/credentials", new CreateCredential(
                "first", VALUE, null, null, null, null, null, "api.example.org", null, null, null, null, null, null, null));
    }

    @Test
    void theValueIsInNoFileOfTheDaemonNorInAnEventNorInside() throws IOException {
        try (TestSandbox box = daemon.api().create(linked().credentials("first"))) {
            revoke(box, "first");
            grant(box, "first");
            assertThat(daemon.caller().get("/v1/events?limit=1000").text() + daemon.caller().get("/v1/sandboxes").text() + daemon.caller().get("/metrics").text()).doesNotContain(VALUE);
            assertThat(box.output("env; cat /proc/1/environ /proc/*/cmdline; grep -rl " + VALUE.substring(0, 11) + "'[-]7f3a91' /etc /run /home /root /tmp 2>/dev/null; true")).doesNotContain(VALUE);
            try (Stream<Path> files = Files.list(daemon.data())) {
                for (Path file : files.filter(Files::isRegularFile).filter(each -> !each.toString().endsWith(".img")).toList()) {
                    assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(VALUE);
                }
            }
            assertThat(Files.readString(daemon.log())).doesNotContain(VALUE);
        }
    }
}
