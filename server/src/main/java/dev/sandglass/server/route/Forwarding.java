package dev.sandglass.server.route;

import dev.sandglass.engine.guest.UnsentException;
import dev.sandglass.engine.port.PortConnection;
import dev.sandglass.engine.port.Ports;
import dev.sandglass.engine.route.Route;
import dev.sandglass.server.http.ConnectionBudget;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** Passes requests that were let in on to their sandboxes, and the answers back. Thread-safe. */
final class Forwarding {
    private static final Duration GOING_TO_REST = Duration.ofSeconds(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(400);

    private final Wakeups wakeups;
    private final Ports ports;
    private final KeptConnections kept;
    private final ConnectionBudget budget;
    private final RouteSettings settings;

    Forwarding(Wakeups wakeups, Ports ports, KeptConnections kept, ConnectionBudget budget, RouteSettings settings) {
        this.wakeups = wakeups;
        this.ports = ports;
        this.kept = kept;
        this.budget = budget;
        this.settings = settings;
    }

    /** The first that can serve the request now, if one can that asks the sandbox for the same as the first of all: an address means one thing, whether a sandbox is awake or not. */
    Pass choose(Request request, List<Pass> passes) {
        Pass first = passes.getFirst();
        return passes.size() == 1 ? first : passes.stream().filter(pass -> pass.path().equals(first.path()) && serves(request, pass.route())).findFirst().orElse(first);
    }

    private boolean serves(Request request, Route route) {
        return route.allows(request.getMethod()) && (route.webSocket() || !wantsSocket(request)) && wakeups.canReach(route);
    }

    /**
     * Until the answer is on its way to the client as a whole; throws, with nothing answered, what the client is to be told.
     *
     * @param leave what a WebSocket does at its end
     */
    void forward(Visit visit, Pass pass, Runnable leave) throws InterruptedException {
        boolean socket = wantsSocket(visit.request()) && pass.route().webSocket();
        MetaData.Request head = RequestHead.of(visit.request(), pass, socket, settings.scheme());
        Wakeups.Reached reached = wakeups.reach(pass.route());
        Optional<PortConnection> waiting = socket ? Optional.empty() : kept.take(reached.sandbox(), pass.route().port());
        if (waiting.isEmpty() || !tried(visit, pass, head, waiting.get(), true, Optional.empty())) {
            tried(visit, pass, head, connect(reached, pass.route()), false, socket ? Optional.of(leave) : Optional.empty());
        }
    }

    /** A program that starts together with its sandbox is given some time to listen. */
    private PortConnection connect(Wakeups.Reached reached, Route route) throws InterruptedException {
        long begun = System.nanoTime();
        long listens = begun + reached.grace().toNanos();
        Duration pause = FIRST_PAUSE;
        Wakeups.Reached now = reached;
        while (true) {
            try {
                return ports.connectTo(now.sandbox(), route.port());
            } catch (UnsentException wentToRest) {
                if (System.nanoTime() - begun > GOING_TO_REST.toNanos()) {
                    throw wentToRest;
                }
                now = wakeups.reach(route);
                listens = System.nanoTime() + now.grace().toNanos();
            } catch (SandglassException refused) {
                if (refused.code() != ErrorCode.PORT_REFUSED || System.nanoTime() - listens >= 0) {
                    throw refused;
                }
                Thread.sleep(pause);
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause; // many may wait for one program
            }
        }
    }

    static boolean wantsSocket(Request request) {
        HttpFields fields = request.getHeaders();
        return request.getMethod().equals("GET")
                && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1
                && fields.contains(HttpHeader.CONNECTION, "upgrade")
                && "websocket".equalsIgnoreCase(fields.get(HttpHeader.UPGRADE))
                && request.getLength() <= 0
                && !fields.contains(HttpHeader.TRANSFER_ENCODING);
    }

    /** False if the connection had ended before it was used, and the request can be sent over another one. */
    private boolean tried(Visit visit, Pass pass, MetaData.Request head, PortConnection connection, boolean used, Optional<Runnable> socket) {
        Passage passage = new Passage(visit, connection, head, pass.route().timeout());
        try {
            AnswerHead answer = passage.ask();
            if (answer.status() == HttpStatus.SWITCHING_PROTOCOLS_101) {
                splice(visit, pass, passage, answer, connection, socket);
            } else {
                answer(visit, pass, passage, answer);
            }
            return true;
        } catch (IOException failure) {
            if (used && passage.canBeRepeated()) {
                return false;
            }
            fail(visit, passage, failure);
            return true;
        } finally {
            passage.stop();
            if (passage.owns()) {
                connection.close();
            }
        }
    }

    private void splice(Visit visit, Pass pass, Passage passage, AnswerHead answer, PortConnection connection, Optional<Runnable> leave) throws IOException {
        if (leave.isEmpty() || !answer.opensSocket()) {
            throw new IOException("it speaks another protocol, unasked");
        }
        passage.stop();
        if (visit.isSpoiled()) {
            throw new IOException("the client did not wait for the WebSocket");
        }
        Response response = visit.response();
        response.setStatus(HttpStatus.SWITCHING_PROTOCOLS_101);
        answer.copyTo(response.getHeaders(), pass, pass.route().cors().isPresent());
        response.getHeaders().put(HttpHeader.UPGRADE, "websocket").put(HttpHeader.CONNECTION, "Upgrade");
        Splice splice = new Splice(visit.end(), visit.request().getComponents().getExecutor(), connection, passage.rest(), settings.streamPatience(), leave.get());
        splice.addEventListener(budget);
        visit.request().setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, splice);
        passage.give();
        visit.callback().succeeded();
    }

