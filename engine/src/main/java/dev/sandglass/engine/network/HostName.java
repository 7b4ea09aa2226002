package dev.sandglass.engine.network;

import java.util.Optional;

/**
 * The name of a host in its one canonical form: ASCII, small letters, no dot at the end, no address. Resolver, policy, gateway, credentials
 * and routes all compare names of this type and nothing else, so that no two of them read one spelling differently.
 */
public record HostName(String text) implements Comparable<HostName> {
    private static final int LONGEST = 253;
    private static final int LONGEST_LABEL = 63;

    public HostName {
        if (!isCanonical(text)) {
            throw new IllegalArgumentException("host name: " + text.length() + " characters (expected: a canonical name)");
        }
    }

    /** The canonical form of what somebody wrote; empty if it is no name of a host, an address among others. One dot at the end is the root's. */
    public static Optional<HostName> parse(String written) {
        int length = written.endsWith(".") ? written.length() - 1 : written.length();
        if (length > LONGEST) {
            return Optional.empty();
        }
        String text = small(written.substring(0, length));
        return isCanonical(text) ? Optional.of(new HostName(text)) : Optional.empty();
    }

    /** Capitals of ASCII alone: to the JDK the small form of the Kelvin sign is a k, and a name with it would be another spelling of one without. */
    private static String small(String text) {
        StringBuilder small = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            small.append(letter >= 'A' && letter <= 'Z' ? (char) (letter - 'A' + 'a') : letter);
        }
        return small.toString();
    }

    /** Whether this is a name below the other, at any depth. */
    public boolean isBelow(HostName parent) {
        return text.endsWith(parent.text) && text.length() > parent.text.length() && text.charAt(text.length() - parent.text.length() - 1) == '.';
    }

    /**
     * Letters outside of ASCII are refused rather than converted: programs in a sandbox ask for the converted form, and two libraries that convert differently
     * would be two spellings of one name. A last label that is a number makes an address of it for some programs (1.2.3, 0x7f.1).
     */
    private static boolean isCanonical(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            return false;
        }
        String last = "";
        for (String label : text.split("\\.", -1)) {
            if (!isLabel(label)) {
                return false;
            }
            last = label;
        }
        return !isNumber(last);
    }

    private static boolean isLabel(String label) {
        boolean hyphenAtAnEnd = label.startsWith("-") || label.endsWith("-");
        return !label.isEmpty()
                && label.length() <= LONGEST_LABEL
                && !hyphenAtAnEnd
                && label.chars().allMatch(each -> (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '-' || each == '_');
    }

    private static boolean isNumber(String label) {
        return label.chars().allMatch(each -> each >= '0' && each <= '9') || label.matches("0x[0-9a-f]*");
    }

    @Override
    public int compareTo(HostName other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
