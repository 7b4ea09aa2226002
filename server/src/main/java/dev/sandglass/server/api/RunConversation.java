package dev.sandglass.server.api;

import dev.sandglass.engine.command.Run;
import dev.sandglass.server.http.Conversation;
import dev.sandglass.server.http.Schema;
import dev.sandglass.server.http.WebSocket;
import dev.sandglass.wire.AttachEvent;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client whose command has a sandbox of its own: it says what is to be run, and is attached to it from then on. */
final class RunConversation implements Conversation {
    static final int RUN = 5;

    private final Function<RunSandbox, Run> begin;
    private final Schema request;
    private final Schema control;
    private @Nullable Run run;

    RunConversation(Function<RunSandbox, Run> begin, Schema request, Schema control) {
        this.begin = begin;
        this.request = request;
        this.control = control;
    }

    @Override
    public void run(WebSocket socket) throws IOException, InterruptedException {
        Run begun;
        try {
            begun = begin.apply(asked(socket.receive()));
        } catch (SandglassException refusal) {
            socket.send(AttachConversation.EVENT, Json.bytes(AttachEvent.of(refusal.toProblem())));
            return;
        }
        run = begun;
        socket.send(AttachConversation.EVENT, Json.bytes(new AttachEvent(null, null, null, begun.started())));
        new AttachConversation(begun.attachment(), control, begun::end).run(socket);
    }

    private RunSandbox asked(byte[] message) {
        if (message.length == 0 || message[0] != RUN) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "The first message is not of kind " + RUN + ".", "Begin with what is to be run; see /openapi.json.");
        }
        return request.read(RunSandbox.class, Arrays.copyOfRange(message, 1, message.length));
    }

    @Override
    public void close() {
        Run begun = run;
        if (begun != null) {
            begun.close();
        }
    }
}
