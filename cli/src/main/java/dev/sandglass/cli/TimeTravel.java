package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotTree;
import dev.sandglass.wire.StartCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The second part of the demo: a service that lives in memory is captured, copied, broken and turned back. */
final class TimeTravel {
    private static final String RUNTIME = "gvisor";
    private static final int COPIES = 3;
    private static final long MEMORY_MB = 256;
    /** It counts as long as it lives, and tells how far it is. */
    private static final String SERVICE =
            """
            import http.server, threading, time
            n = 0
            def count():
                global n
                while True:
                    n += 1
                    time.sleep(0.01)
            class Answer(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(str(n).encode())
                def log_message(self, *ignored):
                    pass
            threading.Thread(target=count, daemon=True).start()
            http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Answer).serve_forever()
            """;

    private static final String ASK =
            """
            import time, urllib.request
            for i in range(200):
                try:
                    print(urllib.request.urlopen('http://127.0.0.1:8000', timeout=5).read().decode())
                    break
                except OSError:
                    time.sleep(0.05)
            else:
                raise SystemExit('the service does not answer')
            """;

    private final Console console;
    private final Client client;
    private final DemoSteps steps;

    TimeTravel(Console console, Client client, DemoSteps steps) {
        this.console = console;
        this.client = client;
        this.steps = steps;
    }

    /** @param name what the names of all that it makes begin with */
    void show(String name) {
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            steps.note("Processes are captured on " + RUNTIME + ", which does not work here: " + obstacle.get());
            return;
        }
        String origin = name + "-origin";
        List<Throwaway> made = new ArrayList<>();
        try {
            made.add(new Throwaway(client.again(), origin, console));
            for (int i = 1; i <= COPIES; i++) {
                made.add(new Throwaway(client.again(), copy(name, i), console));
            }
            made.add(Throwaway.snapshot(client.again(), name, console));
            travel(name, origin);
        } finally {
            made.forEach(Throwaway::close);
        }
    }

    private Optional<String> obstacle() {
        Optional<RuntimeStatus> runtime = client.status().runtimes().stream().filter(one -> one.name().equals(RUNTIME)).findFirst();
        if (runtime.isEmpty()) {
            return Optional.of("the daemon does not know it");
        }
        String reason = runtime.get().reason() == null ? "no reason is known" : runtime.get().reason();
        return runtime.get().available() ? Optional.empty() : Optional.of(reason);
    }

    private static String copy(String name, int number) {
        return name + "-copy-" + number;
    }

    private void travel(String name, String origin) {
        steps.timed("Create a sandbox on " + RUNTIME, () -> client.create(new CreateSandbox(
                origin, RUNTIME, null, MEMORY_MB, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)));
        steps.timed("Start a service that counts in memory", () -> {
            client.start(origin, new StartCommand(List.of("python3", "-c", SERVICE), null, null, null, null, null, null, null));
            return ask(origin);
        });
        Snapshot snapshot = steps.timed("Capture it, processes and all", () -> client.snapshot(origin, new CreateSnapshot(name, "of the demo", Map.of(), null, null)));
        steps.note("kind " + snapshot.kind() + ", it stood still for " + LsVerb.milliseconds(snapshot.pauseMs()) + " and counts on: " + ask(origin));
        List<Sandbox> copies = steps.timed(
                "Fork it " + COPIES + " times",
                () -> client.fork(snapshot.id(), new ForkSandbox(COPIES, name + "-copy", null, null, null, null, null, null)).sandboxes());
        copies.forEach(copy -> steps.note(copy.name() + " counts on from there: " + ask(copy.id())));
        String unlucky = copies.getFirst().id();
        steps.timed("Break one of them: pkill python3; rm -rf /usr/lib/python3*", () -> run(unlucky, List.of("sh", "-c", "pkill python3; rm -rf /usr/lib/python3*")));
        steps.note(copies.getFirst().name() + " says: " + run(unlucky, List.of("sh", "-c", "python3 -c 'print(1)' 2>&1 | grep -i error | head -1; true")).strip());
        steps.timed("Turn it back", () -> client.rewind(unlucky, new RewindSandbox(snapshot.id(), null, null)));
        steps.note(copies.getFirst().name() + " counts again: " + ask(unlucky));
        SnapshotTree tree = steps.timed("Draw what grew from what", client::tree);
        steps.note(new TreeDrawing(own(tree, name)).text(false));
    }

    /** What else there is on the machine is no part of the demo. */
    private static SnapshotTree own(SnapshotTree tree, String name) {
        return new SnapshotTree(
                tree.snapshots().stream().filter(snapshot -> snapshot.sandboxName().startsWith(name + "-")).toList(),
                tree.sandboxes().stream().filter(sandbox -> sandbox.name().startsWith(name + "-")).toList());
    }

    private String ask(String sandbox) {
        return run(sandbox, List.of("python3", "-c", ASK)).strip();
    }

    private String run(String sandbox, List<String> argv) {
        var result = client.run(sandbox, new RunCommand(argv, null, null, null, null, 60_000L, null));
        if (result.exit().code() != 0) {
            throw new SandglassException(
                    ErrorCode.COMMAND_REFUSED, "The demo's command ended with " + result.exit().code() + ": " + result.stderr(), "See `sandglass doctor`.");
        }
        return result.stdout();
    }
}
