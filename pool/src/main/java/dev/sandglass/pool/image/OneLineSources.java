package dev.sandglass.pool.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The one-line format: {@code deb [options] uri suite components}. */
final class OneLineSources {
    private static final Pattern LINE =
            Pattern.compile("deb\\s+(?:\\[([^]]*)]\\s*)?(\\S+)\\s+(\\S+)((?:\\s+[^#\\s]\\S*)*)\\s*(?:#.*)?");

    private OneLineSources() {}

    static List<AptSource> parse(String text) {
        List<AptSource> sources = new ArrayList<>();
        for (String line : text.lines().map(String::strip).toList()) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                sources.add(source(matcher));
            }
        }
        return sources;
    }

    private static AptSource source(Matcher matcher) {
        List<String> options = new ArrayList<>();
        Optional<String> signedBy = Optional.empty();
        for (String option : words(matcher.group(1))) {
            if (option.toLowerCase(Locale.ROOT).startsWith("signed-by=")) {
                signedBy = Optional.of(option.substring("signed-by=".length()));
            } else {
                options.add(option);
            }
        }
        return new AptSource(matcher.group(2), matcher.group(3), words(matcher.group(4)), options, signedBy);
    }

    static List<String> words(@Nullable String text) {
        return text == null || text.isBlank()
                ? List.of()
                : Arrays.asList(text.strip().split("\\s+"));
    }
}
