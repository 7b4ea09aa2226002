package dev.sandglass.cli.forward;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which port of this machine leads to which of the sandbox.
 *
 * @param address a name or an address of this machine
 * @param local 0 takes a free one
 */
public record Forward(String address, int local, int port) {
    private static final Pattern FORM = Pattern.compile("(?:(?:([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):)?([0-9]{1,5}):)?([0-9]{1,5})");
    private static final String LOOPBACK = "127.0.0.1";
    private static final int MOST = 65535;

    /** Of {@code [[ADDRESS:]HERE:]PORT}; nothing if it is none. */
    public static Optional<Forward> parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(parts.group(3));
        int local = parts.group(2) == null ? port : Integer.parseInt(parts.group(2));
        String address = parts.group(1) == null ? LOOPBACK : parts.group(1).replaceAll("[\\[\\]]", "");
        return port < 1 || port > MOST || local > MOST ? Optional.empty() : Optional.of(new Forward(address, local, port));
    }
}
