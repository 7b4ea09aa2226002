package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Request;
import dev.sandglass.network.intercept.Conversation.Ruling;
import dev.sandglass.wire.BudgetProblem;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpUpgrader;
import org.eclipse.jetty.client.UpgradeProtocolHandler;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Judges each request and sends those on that may go on, as they are; others are answered here. */
final class Forwarding extends ProxyHandler {
    private static final String JUDGED = Judged.class.getName();
    private static final String TARGET = Target.class.getName();
    private static final String SENT = org.eclipse.jetty.client.Request.class.getName();
    private static final String TOLD = Forwarding.class.getName();

    private final HttpClient fresh;
    private final Way.Door door;
    private final Room room;
    private final Bodies bodies;

    /** @param room for connections to servers */
    Forwarding(HttpClient client, Way.Door door, Room room, Bodies bodies) {
        this.fresh = client;
        this.door = door;
        this.room = room;
        this.bodies = bodies;
    }

    /** It is not set, but given when it is asked for: then it learns to pass 100 and 103 on as they are. */
    @Override
    protected HttpClient newHttpClient() {
        return fresh;
    }

    private record Judged(Conversation conversation, Request request, Ruling ruling, Provision provision, Optional<Counting> counting, Optional<String> failure, long begun) {
        void over(int status, long sent, long received) {
            counting.ifPresent(each -> each.end(sent));
            conversation.ended(new Conversation.Exchange(request, ruling, failure, status, sent, received, System.nanoTime() - begun));
        }

        Judged unanswered(String why) {
            return new Judged(conversation, request, ruling, provision, counting, Optional.of(why), begun);
        }

        /** The rest of it cannot be read; what was sent of it may have cost something. */
        Judged broken(String why) {
            return new Judged(conversation, request, new Ruling.Refusal("malformed: " + why, ""), provision, counting, failure, begun);
        }

        Judged refused(String why, String hint) {
            return new Judged(conversation, request, new Ruling.Refusal(why, hint), Provision.NONE, Optional.empty(), failure, begun);
        }
    }

