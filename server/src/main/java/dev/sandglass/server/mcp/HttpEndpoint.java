package dev.sandglass.server.mcp;

import dev.sandglass.engine.event.Subscription;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.ServerSentEvents;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The protocol over HTTP: each message is a POST, and the answer comes as JSON or, with what happens until then, as server-sent events. */
final class HttpEndpoint {
    private static final String SESSION_HEADER = "Mcp-Session-Id";
    private static final String EVENTS = "text/event-stream";
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final int ACCEPTED = 202;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final Methods methods;
    private final Sessions sessions = new Sessions();

    HttpEndpoint(Methods methods) {
        this.methods = methods;
    }

    Map<String, Handler> handlers() {
        return Map.of("sendMcp", this::send, "listenMcp", this::listen, "endMcp", this::end);
    }

    private void send(Exchange exchange) throws IOException, InterruptedException {
        Message message;
        try {
            message = Message.parse(exchange.jsonBytes());
        } catch (RpcException problem) {
            exchange.answerJson(BAD_REQUEST, Message.error(problem));
            return;
        }
        switch (message) {
            case Message.Answer() -> exchange.answerNothing(ACCEPTED);
            case Message.Notification notification -> notified(exchange, notification);
            case Message.Request request -> requested(exchange, request);
        }
    }

    /** Those that are not understood are for somebody else. */
    private void notified(Exchange exchange, Message.Notification notification) throws IOException {
        if (notification.method().equals("notifications/cancelled")) {
            session(exchange).ifPresent(session -> session.jobs().cancel(notification.params().get("requestId")));
        }
        exchange.answerNothing(ACCEPTED);
    }

    private void requested(Exchange exchange, Message.Request request) throws IOException, InterruptedException {
        try {
            if (Envelope.isIn(request, exchange.header(Envelope.VERSION_HEADER))) {
                alone(exchange, request);
            } else if (request.method().equals(Methods.INITIALIZE)) {
                Session session = sessions.open(Version.negotiated(Message.text(request.params(), "protocolVersion")));
                exchange.put(SESSION_HEADER, session.id());
                exchange.answerJson(request.result(methods.initialize(session.version())));
            } else {
                inSession(exchange, request);
            }
        } catch (RpcException problem) {
            exchange.answerJson(problem.number() == RpcException.METHOD_NOT_FOUND ? NOT_FOUND : BAD_REQUEST, request.error(problem));
        }
    }

    private void alone(Exchange exchange, Message.Request request) throws IOException, InterruptedException {
        Version version = Envelope.version(request);
        Envelope.checkHeaders(request, exchange::header);
        if (!methods.knows(request.method(), version)) {
            throw Methods.unknown(request.method());
        }
        answer(exchange, request, version, null);
    }

    private void inSession(Exchange exchange, Message.Request request) throws IOException, InterruptedException {
        if (exchange.header(SESSION_HEADER).isEmpty()) {
            throw new RpcException(RpcException.INVALID_REQUEST, SESSION_HEADER + ": missing.", "Begin with initialize, or say in `_meta` of each request that it is of a revision without sessions.");
        }
        Optional<Session> session = session(exchange);
        if (session.isPresent()) {
            session.get().use();
            answer(exchange, request, session.get().version(), session.get());
        } else {
            exchange.answerJson(NOT_FOUND, request.error(unknownSession()));
        }
    }

    private Optional<Session> session(Exchange exchange) {
        return exchange.header(SESSION_HEADER).flatMap(sessions::find);
    }

    private static RpcException unknownSession() {
        return new RpcException(RpcException.INVALID_REQUEST, SESSION_HEADER + ": there is no such session, or no more.", "Begin another one with initialize.");
    }

