package dev.sandglass.server.route;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a request is addressed to, before anybody has looked whether that is there. */
sealed interface Destination {
    /**
     * A port of a sandbox, by host name.
     *
     * @param sandbox its id or its name; what looks like an id is one, so that its address never leads to another when it is gone
     */
    record Port(String sandbox, int port, String path) implements Destination {}

    /**
     * A route of a sandbox, by path.
     *
     * @param path what is behind the names of both; empty if not even a slash is
     */
    record Named(String sandbox, String route, String path) implements Destination {
        /** The part of the path that is for us, not for the sandbox. */
        String place() {
            return "/" + sandbox + "/" + route;
        }
    }

    /** Nothing that could be there. */
    record Nowhere() implements Destination {}

    /** @param label the host name without the domain: {@code PORT-SANDBOX} */
    static Destination ofHost(String label, String path) {
        Matcher parts = Forms.LABEL.matcher(label);
        if (!parts.matches() || Integer.parseInt(parts.group(1)) > Forms.HIGHEST_PORT) {
            return new Nowhere();
        }
        String name = parts.group(2);
        return new Port(SandboxId.undashed(name).map(SandboxId::text).orElse(name), Integer.parseInt(parts.group(1)), path);
    }

    static Destination ofPath(String path) {
        Matcher parts = Forms.PATH.matcher(path);
        return parts.matches() ? new Named(parts.group(1), parts.group(2), parts.group(3)) : new Nowhere();
    }

    /** How the two are written. */
    final class Forms {
        private static final int HIGHEST_PORT = 65535;
        private static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,62}";
        private static final Pattern LABEL = Pattern.compile("([1-9][0-9]{0,4})-([a-z0-9][a-z0-9-]{0,61})");
        private static final Pattern PATH = Pattern.compile("/(" + NAME + ")/(" + NAME + ")((?:/.*)?)", Pattern.DOTALL);

        private Forms() {}
    }
}
