package dev.sandglass.engine.oci;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an image is: a registry, a repository there, and a tag or a digest in it.
 *
 * @param registry host and port
 * @param tag what is asked for unless there is a digest
 */
public record Reference(String registry, String repository, Optional<String> tag, Optional<Digest> digest) {
    private static final Pattern REGISTRY = Pattern.compile("(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?|\\[[0-9a-fA-F:.]{2,45}])(?::[0-9]{1,5})?");
    private static final Pattern REPOSITORY = Pattern.compile("[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final int LONGEST = 255;
    private static final String LATEST = "latest";

    /**
     * Reads what somebody typed: {@code registry/name:tag@digest}, of which only the name must be there.
     *
     * @param standard the registry if none is named
     */
    public static Reference parse(String text, Optional<String> standard) {
        Parts parts = Parts.of(text);
        String registry = parts.registry.or(() -> standard).orElseThrow(() -> new SandglassException(
                ErrorCode.INVALID_REQUEST,
                "reference: " + Refusal.shown(text) + " names no registry (expected: REGISTRY/NAME[:TAG][@DIGEST])",
                "Write the registry's host before the name, or set image_registry in the daemon's settings."));
        Optional<String> tag = parts.digest.isPresent() ? parts.tag : parts.tag.or(() -> Optional.of(LATEST));
        return new Reference(registry, parts.repository, tag, parts.digest);
    }

    /** A name for an image that is here, as somebody typed it: with the tag that it means. */
    public static String name(String text) {
        Parts parts = Parts.of(text);
        return parts.tag.isEmpty() && parts.digest.isEmpty() ? text + ":" + LATEST : text;
    }

    /** The same for one that somebody gives to an image; a digest is not given, it follows from what is in a registry. */
    static String given(String text) {
        if (Parts.of(text).digest.isPresent()) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "name: " + Refusal.shown(text) + " has a digest (expected: [REGISTRY/]NAME[:TAG])", "Leave the digest out: `sandglass image pull` fetches an image by one.");
        }
        return name(text);
    }

    /** Whether that can be the host of a registry, with or without a port. */
    public static boolean isRegistry(String text) {
        return REGISTRY.matcher(text).matches();
    }

    /** What is asked for in the repository. */
    public String wanted() {
        return digest.map(Digest::text).orElseGet(tag::orElseThrow);
    }

    @Override
    public String toString() {
        return registry + "/" + repository + tag.map(text -> ":" + text).orElse("") + digest.map(known -> "@" + known).orElse("");
    }

    private record Parts(Optional<String> registry, String repository, Optional<String> tag, Optional<Digest> digest) {
        static Parts of(String text) {
            String rest = text;
            Optional<Digest> digest = Optional.empty();
            int at = rest.indexOf('@');
            if (at >= 0) {
                String told = rest.substring(at + 1);
                require(text, Digest.isDigest(told));
                digest = Optional.of(Digest.of(told));
                rest = rest.substring(0, at);
            }
            Optional<String> registry = Optional.empty();
            int slash = rest.indexOf('/');
            if (slash > 0 && isHost(rest.substring(0, slash))) {
                registry = Optional.of(rest.substring(0, slash));
                rest = rest.substring(slash + 1);
            }
            Optional<String> tag = Optional.empty();
            int colon = rest.indexOf(':');
            if (colon >= 0) {
                tag = Optional.of(rest.substring(colon + 1));
                rest = rest.substring(0, colon);
            }
            require(text, text.length() <= LONGEST * 2
                    && registry.stream().allMatch(Reference::isRegistry)
                    && rest.length() <= LONGEST
                    && REPOSITORY.matcher(rest).matches()
                    && tag.stream().allMatch(word -> TAG.matcher(word).matches()));
            return new Parts(registry, rest, tag, digest);
        }

        /** As everywhere: a first part with a dot or a port is a host, and so is this one. */
        private static boolean isHost(String first) {
            return first.indexOf('.') >= 0 || first.indexOf(':') >= 0 || first.equals("localhost");
        }

        private static void require(String text, boolean holds) {
            if (!holds) {
                throw new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "reference: " + Refusal.shown(text) + " (expected: [REGISTRY/]NAME[:TAG][@sha256:DIGITS], names in lower case)",
                        "Correct the value and try again.");
            }
        }
    }
}