    private void answer(Exchange exchange, Message.Request request, Version version, @Nullable Session session) throws IOException, InterruptedException {
        Mailbox mailbox = new Mailbox();
        Job job = new Job(request, mailbox);
        if (!request.method().equals(Methods.CALL) && !request.method().equals(Methods.LISTEN)) {
            exchange.answerJson(methods.answer(request, version, session, job));
            return;
        }
        boolean streamed = exchange.accepts(EVENTS);
        if (!streamed && request.method().equals(Methods.LISTEN)) {
            throw new RpcException(RpcException.INVALID_REQUEST, "Accept: it does not name " + EVENTS + ".", "Say that the answer may be a stream.");
        }
        Jobs jobs = session == null ? new Jobs() : session.jobs();
        jobs.begin(request.id(), job);
        Thread.ofVirtual().name("mcp-job").start(() -> work(request, version, session, job, mailbox, jobs));
        try {
            if (streamed) {
                stream(exchange, request, job, mailbox);
            } else {
                exchange.answerJson(exchange.awaitForClient(() -> last(mailbox)));
            }
        } catch (InterruptedException | IOException over) {
            leave(version, exchange.clientLeft() || over instanceof IOException, job);
            throw over;
        } finally {
            mailbox.desert();
        }
    }

    private void work(Message.Request request, Version version, @Nullable Session session, Job job, Mailbox mailbox, Jobs jobs) {
        try {
            mailbox.send(methods.answer(request, version, session, job));
        } catch (InterruptedException nobodyWaits) {
            return;
        } finally {
            jobs.end(request.id(), job);
            mailbox.end();
        }
    }

    /** What the client takes back ends without an answer. */
    private void stream(Exchange exchange, Message.Request request, Job job, Mailbox mailbox) throws IOException, InterruptedException {
        exchange.put("X-Accel-Buffering", "no");
        ServerSentEvents events = exchange.serverSentEvents();
        try {
            while (!mailbox.isOver()) {
                Optional<byte[]> message = exchange.await(() -> mailbox.next(HEARTBEAT));
                if (message.isPresent()) {
                    events.send(message.get());
                } else if (!mailbox.isOver()) {
                    events.comment("still here");
                }
            }
        } catch (InterruptedException over) {
            if (exchange.clientLeft()) {
                throw over;
            }
            job.abandon();
            events.send(farewell(request)); // and then the stream comes to its proper end
        }
    }

    private byte[] farewell(Message.Request request) {
        return request.method().equals(Methods.LISTEN)
                ? methods.endOfListening(request)
                : request.error(RpcException.of(new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "What was begun goes on. Look at it in a moment.")));
    }

    /** The answer, without what was told before it. */
    private static byte[] last(Mailbox mailbox) throws InterruptedException {
        Optional<byte[]> last = Optional.empty();
        while (!mailbox.isOver()) {
            Optional<byte[]> next = mailbox.next(HEARTBEAT);
            last = next.isPresent() ? next : last;
        }
        return last.orElseGet(() -> Message.error(new RpcException(RpcException.INTERNAL_ERROR, "The request was cancelled.", "Send it again.")));
    }

    /** Without sessions, to leave is to take the request back; with them it may be an accident. */
    private static void leave(Version version, boolean clientLeft, Job job) {
        if (clientLeft && version.stateless()) {
            job.cancel();
        } else {
            job.abandon();
        }
    }

    /** Tells the client of a session what changes, until it leaves or the session ends. */
    private void listen(Exchange exchange) throws IOException, InterruptedException {
        Optional<Session> found = session(exchange);
        if (found.isEmpty()) {
            exchange.answerJson(exchange.header(SESSION_HEADER).isPresent() ? NOT_FOUND : BAD_REQUEST, Message.error(unknownSession()));
            return;
        }
        Session session = found.get();
        if (!session.beginListening()) {
            exchange.answerJson(CONFLICT, Message.error(new RpcException(RpcException.INVALID_REQUEST, "The session has a stream already.", "End it first; each change is told once.")));
            return;
        }
        try (Subscription subscription = methods.changes().subscribe()) {
            ServerSentEvents events = exchange.serverSentEvents();
            events.comment("listening");
            while (!session.isOver()) {
                EventList page = exchange.await(() -> subscription.next(HEARTBEAT));
                for (Message.Notification change : Changes.of(page, true, session.subscriptions())) {
                    events.send(change.bytes());
                }
                if (page.events().isEmpty()) {
                    events.comment("still here");
                }
            }
        } finally {
            session.endListening();
        }
    }

    private void end(Exchange exchange) throws IOException {
        if (exchange.header(SESSION_HEADER).map(sessions::close).orElse(false)) {
            exchange.answerNothing();
        } else {
            exchange.answerJson(exchange.header(SESSION_HEADER).isPresent() ? NOT_FOUND : BAD_REQUEST, Message.error(unknownSession()));
        }
    }
}
