package dev.sandglass.engine.ledger;

/**
 * A credential as the ledger has it.
 *
 * @param description all that may be shown of it, as JSON; kept to the letter, because the value is sealed together with it
 * @param sealed its value, which only the key opens, in Base64
 */
public record CredentialRecord(String name, String description, String sealed) {}
