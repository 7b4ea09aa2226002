package dev.sandglass.server.e2b;

import dev.sandglass.server.e2b.json.Refusal;
import dev.sandglass.server.http.Bearer;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.HostNames;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves the control plane to who has a key. Thread-safe. */
final class ControlPlane {
    static final int MOST_JSON_BYTES = 1 << 20;
    /** Refusals that a moment later may not be. */
    private static final Set<Integer> PASSING = Set.of(429, 503);

    private final Bearers bearers;
    private final HostNames hosts;
    private final List<Endpoint> endpoints;

    ControlPlane(Bearers bearers, HostNames hosts, List<Endpoint> endpoints) {
        this.bearers = bearers;
        this.hosts = hosts;
        this.endpoints = endpoints.stream().sorted(Comparator.comparing((Endpoint endpoint) -> endpoint.path().text().contains("{"))).toList();
    }

    void serve(Call call) throws IOException, InterruptedException {
        call.header("Origin").filter(origin -> !hosts.isOurOrigin(origin)).ifPresent(_ -> {
            throw new SandglassException(ErrorCode.FORBIDDEN_ORIGIN, "A page of another origin called.", "Only pages of this daemon may call it.");
        });
        boolean known = false;
        for (Endpoint endpoint : endpoints) {
            Optional<Map<String, String>> variables = endpoint.match(call);
            if (variables.isPresent() && endpoint.method().equals(call.method())) {
                if (!endpoint.open()) {
                    call.identify(() -> bearer(call));
                }
                endpoint.action().serve(call, variables.get());
                return;
            }
            known |= variables.isPresent();
        }
        call.identify(() -> bearer(call));
        throw known
                ? new SandglassException(ErrorCode.METHOD_NOT_ALLOWED, "This path does not take the method " + call.method() + ".", "")
                : new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "There is nothing at this path: this server does not have that part of the protocol.", "");
    }

    private Bearer bearer(Call call) {
        Optional<Bearer> key = call.header("X-API-KEY").flatMap(bearers::find);
        return key.or(() -> call.header("Authorization").flatMap(bearers::ofHeader))
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.UNAUTHORIZED, "The API key is missing or wrong.", "Make one with `sandglass key create --e2b`, and set E2B_API_KEY to it."));
    }

    /** The body, with nothing said if there is none. What this server does not know is not looked at. */
    static <T> T read(Call call, Class<T> type) throws IOException {
        byte[] json = call.bytes(MOST_JSON_BYTES);
        return Json.read(type, json.length == 0 ? new byte[] {'{', '}'} : json);
    }

    /** As these clients read it: a number that is the status, and a text. */
    static void refuse(Call call, SandglassException problem) throws IOException {
        Refusal refusal = refusal(problem);
        if (PASSING.contains(refusal.code())) {
            call.put("Retry-After", "1");
        }
        call.answer(refusal.code(), refusal);
    }

    static Refusal refusal(SandglassException problem) {
        // Clients try 503 again, and what a runtime cannot do it cannot do later.
        int status = problem.code() == ErrorCode.RUNTIME_UNAVAILABLE ? ErrorCode.INVALID_REQUEST.httpStatus() : problem.code().httpStatus();
        return new Refusal(status, problem.hint().isEmpty() ? problem.what() : problem.what() + " " + problem.hint());
    }
}
