package dev.sandglass.server.mcp;

import dev.sandglass.engine.event.Subscription;
import dev.sandglass.server.http.Conversation;
import dev.sandglass.server.http.WebSocket;
import dev.sandglass.wire.EventList;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The protocol as the standard streams of a program have it, a message for each line: {@code sandglass mcp} carries them here. All requests share the way
 * back, so that a client takes one back by a notification; when it leaves it takes all of them back.
 */
final class LineConversation implements Conversation {
    /** The kind of all messages on the socket. */
    private static final int LINE = 0;
    private static final Duration HEARTBEAT = Duration.ofSeconds(60);

    private final Methods methods;
    private final Jobs jobs = new Jobs();
    private @Nullable WebSocket socket;
    private @Nullable Session session;

    LineConversation(Methods methods) {
        this.methods = methods;
    }

    @Override
    public void run(WebSocket opened) throws IOException, InterruptedException {
        socket = opened;
        while (true) {
            byte[] message = opened.receive();
            if (message.length == 0 || message[0] != LINE) {
                opened.close(WebSocket.POLICY_VIOLATION, "the first byte of a message is 0");
                return;
            }
            take(opened, Arrays.copyOfRange(message, 1, message.length));
        }
    }

    @Override
    public void close() {
        WebSocket opened = socket;
        jobs.close(opened != null && opened.clientLeft());
    }

    private void take(WebSocket opened, byte[] line) throws IOException, InterruptedException {
        Message message;
        try {
            message = Message.parse(line);
        } catch (RpcException problem) {
            opened.send(LINE, Message.error(problem));
            return;
        }
        switch (message) {
            case Message.Answer() -> {}
            case Message.Notification notification -> notified(opened, notification);
            case Message.Request request -> {
                try {
                    begin(opened, request);
                } catch (RpcException problem) {
                    opened.send(LINE, request.error(problem));
                }
            }
        }
    }

    private void notified(WebSocket opened, Message.Notification notification) {
        Session begun = session;
        if (notification.method().equals("notifications/cancelled")) {
            jobs.cancel(notification.params().get("requestId"));
        } else if (notification.method().equals("notifications/initialized") && begun != null && begun.beginListening()) {
            Thread.ofVirtual().name("mcp-changes").start(() -> tellChanges(opened, begun));
        }
    }

    private void begin(WebSocket opened, Message.Request request) throws IOException, InterruptedException {
        if (request.method().equals(Methods.INITIALIZE)) {
            Session begun = new Session("", Version.negotiated(Message.text(request.params(), "protocolVersion")));
            session = begun;
            opened.send(LINE, request.result(methods.initialize(begun.version())));
            return;
        }
        boolean alone = Envelope.isIn(request, Optional.empty());
        Session within = alone ? null : session;
        if (!alone && within == null) {
            throw new RpcException(RpcException.INVALID_REQUEST, "No session was begun.", "Begin with initialize, or say in `_meta` of each request that it is of a revision without sessions.");
        }
        Version version = within == null ? Envelope.version(request) : within.version();
        Job job = new Job(request, message -> opened.send(LINE, message));
        jobs.begin(request.id(), job);
        Thread.ofVirtual().name("mcp-job").start(() -> work(opened, request, version, within, job));
    }

    /** What the client takes back has no answer. */
    private void work(WebSocket opened, Message.Request request, Version version, @Nullable Session within, Job job) {
        try {
            byte[] answer = methods.answer(request, version, within, job);
            jobs.end(request.id(), job); // first: who has the answer may use the id again
            if (!job.cancelled()) {
                opened.send(LINE, answer);
            }
        } catch (InterruptedException | IOException nobodyWaits) {
            return;
        } finally {
            jobs.end(request.id(), job);
        }
    }

    private void tellChanges(WebSocket opened, Session begun) {
        try (Subscription subscription = methods.changes().subscribe()) {
            while (true) {
                EventList page = opened.await(() -> subscription.next(HEARTBEAT));
                for (Message.Notification change : Changes.of(page, true, begun.subscriptions())) {
                    opened.send(LINE, change.bytes());
                }
            }
        } catch (InterruptedException | IOException left) {
            return;
        }
    }
}
