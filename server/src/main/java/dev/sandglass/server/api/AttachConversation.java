package dev.sandglass.server.api;

import dev.sandglass.engine.command.Attachment;
import dev.sandglass.engine.command.CommandOutput;
import dev.sandglass.server.http.Conversation;
import dev.sandglass.server.http.Schema;
import dev.sandglass.server.http.WebSocket;
import dev.sandglass.wire.AttachControl;
import dev.sandglass.wire.AttachEvent;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WindowSize;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client attached to a command: output and events go out on one thread, input and control come in on another. */
final class AttachConversation implements Conversation {
    static final int STDIN = 0;
    static final int STDOUT = 1;
    static final int STDERR = 2;
    static final int CONTROL = 3;
    static final int EVENT = 4;

    private static final Logger LOG = LoggerFactory.getLogger(AttachConversation.class);

    private final Attachment attachment;
    private final Schema control;
    private final Runnable atEnd;

    AttachConversation(Attachment attachment, Schema control) {
        this(attachment, control, () -> {});
    }

    /** @param atEnd done when the command has ended, before that is told */
    AttachConversation(Attachment attachment, Schema control, Runnable atEnd) {
        this.attachment = attachment;
        this.control = control;
        this.atEnd = atEnd;
    }

    @Override
    public void run(WebSocket socket) throws IOException, InterruptedException {
        Thread.ofVirtual().name("attach-input").start(() -> takeInput(socket));
        try {
            while (give(socket, socket.await(attachment::next))) {}
        } catch (SandglassException lost) {
            socket.send(EVENT, Json.bytes(AttachEvent.of(lost.toProblem())));
            socket.close(WebSocket.SERVER_ERROR, lost.code().text());
        }
    }

    @Override
    public void close() {
        attachment.close();
    }

    /** Sends what came; false after the last message. */
    private boolean give(WebSocket socket, CommandOutput output) throws IOException, InterruptedException {
        return switch (output) {
            case CommandOutput.Data data -> {
                socket.send(data.kind(), data.bytes());
                yield true;
            }
            case CommandOutput.Ended ended -> {
                socket.send(EVENT, Json.bytes(new AttachEvent(ended.exit(), problemAtEnd(), null, null)));
                yield false;
            }
            case CommandOutput.Dropped dropped -> {
                socket.send(EVENT, Json.bytes(new AttachEvent(null, null, dropped.bytes(), null)));
                yield true;
            }
            case CommandOutput.End end -> false;
        };
    }

    private @Nullable Problem problemAtEnd() {
        try {
            atEnd.run();
            return null;
        } catch (SandglassException problem) {
            return problem.toProblem();
        }
    }

    private void takeInput(WebSocket socket) {
        try {
            while (true) {
                byte[] message = socket.receive();
                try {
                    take(socket, message);
                } catch (SandglassException refusal) {
                    socket.send(EVENT, Json.bytes(AttachEvent.of(refusal.toProblem())));
                }
            }
        } catch (InterruptedException | IOException left) {
            LOG.trace("the attached client sends no more", left);
        } catch (RuntimeException failure) {
            LOG.error("input of an attached client failed", failure);
            socket.close(WebSocket.SERVER_ERROR, "internal");
        }
    }

    private void take(WebSocket socket, byte[] message) throws IOException, InterruptedException {
        int kind = message.length == 0 ? -1 : message[0];
        if (kind == STDIN) {
            socket.await(() -> {
                attachment.write(message, 1, message.length - 1);
                return true;
            });
        } else if (kind == CONTROL) {
            control(control.read(AttachControl.class, Arrays.copyOfRange(message, 1, message.length)));
        } else {
            socket.close(WebSocket.POLICY_VIOLATION, "the first byte of a message is 0 or 3");
        }
    }

    private void control(AttachControl asked) {
        WindowSize size = asked.resize();
        if (size != null) {
            attachment.resize(size.cols(), size.rows());
        }
        String signal = asked.signal();
        if (signal != null) {
            attachment.signal(signal);
        }
        if (Boolean.TRUE.equals(asked.end())) {
            attachment.end();
        }
    }
}
