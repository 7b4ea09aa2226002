package dev.sandglass.client.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** Which names and link targets of an archive stay inside the directory it is unpacked in. */
final class Names {
    private static final int MAX_DEPTH = 256;
    private static final int MAX_COMPONENT_BYTES = 255;

    private Names() {}

    /** The components of a name; an archive with a name that leads out is refused whole. */
    static List<String> components(String name) {
        List<String> components = new ArrayList<>();
        if (name.startsWith("/")) {
            throw refused(name, "an absolute name");
        }
        for (String component : name.split("/")) {
            if (component.equals("..")) {
                throw refused(name, "a name that leads out of the directory");
            }
            if (component.indexOf('\0') >= 0 || component.length() > MAX_COMPONENT_BYTES) {
                throw refused(name, "a name that no file can have");
            }
            if (!component.isEmpty() && !component.equals(".")) {
                components.add(component);
            }
        }
        if (components.size() > MAX_DEPTH) {
            throw refused(name, "a name of more than " + MAX_DEPTH + " levels");
        }
        return components;
    }

    /**
     * Whether a symbolic link at that depth (0 for one in the directory itself) can only lead inside.
     *
     * <p>{@code ..} may stand only at the beginning: further on it could climb out through another link.
     */
    static boolean staysInside(String target, int depth) {
        if (target.isEmpty() || target.startsWith("/") || target.indexOf('\0') >= 0) {
            return false;
        }
        int climbed = 0;
        boolean descending = false;
        for (String component : target.split("/")) {
            if (component.equals("..")) {
                climbed++;
                if (descending || climbed > depth) {
                    return false;
                }
            } else if (!component.isEmpty() && !component.equals(".")) {
                descending = true;
            }
        }
        return true;
    }

    static SandglassException refused(String name, String why) {
        return new SandglassException(
                ErrorCode.ARCHIVE_REFUSED,
                "The archive has " + why + ": " + RawName.shown(name),
                "The sandbox may be hostile. What was unpacked before is kept.");
    }
}
