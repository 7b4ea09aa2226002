package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.ServerEvents;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;

/** A sandbox that is being made; on a terminal with the step that is going on. */
final class Creation {
    private static final long PATIENCE_MILLIS = 60_000;

    private Creation() {}

    /** Returns when the sandbox runs. */
    static Sandbox await(Console console, Client client, CreateSandbox request) {
        if (!console.terminal(Console.ERR)) {
            return client.create(request);
        }
        String what = "Creating " + (request.name() == null ? "a sandbox" : request.name());
        try (Waiting waiting = new Waiting(console.err(), true, what)) {
            return outcome(follow(client, client.createLater(request), waiting));
        }
    }

    /** The sandbox of an operation that has ended. */
    static Sandbox outcome(OperationStatus ended) {
        Problem error = ended.error();
        if (error != null) {
            throw SandglassException.from(error);
        }
        Sandbox made = ended.sandbox();
        if (made == null) {
            throw new SandglassException(
                    ErrorCode.INTERNAL, "The operation " + ended.id() + " is " + ended.state() + " without a sandbox", "See `sandglass ls`.");
        }
        return made;
    }

    static OperationStatus follow(Client client, OperationStatus begun, Waiting waiting) {
        ServerEvents events = client.followOperation(begun.id());
        for (ServerEvents.Message message = events.next(); message != null; message = events.next()) {
            OperationStatus now = Json.read(OperationStatus.class, message.data());
            if (!now.state().equals("running")) {
                return now;
            }
            waiting.step(now.step() == null ? "" : now.step());
        }
        return client.awaitOperation(begun.id(), PATIENCE_MILLIS);
    }
}