    @Override
    public boolean handle(org.eclipse.jetty.server.Request asked, Response response, Callback callback) {
        long begun = System.nanoTime();
        Conversation conversation = Hearing.conversation(asked);
        HttpURI uri = asked.getHttpURI();
        Optional<Request> request = Request.parse(asked.getMethod(), String.valueOf(uri.getPathQuery()));
        Optional<Unfit> unfit = Unfit.of(asked, request, conversation);
        if (unfit.isPresent()) {
            conversation.refused(request, unfit.get().status(), unfit.get().why());
            asked.setAttribute(TOLD, true);
            if (HttpMethod.CONNECT.is(asked.getMethod())) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close"); // what follows may be meant for the other end of the tunnel
            }
            refuse(response, callback, unfit.get().status(), unfit.get().message(), unfit.get().hint());
            return true;
        }
        Ruling ruling = conversation.judge(request.get());
        Provision provision = ruling instanceof Ruling.Pass ? conversation.provision(request.get()) : Provision.NONE;
        Judged judged = new Judged(conversation, request.get(), ruling, provision, Counting.of(provision, asked.getMethod()), Optional.empty(), begun);
        return switch (judged.ruling) {
            case Ruling.Refusal(String why, String hint) -> {
                judged.over(HttpStatus.FORBIDDEN_403, 0, 0);
                refuse(response, callback, HttpStatus.FORBIDDEN_403, "The policy of this sandbox does not allow this request: " + why, hint);
                yield true;
            }
            case Ruling.Pass() -> {
                if (provision.detour().isEmpty() && conversation.place().isEmpty()) {
                    judged.refused("no credential of the sandbox fits this request, and the name leads nowhere", "").over(HttpStatus.BAD_GATEWAY_502, 0, 0);
                    refuse(response, callback, HttpStatus.BAD_GATEWAY_502, "No credential of this sandbox fits this request, and the name " + conversation.host() + " leads nowhere by itself.", "`sandglass credential inspect` on the host shows the methods and paths that it is for.");
                    yield true;
                }
                Optional<Target> target = target(conversation, provision, uri.getPathQuery());
                if (target.isEmpty()) {
                    judged.refused("nothing is served there", "").over(HttpStatus.BAD_GATEWAY_502, 0, 0);
                    refuse(response, callback, HttpStatus.BAD_GATEWAY_502, "Nothing is served at this path, or the base URL of the credential leads nowhere.", "`sandglass credential inspect` on the host shows the base URL.");
                    yield true;
                }
                if (provision.meter().isPresent() && asked.getHeaders().contains(HttpHeader.UPGRADE)) {
                    judged.refused("what passes over another protocol cannot be counted", "").over(HttpStatus.NOT_IMPLEMENTED_501, 0, 0);
                    refuse(response, callback, HttpStatus.NOT_IMPLEMENTED_501, "What passes over another protocol cannot be counted, and the credential has a budget.", "Use HTTP, or a credential without a budget.");
                    yield true;
                }
                Additions additions = new Additions(provision.additions());
                Optional<org.eclipse.jetty.client.Request> sent =
                        target.get().request(getHttpClient(), asked.getMethod(), additions, new Way(door, conversation.owner(), target.get().place(), room));
                if (sent.isEmpty()) {
                    judged.refused("it would be sent as another one", "").over(HttpStatus.BAD_REQUEST_400, 0, 0);
                    refuse(response, callback, HttpStatus.BAD_REQUEST_400, "The gateway would send another path than the one that was judged.", "Send a path without two slashes at its beginning.");
                    yield true;
                }
                if (isTooMuch(judged, response, callback)) {
                    yield true;
                }
                asked.setAttribute(JUDGED, judged);
                asked.setAttribute(TARGET, target.get());
                asked.setAttribute(SENT, sent.get());
                if (additions.concernsBody(asked.getLength())) {
                    bodies.read(asked, conversation.owner(), outcome -> changed(outcome, asked, response, callback));
                    yield true;
                }
                yield super.handle(new Sendable(asked), response, callback);
            }
        };
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        getHttpClient().getProtocolHandlers().put(new UpgradeProtocolHandler());
    }

    /** Goes on with a request whose body was read, so that something can be put into it. */
    private void changed(Bodies.Outcome outcome, org.eclipse.jetty.server.Request asked, Response response, Callback callback) {
        Bodies.Outcome fitting = outcome instanceof Bodies.Outcome.Whole(ByteBuffer body, Room.Share share) ? fitted(additions(asked).body(BufferUtil.toArray(body)), share) : outcome;
        switch (fitting) {
            case Bodies.Outcome.Whole(ByteBuffer body, _) -> {
                if (!super.handle(new Sendable(new Replayed(asked, body)), response, callback)) {
                    callback.failed(new IllegalStateException("Nobody takes the request."));
                }
            }
            case Bodies.Outcome.Unread(int status, String why) -> {
                over(asked, status, response);
                response.getHeaders().put(HttpHeader.CONNECTION, "close"); // the rest is not read
                refuse(response, callback, status, "The gateway has to read this request to put a credential into it, and " + why + ".", "Send it again, and fewer at once.");
            }
        }
    }

    private static Bodies.Outcome fitted(ByteBuffer body, Room.Share share) {
        return share.resize(body.remaining()) ? new Bodies.Outcome.Whole(body, share) : Bodies.FULL;
    }

    private static Optional<Target> target(Conversation conversation, Provision provision, String written) {
        if (provision.detour().isEmpty()) {
            return conversation.place().map(place -> new Target(conversation.isSecure(), conversation.host(), conversation.port(), place, written));
        }
        Detour detour = provision.detour().get();
        return detour.target(written)
                .flatMap(path -> conversation.place(detour).map(place -> new Target(detour.isSecure(), detour.host(), detour.port(), place, path)));
    }

    /** Counts the request, and answers it if it is one too many. What cannot be counted is not sent. */
    private static boolean isTooMuch(Judged judged, Response response, Callback callback) {
        try {
            Optional<Meter.Excess> excess = judged.provision.meter().flatMap(Meter::admit);
            excess.ifPresent(each -> {
                judged.refused(each.why(), each.hint()).over(HttpStatus.TOO_MANY_REQUESTS_429, 0, 0);
                response.getHeaders().put("x-should-retry", "false"); // clients of services wait and try again otherwise, and that does not help
                answer(response, callback, HttpStatus.TOO_MANY_REQUESTS_429, Json.write(BudgetProblem.of(each.why(), each.hint())));
            });
            return excess.isPresent();
        } catch (SandglassException uncounted) {
            judged.refused(uncounted.what(), uncounted.hint()).over(HttpStatus.SERVICE_UNAVAILABLE_503, 0, 0);
            refuse(response, callback, HttpStatus.SERVICE_UNAVAILABLE_503, "The request could not be counted, so it was not sent: " + uncounted.what(), uncounted.hint());
            return true;
        }
    }

    static void refuse(Response response, Callback callback, int status, String message, String hint) {
        answer(response, callback, status, Json.write(new Problem("network_denied", message, hint)));
    }

    private static void answer(Response response, Callback callback, int status, String json) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, json, callback);
    }

    /** Whether it is known already what became of a request. */
    static boolean isTold(org.eclipse.jetty.server.Request asked) {
        return asked.getAttribute(TOLD) != null;
    }

    private static Judged judged(org.eclipse.jetty.server.Request asked) {
        return (Judged) asked.getAttribute(JUDGED);
    }

    private static Target target(org.eclipse.jetty.server.Request asked) {
        return (Target) asked.getAttribute(TARGET);
    }

    @Override
    protected HttpURI rewriteHttpURI(org.eclipse.jetty.server.Request asked) {
        return asked.getHttpURI();
    }

    @Override
    protected org.eclipse.jetty.client.Request newProxyToServerRequest(org.eclipse.jetty.server.Request asked, HttpURI uri) {
        return (org.eclipse.jetty.client.Request) asked.getAttribute(SENT);
    }

    /**
     * The server is to see what it would see without a gateway, and what is added for it. Its name is said once: a request of HTTP/2 can have another one in a field beside the one that was
     * judged.
     */
    @Override
    protected void addProxyHeaders(org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent) {
        sent.headers(fields -> {
            fields.put(HttpHeader.HOST, target(asked).authority());
            if (judged(asked).counting.isPresent()) {
                fields.put(HttpHeader.ACCEPT_ENCODING, "identity"); // counts are read from the answer
            }
            additions(asked).apply(fields);
        });
    }

    /** A server changes the protocol if it was asked to, and not otherwise. */
    @Override
    protected void sendProxyToServerRequest(
            org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, Response answer, Callback callback) {
        if (Upgrade.isWebSocket(asked)) {
            Judged judged = (Judged) asked.getAttribute(JUDGED);
            HttpUpgrader.Factory factory = _ -> new Upgrade(asked, answer, callback, (out, in) -> judged.over(HttpStatus.SWITCHING_PROTOCOLS_101, out, in));
            sent.version(HttpVersion.HTTP_1_1).attribute(HttpUpgrader.Factory.class.getName(), factory);
        } else {
            sent.onResponseBegin(got -> {
                if (got.getStatus() == HttpStatus.SWITCHING_PROTOCOLS_101) {
                    got.abort(new Unanswered("it changed the protocol without being asked"));
                }
            });
        }
        sent.onResponseHeaders(got -> {
            if (!Weighing.fits(asked, got.getHeaders())) {
                got.abort(new Unanswered("there is no room for its answer beside what else is under way"));
            }
        });
        judged(asked).counting.ifPresent(counting -> sent.onRequestSuccess(_ -> counting.asked()));
        endWith(asked, () -> sent.abort(new Unanswered("the connection of the sandbox ended")), sent);
        super.sendProxyToServerRequest(asked, sent, answer, callback);
    }

    /** Nobody is to work on an answer that nobody gets, and least of all if a change of the policy was why the connection ended. */
    private static void endWith(org.eclipse.jetty.server.Request asked, Runnable end, org.eclipse.jetty.client.Request sent) {
        Reception.Place place = Reception.place(asked.getConnectionMetaData().getConnection().getEndPoint());
        place.atEnd(end);
        sent.onComplete(_ -> place.notAtEnd(end));
        if (asked.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2) { // where one request can be given up; in HTTP/1 half a request would look the same
            asked.addFailureListener(_ -> end.run());
        }
    }

    private static Additions additions(org.eclipse.jetty.server.Request asked) {
        return new Additions(judged(asked).provision.additions());
    }

    /** Where somebody counts what an answer uses, it is looked at before it is passed on. */
    @Override
    protected org.eclipse.jetty.client.Response.CompleteListener newServerToProxyResponseListener(
            org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, Response answer, Callback callback) {
        Optional<Counting> counting = judged(asked).counting;
        return counting.isEmpty() ? super.newServerToProxyResponseListener(asked, sent, answer, callback) : new Counted(counting.get(), asked, sent, answer, callback);
    }

    private final class Counted extends ProxyResponseListener {
        private final Counting counting;

        Counted(Counting counting, org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, Response answer, Callback callback) {
            super(asked, sent, answer, callback);
            this.counting = counting;
        }

        @Override
        public void onHeaders(org.eclipse.jetty.client.Response got) {
            counting.begin(got);
            super.onHeaders(got);
        }

        @Override
        public void onContent(org.eclipse.jetty.client.Response got, Content.Chunk part, Runnable demander) {
            counting.take(part);
            super.onContent(got, part, demander);
        }
    }

    @Override
    protected void onProxyToClientResponseComplete(
            org.eclipse.jetty.server.Request asked, org.eclipse.jetty.client.Request sent, org.eclipse.jetty.client.Response got, Response answer, Callback callback) {
        over(asked, got.getStatus(), answer);
        super.onProxyToClientResponseComplete(asked, sent, got, answer, callback);
    }

    @Override
    protected void onProxyToClientResponseFailure(
            org.eclipse.jetty.server.Request asked,
            org.eclipse.jetty.client.Request sent,
            org.eclipse.jetty.client.Response got,
            Response answer,
            Callback callback,
            Throwable failure) {
        over(asked, got.getStatus(), answer);
        super.onProxyToClientResponseFailure(asked, sent, got, answer, callback, failure);
    }

    @Override
    protected void onServerToProxyResponseFailure(
            org.eclipse.jetty.server.Request asked,
            org.eclipse.jetty.client.Request sent,
            org.eclipse.jetty.client.@Nullable Response got,
            Response answer,
            Callback callback,
            Throwable failure) {
        int said = got == null ? 0 : got.getStatus();
        if (answer.isCommitted()) { // the sandbox knows the status, and may have left with all that it wanted
            over(asked, answer.getStatus(), answer);
            callback.failed(failure);
        } else if (failure instanceof HttpException) { // what is broken is the request
            asked.setAttribute(JUDGED, judged(asked).broken(String.valueOf(failure.getMessage())));
            over(asked, HttpStatus.BAD_REQUEST_400, answer);
            callback.failed(failure);
        } else {
            String why = Unanswered.why(failure);
            asked.setAttribute(JUDGED, judged(asked).unanswered(why));
            Callback told = Callback.from(() -> over(asked, HttpStatus.BAD_GATEWAY_502, answer), _ -> over(asked, said, answer)); // who has left gets no answer any more
            refuse(answer, Callback.combine(told, callback), HttpStatus.BAD_GATEWAY_502, "The server did not answer: " + why + ".", "See whether it can be reached, and whether its certificate is good.");
        }
    }

    private static void over(org.eclipse.jetty.server.Request asked, int status, Response answer) {
        Judged judged = (Judged) asked.removeAttribute(JUDGED);
        if (judged != null) {
            asked.setAttribute(TOLD, true);
            judged.over(status, org.eclipse.jetty.server.Request.getContentBytesRead(asked), Response.getContentBytesWritten(answer));
        }
    }
}
