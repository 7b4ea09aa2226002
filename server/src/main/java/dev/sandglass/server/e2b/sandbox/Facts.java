package dev.sandglass.server.e2b.sandbox;

import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the creator of a sandbox asked for that only E2B clients know of; kept in one of its labels, so that it is written, copied and forgotten together with the sandbox.
 *
 * @param template as it was named; null of one that no E2B client made
 * @param secured whether requests for its inside need its token
 * @param privateTraffic whether requests for its ports need its other token
 * @param maskRequestHost what programs see as the host of such requests
 * @param httpsPorts ports on which programs speak TLS
 * @param losesMemory whether its processes end when its time is over, though its disk stays
 * @param metadata what cannot be a label
 * @param network the rules as they were asked for, as JSON
 */
@Json
public record Facts(
        @Nullable String template,
        boolean secured,
        boolean privateTraffic,
        @Nullable String maskRequestHost,
        @Nullable List<Integer> httpsPorts,
        boolean losesMemory,
        @Nullable Map<String, String> metadata,
        @Nullable String network) {
    /** The label that holds them. */
    public static final String LABEL = "sandglass.e2b";

    /** Of a sandbox that was made otherwise: secured, and as open as can be. */
    private static final Facts OF_OTHERS = new Facts(null, true, false, null, null, false, null, null);

    /** What the labels of a sandbox say; what cannot be read, which its owner may have written, opens nothing. */
    public static Facts of(Map<String, String> labels) {
        String text = labels.get(LABEL);
        if (text == null) {
            return OF_OTHERS;
        }
        try {
            return dev.sandglass.wire.Json.read(Facts.class, text.getBytes(StandardCharsets.UTF_8));
        } catch (SandglassException unreadable) {
            return OF_OTHERS;
        }
    }

    /** The value of the label. */
    public String text() {
        return dev.sandglass.wire.Json.write(this);
    }
}
