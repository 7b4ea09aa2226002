package dev.sandglass.cli.copy;

import org.jspecify.annotations.Nullable;

/** One end of a copy: a path here (no sandbox), or {@code SANDBOX:PATH}. */
public record Place(@Nullable String sandbox, String path) {
    /** A colon before any slash makes it a place in a sandbox; {@code ./a:b} is a local file. */
    public static Place parse(String text) {
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        if (colon <= 0 || (slash >= 0 && slash < colon) || text.startsWith(".")) {
            return new Place(null, text);
        }
        String path = text.substring(colon + 1);
        return new Place(text.substring(0, colon), path.isEmpty() ? "." : path);
    }

    /** Whether the content of a directory is meant, and not the directory itself. */
    boolean contentOnly() {
        return path.endsWith("/.") || baseName().isEmpty();
    }

    /** The last component; empty where it names no entry of its own ({@code /}, {@code .}, {@code ..}, {@code ~}). */
    String baseName() {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        String name = path.substring(path.lastIndexOf('/', end - 1) + 1, end);
        return name.equals(".") || name.equals("..") || name.equals("~") ? "" : name;
    }

    /** The path of the directory that holds the last component; empty where there is no such component. */
    String parent() {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        if (baseName().isEmpty()) {
            return "";
        }
        int slash = path.lastIndexOf('/', end - 1);
        return slash < 0 ? "." : slash == 0 ? "/" : path.substring(0, slash);
    }

    /** The path of an entry inside this directory. */
    String child(String name) {
        return path.endsWith("/") ? path + name : path + "/" + name;
    }
}
