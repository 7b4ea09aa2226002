package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The one daemon of a process that runs tests, on a data directory that the tests of this checkout keep: it is started with the first class that
 * needs it, looked over for leftovers after each, and taken away with everything it made at the end.
 */
final class SharedDaemon implements BeforeAllCallback, AfterAllCallback {
    private static final Map<String, TestSandbox> SANDBOXES = new ConcurrentHashMap<>();
    private static @Nullable TestDaemon started;

    /** Starts it where no class has been before, or where a test left it dead. */
    @Override
    public void beforeAll(ExtensionContext context) throws IOException, InterruptedException {
        ExtensionContext.Store store = context.getRoot().getStore(ExtensionContext.Namespace.create(SharedDaemon.class));
        store.computeIfAbsent("end", _ -> (AutoCloseable) SharedDaemon::end, AutoCloseable.class);
        give(context.getRequiredTestClass().isAnnotationPresent(DefaultNetwork.class));
        alive();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (daemon().isAlive()) {
            api().allSnapshots().stream().filter(left -> left.purpose().equals("kept")).forEach(left -> api().deleteSnapshot(left.id())); // of a test that failed: the next class would fail with it
            assertThat(Leftovers.of(daemon()).strays()).as("what no sandbox of the daemon explains").isEmpty();
        }
    }

    static synchronized TestDaemon daemon() {
        return Objects.requireNonNull(started, "the class is not marked @ExtendWith(SharedDaemon.class)");
    }

    static Api api() {
        return daemon().api();
    }

    /** A sandbox with default settings for all tests that leave it as it was. */
    static synchronized TestSandbox sandbox(String runtime) {
        String kind = runtime + (daemon().givesNetworks() ? " with a network" : "");
        TestSandbox known = SANDBOXES.get(kind);
        if (known == null || !api().names().contains(known.name()) || !known.now().state().equals("running")) {
            known = api().create(SandboxRequest.on(runtime));
            SANDBOXES.put(kind, known);
        }
        return known;
    }

    private static synchronized TestDaemon alive() throws IOException, InterruptedException {
        if (started == null) {
            started = make();
        }
        return started.isAlive() ? started : started.start();
    }

    /** @param network whether sandboxes that do not say are to have one */
    private static synchronized void give(boolean network) throws IOException, InterruptedException {
        TestDaemon daemon = started == null ? make() : started;
        started = daemon;
        if (daemon.givesNetworks() == network) {
            return;
        }
        if (daemon.isAlive()) {
            daemon.stop();
        }
        if (network) {
            daemon.without(TestDaemon.NETWORK);
        } else {
            daemon.with(TestDaemon.NETWORK, "none");
        }
    }

    private static TestDaemon make() throws IOException {
        Path checkout = Path.of("..").toRealPath();
        String which = System.getProperty("sandglass.fork", "daemon-1");
        Path data = Files.createDirectories(checkout.resolve(".test-data/" + which));
        Path run = Path.of("/run/sandglass-test-" + Integer.toHexString(checkout.hashCode()) + "-" + which);
        return new TestDaemon(data, run).buildImage();
    }

    /** What cannot be taken away stays for the next run to find. */
    private static synchronized void end() throws IOException, InterruptedException {
        TestDaemon ending = alive();
        started = null; // whoever runs a test once more afterwards begins anew
        SANDBOXES.clear();
        for (Sandbox sandbox : ending.api().list()) {
            ending.api().destroy(sandbox.id());
        }
        ending.stop();
        ending.close();
    }
}
