package dev.sandglass.server.e2b.sandbox;

import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the creator of a sandbox asked for that only E2B clients know of; kept in one of its labels, so that it is written, copied and forgotten together with the sandbox.
 *
 * @param template as it was named; null of one that no E2B client made
 * @param secured whether requests for its inside need its token
 * @param metadata what cannot be a label
 * @param internet whether it may reach the internet, if that was said
 * @param network the rules as they were asked for
 */
@Json
public record Facts(
        @Nullable String template, boolean secured, @Nullable Map<String, String> metadata, @Nullable Boolean internet, @Nullable NetworkConfig network) {
    /** The label that holds them. */
    public static final String LABEL = "sandglass.e2b";

    private static final String OURS = "sandglass";

    /** Of a sandbox that was made otherwise: nobody gets in without its tokens. */
    private static final Facts OF_OTHERS =
            new Facts(null, true, null, null, new NetworkConfig(null, null, null, null, false, null, null));

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

    /** What clients may see of the labels of a sandbox: they are its metadata. */
    public static Map<String, String> metadata(Map<String, String> labels) {
        Map<String, String> all = new TreeMap<>();
        labels.forEach((name, value) -> {
            if (!isOurs(name)) {
                all.put(name, value);
            }
        });
        all.putAll(Objects.requireNonNullElse(of(labels).metadata, Map.of()));
        return all;
    }

    /** Whether a label of that name says something to Sandglass, and nothing to clients. */
    public static boolean isOurs(String label) {
        return label.startsWith(OURS);
    }

    /** The value of the label. */
    public String text() {
        return dev.sandglass.wire.Json.write(this);
    }

    /** The same under other rules. */
    public Facts with(@Nullable Boolean mayUseInternet, @Nullable NetworkConfig rules) {
        return new Facts(template, secured, metadata, mayUseInternet, rules);
    }

    /** Whether requests for its ports need its other token. */
    public boolean privateTraffic() {
        return network != null && Boolean.FALSE.equals(network.allowPublicTraffic());
    }

    /** What programs see as the host of requests for their ports. */
    public @Nullable String maskRequestHost() {
        return network == null ? null : network.maskRequestHost();
    }

    /** Ports on which programs speak TLS. */
    public List<Integer> httpsPorts() {
        return network == null ? List.of() : Objects.requireNonNullElse(network.httpsPorts(), List.of());
    }
}
