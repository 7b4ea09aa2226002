package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Call;
import dev.sandglass.engine.network.Request;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** A connection that is looked into: who judges its requests, and where they go. */
public interface Conversation {
    /** What tells the ways of one sandbox from those of another: connections to servers are shared by requests of one sandbox alone. */
    Object owner();

    /** The server, as requests have to name it: a name or an address. */
    String host();

    int port();

    /** Where the server is; it is called by {@link #host}, which is what its certificate has to be for. Empty if nobody knows, so that only what goes elsewhere gets anywhere. */
    Optional<InetSocketAddress> place();

    boolean isSecure();

    /**
     * Told once, before anything else.
     *
     * @param end ends the connection at once, and whatever goes on behind it; may be called at any time and more than once
     */
    void opened(Runnable end);

    /** Whether a request cannot be judged before it is known what is called in its body. */
    boolean dependsOnCalls(Request request);

    /** The same conversation for a request of which that is known. */
    Conversation calling(List<Call> calls);

    Ruling judge(Request request);

    /** What comes along with a request that goes on. */
    Provision provision(Request request);

    /** Where that is; empty if nobody knows, or nothing may go there. */
    Optional<InetSocketAddress> place(Detour detour);

    /** Told once for every request that was judged, when it is over. */
    void ended(Exchange exchange);

    /**
     * Told once for every request that came to no judgement, because the gateway itself takes none like it.
     *
     * @param request empty where nobody can say what is asked for
     * @param status what the sandbox was answered; 0 if nothing
     */
    void refused(Optional<Request> request, int status, String why);

    /** Told if the sandbox and the gateway do not come to speak TLS, which is what it comes to if a program does not trust the authority of its sandbox. */
    void notSecured(String why);

    /** Nothing more comes of this connection. */
    void closed();

    /** What becomes of a request. */
    sealed interface Ruling {
        record Pass() implements Ruling {}

        /** @param hint what whoever runs the sandbox may do about it */
        record Refusal(String why, String hint) implements Ruling {}
    }

    /**
     * What became of a request.
     *
     * @param failure why the server gave no answer that could be passed on
     * @param status what the sandbox was answered, or what the server said if the sandbox did not wait for it; 0 if nothing
     * @param sent bytes of the body that the sandbox sent
     * @param received bytes of the body that it got
     */
    record Exchange(Request request, Ruling ruling, Optional<String> failure, int status, long sent, long received, long nanos) {}
}
