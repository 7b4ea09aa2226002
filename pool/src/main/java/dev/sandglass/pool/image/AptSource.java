package dev.sandglass.pool.image;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One suite of one package archive.
 *
 * @param options as in the one-line format, without signed-by
 * @param signedBy a path to a keyring, or the text of a key itself
 */
record AptSource(String uri, String suite, List<String> components, List<String> options, Optional<String> signedBy) {
    AptSource withSuite(String other) {
        return new AptSource(uri, other, components, options, signedBy);
    }

    AptSource signedBy(String keyring) {
        return new AptSource(uri, suite, components, options, Optional.of(keyring));
    }

    /** The same without a user name and a password in the address: they are secrets of the host. */
    AptSource withoutSecrets() {
        return new AptSource(withoutSecrets(uri), suite, components, options, signedBy);
    }

    /** A text in which all addresses are without user names and passwords. */
    static String withoutSecrets(String text) {
        return text.replaceAll("://[^/@\\s]*@", "://");
    }

    boolean hasInlineKey() {
        return signedBy.filter(key -> key.contains("BEGIN PGP")).isPresent();
    }

    String toLine() {
        List<String> all = new ArrayList<>(options);
        signedBy.ifPresent(path -> all.add("signed-by=" + path));
        String bracket = all.isEmpty() ? "" : "[" + String.join(" ", all) + "] ";
        return "deb " + bracket + uri + " " + suite + " " + String.join(" ", components);
    }
}
