package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the list of sandboxes, oldest first. It stays where it is whatever comes and goes, the sandbox that it names
 * included.
 */
public record Position(Instant createdAt, SandboxId id) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,15}) (sbx-[a-z0-9]{12})");

    public static Position of(SandboxRecord record) {
        return new Position(record.createdAt(), record.id());
    }

    /** As a text that clients hand back and do not look into. */
    public String text() {
        String plain = createdAt.toEpochMilli() + " " + id.text();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.US_ASCII));
    }

    /** The position with that text; nothing if there is none. */
    public static Optional<Position> parse(String text) {
        try {
            Matcher parts = TEXT.matcher(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.ISO_8859_1));
            return parts.matches()
                    ? Optional.of(new Position(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), new SandboxId(parts.group(2))))
                    : Optional.empty();
        } catch (IllegalArgumentException noBase64) {
            return Optional.empty();
        }
    }
}
