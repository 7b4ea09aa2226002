package dev.sandglass.server.e2b.envd;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A part of a file that a client asks for. */
record ByteRange(long from, long length) {
    private static final Pattern FORM = Pattern.compile("bytes=([0-9]{0,18})-([0-9]{0,18})");

    /** Whether it begins within the file. */
    boolean isSatisfiable() {
        return length > 0;
    }

    String contentRange(long size) {
        return "bytes " + from + "-" + (from + length - 1) + "/" + size;
    }

    /** Nothing if all of the file is asked for, or several parts at once, which are answered with all of it. */
    static Optional<ByteRange> of(Optional<String> header, long size) {
        Matcher parts = FORM.matcher(header.orElse(""));
        if (!parts.matches() || (parts.group(1).isEmpty() && parts.group(2).isEmpty())) {
            return Optional.empty();
        }
        if (parts.group(1).isEmpty()) {
            long last = Math.min(Long.parseLong(parts.group(2)), size);
            return Optional.of(new ByteRange(size - last, last));
        }
        long from = Long.parseLong(parts.group(1));
        long to = parts.group(2).isEmpty() ? size - 1 : Math.min(Long.parseLong(parts.group(2)), size - 1);
        if (!parts.group(2).isEmpty() && Long.parseLong(parts.group(2)) < from) {
            return Optional.empty();
        }
        return Optional.of(new ByteRange(from, Math.max(0, to - from + 1)));
    }
}
