package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import dev.sandglass.wire.RouteCors;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which pages of other origins may use a route.
 *
 * @param origins as browsers write them, or {@code *} alone
 * @param methods none are those of the route
 * @param headers in lower case
 */
public record Cors(Set<String> origins, Set<String> methods, Set<String> headers, boolean credentials) {
    private static final String ANY = "*";
    private static final Pattern ORIGIN = Pattern.compile("https?://([a-z0-9._-]{1,253}|\\[[0-9a-f:.]{2,45}])(:[0-9]{1,5})?");
    private static final Pattern HEADER = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,128}");

    public Cors {
        origins = Set.copyOf(origins);
        methods = Set.copyOf(methods);
        headers = Set.copyOf(headers);
        for (String origin : origins) {
            if (!origin.equals(ANY) && !ORIGIN.matcher(origin).matches()) {
                throw Refusal.of("cors.origins", origin, "an origin in lower case without a path, like https://app.example.org, or *");
            }
        }
        if (origins.isEmpty() || (origins.contains(ANY) && origins.size() > 1)) {
            throw Refusal.of("cors.origins", String.join(", ", origins), "some origins, or * alone");
        }
        if (credentials && origins.contains(ANY)) {
            throw Refusal.of("cors.credentials", "true", "false where every origin is allowed: any page could use what its visitor may");
        }
        methods.forEach(method -> Route.requireMethod("cors.methods", method));
        for (String header : headers) {
            if (!HEADER.matcher(header).matches()) {
                throw Refusal.of("cors.headers", header, "the name of a header in lower case");
            }
        }
    }

    static Cors of(RouteCors asked) {
        return new Cors(
                Set.copyOf(asked.origins()),
                Set.copyOf(Objects.requireNonNullElse(asked.methods(), List.of())),
                Set.copyOf(Objects.requireNonNullElse(asked.headers(), List.<String>of()).stream().map(header -> header.toLowerCase(Locale.ROOT)).toList()),
                Boolean.TRUE.equals(asked.credentials()));
    }

    /** Whether a page of that origin may use the route. */
    public boolean allows(String origin) {
        return origins.contains(ANY) || origins.contains(origin);
    }

    RouteCors toWire() {
        return new RouteCors(sorted(origins), sorted(methods), sorted(headers), credentials);
    }

    private static List<String> sorted(Set<String> words) {
        return words.stream().sorted().toList();
    }
}
