package dev.sandglass.server.e2b;

import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.PathPattern;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Something that the control plane does for a method and a path.
 *
 * @param open whether it looks itself at who calls, who has no key
 */
record Endpoint(String method, PathPattern path, boolean open, Action action) {
    /** Does it; may block, and answers once. */
    interface Action {
        /** @param variables of the path, decoded */
        void serve(Call call, Map<String, String> variables) throws IOException, InterruptedException;
    }

    /** The same of a path with one variable. */
    interface ActionOnOne {
        void serve(Call call, String one) throws IOException, InterruptedException;
    }

    static Endpoint of(String method, String path, ActionOnOne action) {
        return new Endpoint(method, new PathPattern(path), false, (call, variables) -> action.serve(call, variables.values().stream().findFirst().orElse("")));
    }

    static Endpoint ofMany(String method, String path, Action action) {
        return new Endpoint(method, new PathPattern(path), false, action);
    }

    /** The same for callers without a key. */
    Endpoint opened() {
        return new Endpoint(method, path, true, action);
    }

    Optional<Map<String, String>> match(Call call) {
        return path.match(call.rawSegments());
    }
}
