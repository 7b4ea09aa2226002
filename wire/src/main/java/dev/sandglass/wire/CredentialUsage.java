package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox has used of a model by a credential.
 *
 * @param sandbox its id
 * @param name of the sandbox
 * @param maxRequests absent if there is no bound
 * @param maxTokens absent if there is no bound; tokens are not counted then
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record CredentialUsage(
        String sandbox, String name, String credential, long requests, @Nullable Long maxRequests, long tokens, @Nullable Long maxTokens) {}
