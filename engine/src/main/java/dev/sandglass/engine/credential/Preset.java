package dev.sandglass.engine.credential;

import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.HostPattern;
import dev.sandglass.wire.Refusal;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What is known of the services of models: how they take a key, and where they are. */
enum Preset {
    ANTHROPIC(Optional.of("x-api-key"), Optional.of("api.anthropic.com"), "", Optional.of("ANTHROPIC")),
    OPENAI(Optional.empty(), Optional.of("api.openai.com"), "/v1", Optional.of("OPENAI")),
    /** Any service that is called like most: where it is, its address tells. */
    GENERIC(Optional.empty(), Optional.empty(), "", Optional.empty());

    /** What stands for the key in a sandbox, and is none. */
    static final String PLACEHOLDER = "sandglass-adds-the-key-on-the-way";

    private final Optional<String> header;
    private final Optional<String> host;
    private final String path;
    private final Optional<String> prefix;

    /**
     * What is known of one.
     *
     * @param header that takes the key; without one it is a bearer's
     * @param path that its base URL ends with, as its own clients write it
     * @param prefix of the variables that its clients read
     */
    Preset(Optional<String> header, Optional<String> host, String path, Optional<String> prefix) {
        this.header = header;
        this.host = host;
        this.path = path;
        this.prefix = prefix;
    }

    static Preset named(String name) {
        return Arrays.stream(values())
                .filter(preset -> preset.text().equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.of("preset", name, "anthropic, openai or generic"));
    }

    Kind kind() {
        return header.<Kind>map(Kind.Header::new).orElseGet(Kind.Bearer::new);
    }

    Optional<String> host() {
        return host;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** That its base URL ends with. */
    String path() {
        return path;
    }

    /**
     * The environment of its clients.
     *
     * @param below the path below which the destination serves it
     * @param base where it is, if the destination is that
     */
    Map<String, String> variables(Destination destination, String below, Optional<BaseUrl> base) {
        if (prefix.isEmpty()) {
            return Map.of();
        }
        Map<String, String> variables = new TreeMap<>();
        variables.put(prefix.get() + "_API_KEY", PLACEHOLDER);
        if (destination.host() instanceof HostPattern.Exact(HostName name) && !host.equals(Optional.of(name.text()))) {
            String port = destination.port() == Destination.HTTPS ? "" : ":" + destination.port();
            variables.put(prefix.get() + "_BASE_URL", base.map(BaseUrl::text).orElse("https://" + name + port + below));
        }
        return variables;
    }
}
