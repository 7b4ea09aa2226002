package dev.sandglass.client.daemon;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.UpdateSandbox;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An update in JSON with the labels that go: the JSON library leaves out what is null in a map, and here that is the message. */
final class LabelChanges {
    private static final String NONE = "\"labels\":{}";
    private static final String SOME = "\"labels\":{";

    private LabelChanges() {}

    /** The names of labels are plain: whoever takes them from a user has looked. */
    static String json(UpdateSandbox request) {
        String json = Json.write(request);
        Map<String, @Nullable String> labels = request.labels();
        if (labels == null) {
            return json;
        }
        String gone = labels.entrySet().stream()
                .filter(label -> label.getValue() == null)
                .map(label -> "\"" + label.getKey() + "\":null")
                .collect(Collectors.joining(","));
        if (gone.isEmpty()) {
            return json;
        }
        return json.contains(NONE) ? json.replace(NONE, SOME + gone + "}") : json.replace(SOME, SOME + gone + ",");
    }
}
