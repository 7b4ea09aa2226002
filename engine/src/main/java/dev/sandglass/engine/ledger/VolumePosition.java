package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.VolumeId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the list of volumes, oldest first. It stays where it is whatever comes and goes, the volume that it names
 * included.
 */
public record VolumePosition(Instant createdAt, VolumeId id) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}) (vol-[a-z0-9]{12})");

    public static VolumePosition of(VolumeRecord record) {
        return new VolumePosition(record.createdAt(), record.id());
    }

    /** As a text that clients hand back and do not look into. */
    public String text() {
        String plain = createdAt.toEpochMilli() + " " + id.text();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.US_ASCII));
    }

    /** The position with that text; nothing if there is none. */
    public static Optional<VolumePosition> parse(String text) {
        try {
            Matcher parts = TEXT.matcher(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.ISO_8859_1));
            return parts.matches()
                    ? Optional.of(new VolumePosition(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), new VolumeId(parts.group(2))))
                    : Optional.empty();
        } catch (IllegalArgumentException noBase64) {
            return Optional.empty();
        }
    }
}
