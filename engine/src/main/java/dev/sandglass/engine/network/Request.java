package dev.sandglass.engine.network;

import java.util.Optional;
import java.util.regex.Pattern;

/** What an HTTP request asks for. */
public record Request(String method, RequestPath path) {
    /** Capitals only: methods are told apart by case, and a server that does not would take get for GET behind the back of a rule. */
    static final Pattern METHOD = Pattern.compile("[A-Z][A-Z0-9_-]{0,31}");

    public Request {
        if (!METHOD.matcher(method).matches()) {
            throw new IllegalArgumentException("method: " + method.length() + " characters (expected: capital letters like GET)");
        }
    }

    /** A request with this method and target in its first line; empty if a policy cannot tell for sure what a server would make of it. */
    public static Optional<Request> parse(String method, String target) {
        return METHOD.matcher(method).matches() ? RequestPath.parse(target).map(path -> new Request(method, path)) : Optional.empty();
    }
}
