package dev.sandglass.network.sniff;

import java.nio.ByteBuffer;

/** How far bytes begin with a text. */
enum Prefix {
    /** They do. */
    WHOLE,
    /** They may, when there are more. */
    PART,
    NONE;

    static Prefix of(ByteBuffer bytes, String text) {
        int compared = Math.min(bytes.remaining(), text.length());
        for (int index = 0; index < compared; index++) {
            if (bytes.get(bytes.position() + index) != text.charAt(index)) {
                return NONE;
            }
        }
        return compared == text.length() ? WHOLE : PART;
    }
}
