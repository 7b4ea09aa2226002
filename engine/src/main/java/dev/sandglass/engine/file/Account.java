package dev.sandglass.engine.file;

/** A user of a sandbox, as its own files say, which are not trusted. */
public record Account(String sandbox, String name, String home) {
    /** What a path of this user's means; a relative one begins at home. */
    public String absolute(String path) {
        if (path.startsWith("/")) {
            return path;
        }
        if (path.equals("~") || path.startsWith("~/")) {
            return home + path.substring(1);
        }
        return path.isEmpty() ? home : home + (home.endsWith("/") ? "" : "/") + path;
    }
}
