package dev.sandglass.engine.network;

import java.util.Optional;
import java.util.Set;

/** Which hosts a rule is about: {@code example.org}, {@code *.example.org}, {@code *}, {@code @npm}. */
public sealed interface HostPattern {
    String ANY = "*";
    String BELOW = "*.";

    /** This host alone. */
    record Exact(HostName name) implements HostPattern {
        @Override
        public String toString() {
            return name.text();
        }
    }

    /** Every host below this name, at any depth, and not the name itself. */
    record Below(HostName parent) implements HostPattern {
        @Override
        public String toString() {
            return BELOW + parent.text();
        }
    }

    /** Every host, and every address that has no name. */
    record Any() implements HostPattern {
        @Override
        public String toString() {
            return ANY;
        }
    }

    /** The registries of a kind, before somebody looked up where they are. */
    record Registry(RegistryKind kind) implements HostPattern {
        @Override
        public String toString() {
            return kind.toString();
        }
    }

    /** The registries of a kind, where they are on this host; none if the host has none. Written like the kind: the places are the host's, not the rule's. */
    record Endpoints(RegistryKind kind, Set<Endpoint> endpoints) implements HostPattern {
        public Endpoints {
            endpoints = Set.copyOf(endpoints);
        }

        @Override
        public String toString() {
            return kind.toString();
        }
    }

    static HostPattern parse(String text) {
        return parse(Word.of("host", text));
    }

    static HostPattern parse(Word written) {
        return read(written.text()).orElseThrow(() -> written.refused("host", "a name like example.org, *.example.org, *, or one of @apt, @npm, @pip, @maven"));
    }

    private static Optional<HostPattern> read(String text) {
        if (text.equals(ANY)) {
            return Optional.of(new Any());
        }
        if (text.startsWith("@")) {
            return RegistryKind.parse(text).map(Registry::new);
        }
        return text.startsWith(BELOW)
                ? HostName.parse(text.substring(BELOW.length())).map(Below::new)
                : HostName.parse(text).map(Exact::new);
    }
}
