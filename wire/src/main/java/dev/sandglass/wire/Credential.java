package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A credential as the API shows it: all of it but the value.
 *
 * @param kind how it goes into a request: {@code bearer}, {@code header}, {@code basic}, {@code query} or {@code placeholder}
 * @param header the name of the header, of the kind {@code header}
 * @param user of the kind {@code basic}
 * @param parameter of the query, of the kind {@code query}
 * @param placeholder the text that stands for it, of the kind {@code placeholder}
 * @param host {@code api.example.org} or {@code *.example.org}
 * @param paths none are all
 * @param methods none are all
 * @param plainHttp whether it may go over HTTP that is not encrypted
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Credential(
        String name,
        String kind,
        @Nullable String header,
        @Nullable String user,
        @Nullable String parameter,
        @Nullable String placeholder,
        String host,
        int port,
        List<String> paths,
        List<String> methods,
        boolean plainHttp,
        @Nullable String preset,
        @Nullable String baseUrl,
        @Nullable CredentialBudget budget,
        Instant createdAt,
        Instant rotatedAt) {}
