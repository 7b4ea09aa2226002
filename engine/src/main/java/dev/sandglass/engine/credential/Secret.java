package dev.sandglass.engine.credential;

import java.security.MessageDigest;

/** The value of a credential. Nothing that prints it shows it. Immutable. */
public final class Secret {
    /** The longest, in bytes of UTF-8. */
    public static final int LONGEST = 16 << 10;

    private final byte[] bytes;

    Secret(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    /** A copy, for the one who puts it into a request. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** In a time that tells nothing of where the difference is. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(bytes, secret.bytes);
    }

    /** The same for all: a number that is made of it would tell of it. */
    @Override
    public int hashCode() {
        return 0;
    }

    @Override
    public String toString() {
        return "***";
    }
}
