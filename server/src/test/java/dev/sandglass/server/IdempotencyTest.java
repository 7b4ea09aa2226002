package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A request that is sent again makes no second sandbox. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class IdempotencyTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String key = UUID.randomUUID().toString();
    private final CreateSandbox request = SandboxRequest.on("container").memoryMb(128).labels(Map.of("key", key)).toWire();

    @AfterEach
    void destroyWhatWasMade() throws IOException, InterruptedException {
        daemon.revive();
        made().forEach(sandbox -> daemon.api().destroy(sandbox.id()));
    }

    @Test
    void manyAtOnceMakeOne() {
        Callable<String> create = () -> create(request).id();
        List<String> ids = AtOnce.all(Collections.nCopies(8, create));
        assertThat(ids).containsOnly(made().getFirst().id()).hasSize(8);
        assertThat(made()).hasSize(1);
    }

    @Test
    void itIsRememberedAcrossACrashAndBeyondTheEnd() throws IOException, InterruptedException {
        Sandbox first = create(request);
        daemon.kill();
        daemon.start();
        assertThat(create(request).id()).isEqualTo(first.id());
        daemon.api().destroy(first.id());
        assertThat(create(request).id()).isEqualTo(first.id());
        assertThat(create(request).state()).isEqualTo("destroyed");
        assertThat(made()).isEmpty();
    }

    @Test
    void aCreateThatACrashCutOffIsDoneOnceAfterwards() throws IOException, InterruptedException {
        daemon.mortalAt("CREATE_STARTED");
        assertThatThrownBy(() -> create(request)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        Sandbox second = create(request);
        assertThat(second.state()).isEqualTo("running");
        assertThat(create(request).id()).isEqualTo(second.id());
        assertThat(made()).extracting(Sandbox::id).containsExactly(second.id());
    }

    @Test
    void anotherRequestWithTheKeyIsRefused() {
        create(request);
        CreateSandbox other = SandboxRequest.on("container").memoryMb(256).labels(Map.of("key", key)).toWire();
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> create(other));
        assertThat(made()).hasSize(1);
    }

    @Test
    void aRequestThatFailedMayBeSentAgain() {
        CreateSandbox wanted = SandboxRequest.on("container").name("wanted-once").labels(Map.of("key", key)).toWire();
        try (TestSandbox _ = daemon.api().create(SandboxRequest.on("container").name("wanted-once"))) {
            refused(ErrorCode.NAME_TAKEN, () -> create(wanted));
        }
        assertThat(create(wanted).state()).isEqualTo("running");
    }

    @Test
    void whatIsNoKeyIsRefused() {
        for (String bad : List.of("two words", "x".repeat(256))) {
            refused(
                    ErrorCode.INVALID_REQUEST,
                    () -> daemon.caller().post("/v1/sandboxes", request, Map.of("Idempotency-Key", bad)));
        }
    }

    @Test
    void twoKeysAreNone() {
        for (String second : List.of(key, key + "-other")) {
            refused(
                    ErrorCode.INVALID_REQUEST,
                    () -> daemon.caller().post("/v1/sandboxes", request, Map.of("Idempotency-Key", key, "idempotency-key", second)));
        }
        assertThat(made()).isEmpty();
    }

    private Sandbox create(CreateSandbox body) {
        return daemon.caller().post("/v1/sandboxes", body, Map.of("Idempotency-Key", key)).as(Sandbox.class);
    }

    private List<Sandbox> made() {
        return daemon.api().list().stream().filter(sandbox -> key.equals(sandbox.labels().get("key"))).toList();
    }
}
