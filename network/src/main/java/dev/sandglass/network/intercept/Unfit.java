package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Request;
import java.util.Optional;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;

/**
 * Why the gateway itself takes a request from nobody, whatever the policy says.
 *
 * @param why as it stands in the log
 * @param message what the sandbox is told
 */
record Unfit(int status, String why, String message, String hint) {
    private static final Unfit TUNNEL = protocol("it asks for a tunnel (CONNECT)");
    private static final Unfit PROTOCOL = protocol("it asks for another protocol than WebSocket over HTTP/1.1");
    /** A server sends back what it got, and with it what was added on the way. */
    private static final Unfit ECHO = new Unfit(
            HttpStatus.METHOD_NOT_ALLOWED_405, "TRACE is not passed on", "The gateway does not pass TRACE on: its answer shows what was added to a request on its way.", "Use another method.");

    private static final Unfit PATH = new Unfit(
            HttpStatus.BAD_REQUEST_400,
            "servers could read its method or path in different ways",
            "The gateway cannot tell which path a server would make of this request.",
            "Send a plain method and a path without dots, two slashes at its beginning, control characters and half escapes.");

    private static Unfit protocol(String why) {
        return new Unfit(
                HttpStatus.NOT_IMPLEMENTED_501,
                why,
                "The gateway changes to no protocol but WebSocket, over HTTP/1.1, on connections that it looks into.",
                "Allow the host without methods and paths, and it is passed through.");
    }

    /** @param request what it asks for, if that is clear */
    static Optional<Unfit> of(org.eclipse.jetty.server.Request asked, Optional<Request> request, Conversation conversation) {
        if (HttpMethod.CONNECT.is(asked.getMethod())) {
            return Optional.of(TUNNEL);
        }
        if (request.isEmpty()) {
            return Optional.of(PATH);
        }
        Optional<Unfit> elsewhere = elsewhere(asked.getHttpURI(), conversation);
        if (elsewhere.isPresent()) {
            return elsewhere;
        }
        if (HttpMethod.TRACE.is(asked.getMethod())) {
            return Optional.of(ECHO);
        }
        return Upgrade.isWanted(asked) && !Upgrade.isWebSocket(asked) ? Optional.of(PROTOCOL) : Optional.empty();
    }

    private static Optional<Unfit> elsewhere(HttpURI uri, Conversation conversation) {
        String host = String.valueOf(uri.getHost());
        Optional<HostName> name = HostName.parse(host);
        int port = uri.getPort() > 0 ? uri.getPort() : conversation.port(); // without a port it is the one that was dialed
        if (name.map(HostName::text).orElse(host).equals(conversation.host()) && port == conversation.port()) {
            return Optional.empty();
        }
        String named = name.map(each -> " (" + each + ":" + port + ")").orElse("");
        return Optional.of(new Unfit(
                HttpStatus.MISDIRECTED_REQUEST_421, "it names another host than the connection was made to" + named, "The request names another host than the connection was made to.", "Make a connection for each host."));
    }
}
