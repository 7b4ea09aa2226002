package dev.sandglass.client.daemon;

import java.nio.charset.StandardCharsets;

/** A path and query for a request, every part percent-encoded. */
public final class Query {
    private static final String HEX = "0123456789ABCDEF";

    private final StringBuilder text = new StringBuilder();
    private boolean hasParameters;

    /** Starts with segments, joined by slashes; a slash inside one is encoded. */
    public static Query of(String... segments) {
        Query query = new Query();
        for (String segment : segments) {
            query.text.append('/');
            query.encode(segment);
        }
        return query;
    }

    public Query with(String name, String value) {
        text.append(hasParameters ? '&' : '?').append(name).append('=');
        hasParameters = true;
        encode(value);
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void encode(String part) {
        for (byte value : part.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (value & 0xff);
            boolean plain = (character >= 'a' && character <= 'z')
                    || (character >= 'A' && character <= 'Z')
                    || (character >= '0' && character <= '9')
                    || "-_.~".indexOf(character) >= 0;
            if (plain) {
                text.append(character);
            } else {
                text.append('%').append(HEX.charAt(character >> 4)).append(HEX.charAt(character & 15));
            }
        }
    }
}
