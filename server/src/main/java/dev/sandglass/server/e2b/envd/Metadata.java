package dev.sandglass.server.e2b.envd;

import dev.sandglass.server.http.Call;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a client says of a file that it uploads, in headers; it is kept in extended attributes. */
final class Metadata {
    private static final String PREFIX = "x-metadata-";
    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_BYTES = 4096;

    private Metadata() {}

    /** By the names of the attributes. */
    static Map<String, String> attributes(Call call) {
        Map<String, String> attributes = new TreeMap<>();
        int bytes = 0;
        for (var field : call.request().getHeaders()) {
            String header = field.getName().toLowerCase(Locale.ROOT);
            if (!header.startsWith(PREFIX) || header.length() == PREFIX.length()) {
                continue;
            }
            String name = EntryInfo.METADATA + header.substring(PREFIX.length());
            String value = String.valueOf(field.getValue());
            if (name.length() > MAX_NAME_BYTES) {
                throw HttpRefusal.of(400, "invalid metadata: metadata key exceeds " + (MAX_NAME_BYTES - EntryInfo.METADATA.length()) + " bytes");
            }
            if (!isPrintable(name) || !isPrintable(value)) {
                throw HttpRefusal.of(400, "invalid metadata: " + header.substring(PREFIX.length()) + " contains what is not printable ASCII");
            }
            if (attributes.putIfAbsent(name, value) == null) {
                bytes += name.length() + value.length();
            }
        }
        if (bytes > MAX_BYTES) {
            throw HttpRefusal.of(400, "invalid metadata: total metadata size " + bytes + " exceeds " + MAX_BYTES + " bytes");
        }
        return attributes;
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(letter -> letter >= ' ' && letter <= '~');
    }
}
