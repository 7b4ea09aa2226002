package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** Another value for a credential. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RotateCredential(String value) {
    /** Without the value, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "RotateCredential";
    }
}
