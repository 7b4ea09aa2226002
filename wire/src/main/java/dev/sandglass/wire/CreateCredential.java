package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to keep a credential; what is absent is the preset's, or has the default. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateCredential(
        String name,
        String value,
        @Nullable String kind,
        @Nullable String header,
        @Nullable String user,
        @Nullable String parameter,
        @Nullable String placeholder,
        @Nullable String host,
        @Nullable Integer port,
        @Nullable List<String> paths,
        @Nullable List<String> methods,
        @Nullable Boolean plainHttp,
        @Nullable String preset,
        @Nullable String baseUrl,
        @Nullable CredentialBudget budget) {
    /** Without the value, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "CreateCredential[name=" + name + "]";
    }
}
