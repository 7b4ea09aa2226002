package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** All credentials, by name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CredentialList(List<Credential> credentials) {}