    private void answer(Visit visit, Pass pass, Passage passage, AnswerHead answer) throws IOException {
        Response response = visit.response();
        response.setStatus(answer.status());
        answer.copyTo(response.getHeaders(), pass, pass.route().cors().isPresent());
        visit.addThose();
        frame(visit.request(), response, answer);
        Optional<ByteBuffer> piece = passage.next(settings.streamPatience());
        while (piece.isPresent() && !passage.isLast()) {
            toClient(response, piece.get());
            piece = passage.next(settings.streamPatience());
        }
        boolean leavesBody = passage.leavesBody();
        boolean keeps = answer.isPersistent() && passage.isClean();
        passage.stop();
        Callback last = leavesBody ? visit.lingering().afterLast(visit.request(), response, visit.callback()) : visit.callback();
        ByteBuffer rest = piece.orElse(BufferUtil.EMPTY_BUFFER);
        if (keeps) {
            passage.keep(kept); // before the client hears of it, who may ask again at once
        }
        response.write(true, rest, visit.isSpoiled() ? Callback.from(last, () -> visit.end().close()) : last);
    }

    private static void frame(Request request, Response response, AnswerHead answer) {
        boolean empty = request.getMethod().equals("HEAD") || answer.status() == HttpStatus.NOT_MODIFIED_304;
        long length = answer.fields().getLongField(HttpHeader.CONTENT_LENGTH);
        if (answer.status() == HttpStatus.NO_CONTENT_204) {
            return;
        }
        if (length >= 0) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length);
        } else if (!empty && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1) {
            // Said in so many words, since Jetty would let the end of a closing connection stand for the end of the body.
            response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
        }
    }

    private static void toClient(Response response, ByteBuffer piece) throws IOException {
        try {
            Content.Sink.write(response, false, piece);
        } catch (IOException gone) {
            throw new ClientGone(gone);
        }
    }

    private static final class ClientGone extends IOException {
        private static final long serialVersionUID = 1L;

        ClientGone(IOException cause) {
            super("the client takes no more", cause);
        }
    }

    private static void fail(Visit visit, Passage passage, IOException failure) {
        Optional<IOException> ofClient = passage.clientFailure(); // before the stop, which breaks its body off
        passage.stop();
        if (visit.response().isCommitted() || failure instanceof ClientGone || passage.isDeserted()) {
            visit.abort(ofClient.orElse(failure));
            return;
        }
        if (ofClient.isPresent()) {
            throw new SandglassException(ErrorCode.MALFORMED_REQUEST, "The request's body could not be read.", "Send the whole body, without long pauses.", ofClient.get());
        }
        IOException why = passage.sandboxFailure(failure);
        throw why instanceof SocketTimeoutException
                ? new SandglassException(ErrorCode.GUEST_TIMEOUT, "The program in the sandbox did not answer in time.", "Try again, or give the route a longer timeout.", why)
                : new SandglassException(ErrorCode.BAD_ANSWER, "The program in the sandbox gave no good answer: " + shown(why) + ".", "See what the program says in its log.", why);
    }

    private static String shown(IOException why) {
        String text = String.valueOf(why.getMessage());
        return text.length() > 200 ? text.substring(0, 200) : text;
    }
}
