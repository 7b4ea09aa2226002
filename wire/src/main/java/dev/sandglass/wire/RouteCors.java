package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which pages of other origins may use a route.
 *
 * @param origins such as {@code https://app.example.org}, or {@code *} alone
 * @param methods those of the route if absent
 * @param headers those that a request may have besides the harmless ones; none if absent
 * @param credentials whether requests may come with cookies and the like; false if absent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record RouteCors(List<String> origins, @Nullable List<String> methods, @Nullable List<String> headers, @Nullable Boolean credentials) {}
