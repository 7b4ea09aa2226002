package dev.sandglass.server.mcp;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a URI of a resource names. */
sealed interface ResourceUri {
    String SCHEME = "sandglass://";
    int MOST_CHARACTERS = 8192;
    Pattern OF_SANDBOX = Pattern.compile("sandglass://sandboxes/([^/?#]+)(?:/(files|commands)(/[^?#]*))?");
    Pattern OF_SNAPSHOT = Pattern.compile("sandglass://snapshots/([^/?#]+)");
    Pattern OF_OUTPUT = Pattern.compile("/(cmd-[0-9]{1,9})/output");

    /** What grew from what. */
    record Tree() implements ResourceUri {
        @Override
        public String text() {
            return SCHEME + "tree";
        }
    }

    record OfSandbox(String sandbox) implements ResourceUri {
        @Override
        public String text() {
            return SCHEME + "sandboxes/" + escaped(sandbox);
        }
    }

    record OfSnapshot(String snapshot) implements ResourceUri {
        @Override
        public String text() {
            return SCHEME + "snapshots/" + escaped(snapshot);
        }
    }

    /** @param path absolute */
    record File(String sandbox, String path) implements ResourceUri {
        @Override
        public String text() {
            return SCHEME + "sandboxes/" + escaped(sandbox) + "/files" + escaped(path).replace("%2F", "/");
        }
    }

    record Output(String sandbox, String command) implements ResourceUri {
        @Override
        public String text() {
            return SCHEME + "sandboxes/" + escaped(sandbox) + "/commands/" + command + "/output";
        }
    }

    String text();

    /** What it names, if it is one of ours. */
    static Optional<ResourceUri> parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            return Optional.empty();
        }
        if (text.equals(new Tree().text())) {
            return Optional.of(new Tree());
        }
        Matcher snapshot = OF_SNAPSHOT.matcher(text);
        if (snapshot.matches()) {
            return unescaped(snapshot.group(1)).map(OfSnapshot::new);
        }
        Matcher sandbox = OF_SANDBOX.matcher(text);
        return sandbox.matches() ? unescaped(sandbox.group(1)).flatMap(name -> of(name, sandbox)) : Optional.empty();
    }

    private static Optional<ResourceUri> of(String sandbox, Matcher uri) {
        if (uri.group(2) == null) {
            return Optional.of(new OfSandbox(sandbox));
        }
        if (uri.group(2).equals("files")) {
            return unescaped(uri.group(3)).map(path -> new File(sandbox, path));
        }
        Matcher output = OF_OUTPUT.matcher(uri.group(3));
        return output.matches() ? Optional.of(new Output(sandbox, output.group(1))) : Optional.empty();
    }

    private static Optional<String> unescaped(String text) {
        try {
            return Optional.of(URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException broken) {
            return Optional.empty();
        }
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** A pointer to it among the content of an answer. */
    static Map<String, ?> link(Output output) {
        return Map.of("type", "resource_link", "uri", output.text(), "name", "output of " + output.command(), "mimeType", "text/plain");
    }
}
