package dev.sandglass.engine.network;

import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A fuzz target: any text as a name of a host, an address, a rule and a path. It is refused, or has one form that is read as itself. Jazzer finds it by the name of its method;
 * {@code make fuzz} runs it.
 */
public final class NameFuzz {
    private NameFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        name(text);
        rule(text);
        path(text);
    }

    private static void name(String text) {
        Optional<HostName> name = HostName.parse(text);
        Optional<?> address = DottedQuad.parse(text);
        require(name.isEmpty() || address.isEmpty(), "both a name and an address", text);
        if (name.isPresent()) {
            String canonical = name.get().text();
            require(HostName.parse(canonical).equals(name), "another name when it is read again", text);
            require(canonical.chars().allMatch(each -> (each > ' ' && each < 'A') || (each > 'Z' && each < 0x7f)), "a name that is not in small letters of ASCII", text);
            require(canonical.equalsIgnoreCase(text.endsWith(".") ? text.substring(0, text.length() - 1) : text), "another name than was written", text);
            String last = canonical.substring(canonical.lastIndexOf('.') + 1);
            require(!last.matches("[0-9]+|0x[0-9a-f]*"), "a name that some take for an address", text);
            require(!name.get().isBelow(name.get()), "a name below itself", text);
        }
    }

    private static void rule(String text) {
        try {
            Rule rule = Rule.parse(text);
            String printed = rule.toString();
            require(Rule.parse(printed).equals(rule), "another rule when it is read again", text);
            require(Rule.parse(printed).toString().equals(printed), "a rule that is printed in two ways", text);
            require(printed.length() <= text.length(), "longer when it is printed", text);
        } catch (SandglassException refused) {
            require(refused.what().chars().allMatch(each -> each >= ' ' && each < 0x7f), "a refusal that is not plain text", text);
        }
    }

    private static void path(String text) {
        RequestPath.parse(text).ifPresent(path -> {
            require(RequestPath.parse(path.toString()).equals(Optional.of(path)), "another path when it is read again", text);
            require(RequestPath.parse(path.toString()).orElseThrow().loose().equals(path.loose()), "another loose path when it is read again", text);
            for (String reading : new String[] {path.plain(), path.loose()}) {
                require(reading.startsWith("/") && !(reading + "/").contains("/../") && !(reading + "/").contains("/./"), "a path that goes up", text);
            }
        });
    }

    private static void require(boolean holds, String otherwise, String text) {
        if (!holds) {
            throw new AssertionError(otherwise + ": " + text);
        }
    }
}
