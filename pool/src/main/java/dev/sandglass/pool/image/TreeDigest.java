package dev.sandglass.pool.image;

import dev.sandglass.wire.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * SHA-256 over a tree: name, type, mode, owner, size, content and link target of everything in it, in one order. Names
 * count by their bytes, whatever the locale. Times do not count. For trees that nobody changes meanwhile.
 */
final class TreeDigest {
    private static final int TYPE_MASK = 0xF000;
    private static final int REGULAR = 0x8000;
    private static final int DIRECTORY = 0x4000;
    private static final int LINK = 0xA000;

    private final MessageDigest digest = Sha256.begin();
    private final byte[] buffer = new byte[128 * 1024];
    private long files;
    private long bytes;

    private TreeDigest() {}

    /** The digest in hexadecimal, how many entries the tree has, and the size of its files. */
    record Result(String sha256, long files, long bytes) {}

    static Result of(Path tree) throws IOException {
        TreeDigest walk = new TreeDigest();
        walk.directory(tree, "");
        return new Result(HexFormat.of().formatHex(walk.digest.digest()), walk.files, walk.bytes);
    }

    private void directory(Path directory, String name) throws IOException {
        record Named(String name, Path path) {}
        List<Named> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path path : stream) {
                entries.add(new Named(encoded(path.getFileName()), path));
            }
        }
        entries.sort(Comparator.comparing(Named::name));
        for (Named entry : entries) {
            entry(entry.path(), name + entry.name());
        }
    }

    private void entry(Path path, String name) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(path, "unix:mode,uid,gid,size,rdev", LinkOption.NOFOLLOW_LINKS);
        int mode = (int) number(attributes, "mode");
        int type = mode & TYPE_MASK;
        long size = number(attributes, "size");
        String content =
                switch (type) {
                    case REGULAR -> size + " " + content(path);
                    case LINK -> encoded(Files.readSymbolicLink(path));
                    case DIRECTORY -> "";
                    default -> Long.toString(number(attributes, "rdev"));
                };
        String line = String.join(
                " ",
                name,
                Integer.toOctalString(mode),
                Long.toString(number(attributes, "uid")),
                Long.toString(number(attributes, "gid")),
                content + "\n");
        digest.update(line.getBytes(StandardCharsets.US_ASCII));
        files++;
        if (type == REGULAR) {
            bytes += size;
        } else if (type == DIRECTORY) {
            directory(path, name);
        }
    }

    private static long number(Map<String, Object> attributes, String name) {
        return attributes.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private String content(Path path) throws IOException {
        MessageDigest file = Sha256.begin();
        try (InputStream input = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
                file.update(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(file.digest());
    }

    /** A path's bytes in ASCII; a URI is the one place where the JDK shows them as they are. */
    private static String encoded(Path path) {
        String text = Path.of("/").resolve(path).toUri().getRawPath().replaceFirst("/$", "");
        return path.isAbsolute() ? "/" + text : text;
    }
}
