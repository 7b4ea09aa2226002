package dev.sandglass.pool.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The format of {@code .sources} files: stanzas of fields, each for several addresses and suites. */
final class Deb822Sources {
    /** Fields that the one-line format has as options of another name. */
    private static final Map<String, String> OPTIONS = Map.of(
            "architectures", "arch", "trusted", "trusted", "check-valid-until", "check-valid-until", "by-hash", "by-hash");

    private Deb822Sources() {}

    static List<AptSource> parse(String text) {
        List<AptSource> sources = new ArrayList<>();
        Map<String, String> fields = new LinkedHashMap<>();
        String last = "";
        for (String line : (text + "\n\n").lines().toList()) {
            if (line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(':');
            if (line.isBlank()) {
                sources.addAll(stanza(fields));
                fields.clear();
            } else if (Character.isWhitespace(line.charAt(0))) {
                fields.merge(last, line.strip(), (before, more) -> before + "\n" + more);
            } else if (colon > 0) {
                last = line.substring(0, colon).toLowerCase(Locale.ROOT);
                fields.put(last, line.substring(colon + 1).strip());
            }
        }
        return sources;
    }

    private static List<AptSource> stanza(Map<String, String> fields) {
        boolean isDisabled = fields.getOrDefault("enabled", "yes").matches("(?i)no|false|0|off|without|disable");
        if (isDisabled || !OneLineSources.words(fields.get("types")).contains("deb")) {
            return List.of();
        }
        List<String> options = new ArrayList<>();
        OPTIONS.forEach((field, option) -> {
            List<String> values = OneLineSources.words(fields.get(field));
            if (!values.isEmpty()) {
                options.add(option + "=" + String.join(",", values));
            }
        });
        options.sort(null);
        List<AptSource> sources = new ArrayList<>();
        for (String uri : OneLineSources.words(fields.get("uris"))) {
            for (String suite : OneLineSources.words(fields.get("suites"))) {
                sources.add(new AptSource(
                        uri,
                        suite,
                        OneLineSources.words(fields.get("components")),
                        List.copyOf(options),
                        key(fields.get("signed-by"))));
            }
        }
        return sources;
    }

    /** Lines of a key that stands in the file itself are escaped: a dot is an empty line. */
    private static Optional<String> key(@Nullable String field) {
        return Optional.ofNullable(field)
                .filter(value -> !value.isBlank())
                .map(value -> value.strip().replaceAll("(?m)^\\.$", "") + (value.contains("\n") ? "\n" : ""));
    }
}
