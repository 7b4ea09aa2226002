package dev.sandglass.network.oci;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a server wants to be told who asks. */
record Challenge(String scheme, Map<String, String> parameters) {
    private static final Pattern HEAD = Pattern.compile("\\s*([A-Za-z]{1,32})(?:\\s+(.*))?", Pattern.DOTALL);
    private static final Pattern PARAMETER = Pattern.compile("([A-Za-z_]{1,32})=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s,\"]+))");
    private static final int LONGEST = 8192;

    static final String BEARER = "bearer";
    static final String BASIC = "basic";

    /** The one of them that we can answer, tokens before passwords. */
    static Optional<Challenge> of(List<String> headers) {
        List<Challenge> all = headers.stream().filter(header -> header.length() <= LONGEST).flatMap(header -> parse(header).stream()).toList();
        return all.stream().filter(each -> each.scheme.equals(BEARER)).findFirst().or(() -> all.stream().filter(each -> each.scheme.equals(BASIC)).findFirst());
    }

    private static Optional<Challenge> parse(String header) {
        Matcher head = HEAD.matcher(header);
        if (!head.matches()) {
            return Optional.empty();
        }
        Map<String, String> parameters = new HashMap<>();
        Matcher parameter = PARAMETER.matcher(head.group(2) == null ? "" : head.group(2));
        while (parameter.find()) {
            String quoted = parameter.group(2);
            parameters.put(parameter.group(1).toLowerCase(Locale.ROOT), quoted == null ? parameter.group(3) : quoted.replaceAll("\\\\(.)", "$1"));
        }
        return Optional.of(new Challenge(head.group(1).toLowerCase(Locale.ROOT), parameters));
    }
}
