package dev.sandglass.engine.credential;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.Decision;
import dev.sandglass.engine.network.HostPattern;
import dev.sandglass.engine.network.PathPattern;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.PortRange;
import dev.sandglass.engine.network.Protocol;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.wire.Refusal;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * To which requests a credential belongs. It is a policy that allows these and nothing else, so that names and paths are read here exactly as rules read them: what
 * a server might take for another path gets no secret.
 *
 * @param host one host, or those below a name
 * @param paths none are all
 * @param methods none are all
 * @param plain whether a request may have it that is not encrypted
 */
public record Destination(HostPattern host, int port, List<PathPattern> paths, Set<String> methods, boolean plain) {
    public static final int HTTPS = 443;

    private static final int MOST = 16;
    private static final int LARGEST_PORT = 65_535;
    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z0-9_-]{0,31}");

    public Destination {
        if (!(host instanceof HostPattern.Exact) && !(host instanceof HostPattern.Below)) {
            throw Refusal.of("host", host.toString(), "one host like api.example.org, or those below a name like *.example.org");
        }
        if (port < 1 || port > LARGEST_PORT) {
            throw Refusal.of("port", String.valueOf(port), "1 to " + LARGEST_PORT);
        }
        if (paths.size() > MOST || methods.size() > MOST) {
            throw Refusal.of("paths and methods", paths.size() + " and " + methods.size(), "at most " + MOST + " each");
        }
        for (String method : methods) {
            if (!METHOD.matcher(method).matches()) {
                throw Refusal.of("method", method, "capital letters like GET");
            }
        }
        paths = List.copyOf(paths);
        methods = Set.copyOf(methods);
        policy(host, port, paths, methods, plain); // what is too long for a rule is refused
    }

    private static Policy policy(HostPattern host, int port, List<PathPattern> paths, Set<String> methods, boolean plain) {
        Set<Protocol> protocols = plain ? Set.of(Protocol.TLS, Protocol.HTTP) : Set.of(Protocol.TLS);
        Rule rule = new Rule(Verdict.ALLOW, List.of(host), List.of(), List.of(PortRange.of(port)), protocols, methods, paths, Set.of());
        return new Policy(List.of(rule), Verdict.DENY);
    }

    /** Whether a request that is known is one of these. */
    boolean includes(Attempt attempt) {
        return attempt.request().isPresent() && decide(attempt) instanceof Decision.Allowed;
    }

    /** Whether a request may still come of it that is one of these. */
    boolean mayInclude(Attempt attempt) {
        return !(decide(attempt) instanceof Decision.Denied);
    }

    private Decision decide(Attempt attempt) {
        return policy(host, port, paths, methods, plain).decide(attempt);
    }

    List<String> sortedMethods() {
        return List.copyOf(new TreeSet<>(methods));
    }
}
