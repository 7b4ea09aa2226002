package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a sandbox's attempt to reach something. What is absent was not known, or was not there.
 *
 * @param id rises from attempt to attempt
 * @param at when it began
 * @param tool of an MCP server that a request calls, where the policy tells tools apart
 * @param verdict {@code allow} or {@code deny}
 * @param why the rule that decided, or what else did
 * @param allow what {@code policy allow} opens it with, if that would
 * @param sent bytes that the sandbox sent
 * @param received bytes that it got
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record NetworkAttempt(
        long id,
        Instant at,
        @Nullable String name,
        @Nullable String address,
        @Nullable Integer port,
        @Nullable String protocol,
        @Nullable String method,
        @Nullable String path,
        @Nullable String tool,
        @Nullable Integer status,
        String verdict,
        String why,
        @Nullable String allow,
        long sent,
        long received,
        long durationMs) {
    public NetworkAttempt numbered(long number) {
        return new NetworkAttempt(number, at, name, address, port, protocol, method, path, tool, status, verdict, why, allow, sent, received, durationMs);
    }
}
