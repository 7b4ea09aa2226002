package dev.sandglass.network.registry;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What Maven uses instead of some repositories.
 *
 * @param of names of these, {@code *}, {@code external:*}, {@code external:http:*}, with commas in between; what begins with {@code !} is left out
 * @param blocked whether these repositories are not to be used at all
 */
record Mirror(String of, String url, boolean blocked) {
    boolean isOf(String id, String repository) {
        List<String> patterns = List.of(of.strip().split("\\s*,\\s*"));
        return !patterns.contains("!" + id) && patterns.stream().anyMatch(pattern -> matches(pattern, id, repository.toLowerCase(Locale.ROOT)));
    }

    private static boolean matches(String pattern, String id, String repository) {
        boolean external = !repository.matches("file:.*|[a-z]+://(localhost|127\\.0\\.0\\.1)([:/].*)?");
        return switch (pattern) {
            case "*" -> true;
            case "external:*" -> external;
            case "external:http:*" -> external && repository.startsWith("http:");
            default -> Objects.equals(pattern, id);
        };
    }
}
