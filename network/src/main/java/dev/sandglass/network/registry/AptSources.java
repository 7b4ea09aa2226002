package dev.sandglass.network.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The sources of apt, in both of its formats. */
final class AptSources {
    private static final String DIRECTORY = "/etc/apt/sources.list.d";
    private static final Pattern LINE = Pattern.compile("deb(?:-src)?\\s+(?:\\[[^]]*]\\s*)?([^\\s#]+)(?:\\s.*)?");
    /** Others are not read by apt either. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]*\\.(list|sources)");
    private static final Pattern NO = Pattern.compile("no|false|without|off|disable|0", Pattern.CASE_INSENSITIVE);
    private static final String MIRRORS = "mirror+";
    private static final String LISTED = "mirror+file:";

    private AptSources() {}

    static Stream<String> urls(Look look) {
        List<String> uris = new ArrayList<>(lines(look.lines("/etc/apt/sources.list")));
        for (String name : look.names(look.at(DIRECTORY))) {
            Matcher kind = NAME.matcher(name);
            if (kind.matches()) {
                List<String> file = look.lines(DIRECTORY + "/" + name);
                uris.addAll(kind.group(1).equals("list") ? lines(file) : stanzas(file));
            }
        }
        return uris.stream().flatMap(uri -> urls(uri, look));
    }

    /** A list of mirrors that is a file of the host is read; of one that is on the web, the list's own place is told and not what it leads to. */
    private static Stream<String> urls(String uri, Look look) {
        if (uri.startsWith(LISTED)) {
            return look.lines(uri.substring(LISTED.length())).stream().map(line -> line.strip().split("\\s+")[0]);
        }
        return Stream.of(uri.startsWith(MIRRORS) ? uri.substring(MIRRORS.length()) : uri.replaceFirst("^mirror:", "http:"));
    }

    /** {@code deb [options] uri suite components}. */
    private static List<String> lines(List<String> file) {
        return file.stream().map(line -> LINE.matcher(line.strip())).filter(Matcher::matches).map(line -> line.group(1)).toList();
    }

    /** Stanzas of fields, some of which go on in the next line. */
    private static List<String> stanzas(List<String> file) {
        List<String> uris = new ArrayList<>();
        Map<String, String> fields = new HashMap<>();
        String last = "";
        for (String line : file) {
            if (line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(':');
            if (line.isBlank()) {
                uris.addAll(stanza(fields));
                fields.clear();
            } else if (Character.isWhitespace(line.charAt(0))) {
                fields.merge(last, line, (before, more) -> before + more);
            } else if (colon > 0) {
                last = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                fields.put(last, line.substring(colon + 1));
            }
        }
        uris.addAll(stanza(fields));
        return uris;
    }

    private static List<String> stanza(Map<String, String> fields) {
        boolean disabled = NO.matcher(fields.getOrDefault("enabled", "yes").strip()).matches();
        return disabled ? List.of() : List.of(fields.getOrDefault("uris", "").strip().split("\\s+"));
    }
}
