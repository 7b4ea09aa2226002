package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.forward.Forward;
import dev.sandglass.cli.forward.Listener;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForwardedPort;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code port-forward}: ports of this machine lead to ports of a sandbox, for as long as it runs. */
final class PortForwardVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Values ports = syntax.operands(
            1, 1, "[[ADDRESS:]HOST:]PORT", "A port here and the one inside to which it leads; 8080 is 8080:8080, and 0:80 takes a free one. On 127.0.0.1 if no address is said.");

    PortForwardVerb() {
        super(new Syntax("port-forward", "Let ports of this machine lead to ports of a sandbox, until Ctrl-C. No route and no network is needed.").printing("table, json or yaml; if absent a line for each on a terminal, else of JSON."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        List<Forward> forwards = ports.all().stream().map(PortForwardVerb::forward).toList();
        List<Listener> listeners = new ArrayList<>();
        try (Client client = client(console)) {
            String id = client.inspect(sandbox.orEmpty()).id(); // its name may become another's
            for (Forward each : forwards) {
                Listener listener = open(console, format, client, id, each);
                listeners.add(listener);
                ForwardedPort open = listener.forwarded();
                console.print(format.structured() ? Document.next(Json.write(open), format) : line(open));
            }
            List<Thread> threads = listeners.stream().map(listener -> Thread.ofVirtual().name("listener").start(() -> run(listener))).toList();
            for (Thread thread : threads) {
                thread.join();
            }
            return OK;
        } catch (IOException problem) {
            throw new SandglassException(ErrorCode.INTERNAL, "Listening ended: " + problem.getMessage(), "Try again.", problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return OK;
        } finally {
            listeners.forEach(PortForwardVerb::close);
        }
    }

    private static Forward forward(String text) {
        return Forward.parse(text).orElseThrow(() -> new UsageException("port: " + Inert.text(text) + " (expected: PORT, HOST:PORT or ADDRESS:HOST:PORT, such as 8080:80)"));
    }

    private Listener open(Console console, Format format, Client client, String id, Forward forward) {
        try {
            return Listener.open(forward, client, id, problem -> console.warn(failure(problem).text(format)));
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "Port " + forward.local() + " of " + forward.address() + " cannot be listened on: " + problem.getMessage(),
                    "Another program may have it; 0:" + forward.port() + " takes a free one.",
                    problem);
        }
    }

    private String line(ForwardedPort open) {
        String host = open.address().contains(":") ? "[" + open.address() + "]" : open.address();
        return Inert.text(host + ":" + open.local() + " leads to port " + open.port() + " of " + sandbox.orEmpty()) + "\n";
    }

    private static void run(Listener listener) {
        try {
            listener.run();
        } catch (IOException | InterruptedException closed) {
            return;
        }
    }

    private static void close(Listener listener) {
        try {
            listener.close();
        } catch (IOException alreadyGone) {
            return;
        }
    }
}
