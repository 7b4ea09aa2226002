package dev.sandglass.pool.image;

import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.NameRoom;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.wire.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * SHA-256 over a tree: name, type, mode, owner, size, content, link target and attributes of everything in it, in one order. Names
 * count by their bytes, whatever the locale. Times do not count. For trees that nobody changes meanwhile; what is in them is hostile, so
 * their size is bounded.
 */
final class TreeDigest {
    /** Many times what an image has; holes count, because they are read. */
    private static final long MOST_BYTES = 16L << 30;
    /** What a name takes beside its text: a path, an attribute's hash. */
    private static final int EACH = 4 * NameRoom.EACH;

    private static final List<String> PREFIXES = List.of("user.", "trusted.", "security.capability", "system.posix_acl_");
    private static final String USUAL_ROOT = "40755 0 0";
    private static final int TYPE_MASK = 0xF000;
    private static final int REGULAR = 0x8000;
    private static final int DIRECTORY = 0x4000;
    private static final int LINK = 0xA000;

    private final MessageDigest digest = Sha256.begin();
    /** As it was before attributes and the root itself counted. */
    private final MessageDigest plain = Sha256.begin();

    private final NameRoom room;
    private boolean bare = true;
    private final byte[] buffer = new byte[128 * 1024];
    private long files;
    private long bytes;

    private TreeDigest(NameRoom room) {
        this.room = room;
    }

    /**
     * The digest in hexadecimal, how many entries the tree has, and the size of its files.
     *
     * @param plain the digest without attributes and without the root itself, as images of version 1 have it
     * @param bare whether the plain one leaves nothing out: no attributes, and the root is as every root
     */
    record Result(String sha256, String plain, boolean bare, long files, long bytes) {
        /** The one that an image of that version has. */
        String of(int version) {
            return version == 1 ? plain : sha256;
        }
    }

    static Result of(Path tree) throws IOException {
        try (NameRoom room = new NameRoom()) {
            TreeDigest walk = new TreeDigest(room);
            walk.root(tree);
            walk.directory(tree, "");
            return new Result(hex(walk.digest), hex(walk.plain), walk.bare, walk.files, walk.bytes);
        }
    }

    private void root(Path tree) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(tree, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
        String facts = Integer.toOctalString((int) number(attributes, "mode")) + " " + number(attributes, "uid") + " " + number(attributes, "gid");
        try (OpenDirectory open = OpenDirectory.of(tree)) {
            digest.update(("/ " + facts + attributes(open.attributes()) + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        bare &= facts.equals(USUAL_ROOT);
    }

    private record Named(String name, Path path, String attributes) {}

    private void directory(Path directory, String name) throws IOException {
        long before = room.held();
        List<Named> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
                OpenDirectory open = OpenDirectory.of(directory)) {
            for (Path path : stream) {
                String encoded = encoded(path.getFileName());
                room.take(EACH + 2L * encoded.length() + path.toString().length());
                entries.add(new Named(encoded, path, attributes(open.attributes(bytes(encoded)))));
            }
        }
        entries.sort(Comparator.comparing(Named::name));
        for (Named entry : entries) {
            entry(entry, name + entry.name());
        }
        room.backTo(before);
    }

    /** Of those that go with an image wherever it goes; empty if there are none. */
    private String attributes(List<ExtendedAttribute> found) {
        List<ExtendedAttribute> kept = found.stream().filter(each -> PREFIXES.stream().anyMatch(each::hasPrefix)).toList();
        if (kept.isEmpty()) {
            return "";
        }
        bare = false;
        MessageDigest all = Sha256.begin();
        for (ExtendedAttribute attribute : kept) {
            for (byte[] part : List.of(attribute.name(), attribute.value())) {
                all.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
                all.update(part);
            }
        }
        return " " + hex(all);
    }

    private void entry(Named entry, String name) throws IOException {
        Path path = entry.path();
        Map<String, Object> attributes =
                Files.readAttributes(path, "unix:mode,uid,gid,size,rdev", LinkOption.NOFOLLOW_LINKS);
        int mode = (int) number(attributes, "mode");
        int type = mode & TYPE_MASK;
        long size = number(attributes, "size");
        if (type == REGULAR && size > MOST_BYTES - bytes) {
            throw new IOException("its files have more than " + (MOST_BYTES >> 30) + " GiB");
        }
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
                content);
        digest.update((line + entry.attributes() + "\n").getBytes(StandardCharsets.US_ASCII));
        plain.update((line + "\n").getBytes(StandardCharsets.US_ASCII));
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
        return hex(file);
    }

    private static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The name that was encoded. */
    private static byte[] bytes(String encoded) {
        ByteBuffer name = ByteBuffer.allocate(encoded.length());
        for (int at = 1; at < encoded.length(); at++) {
            if (encoded.charAt(at) == '%') {
                name.put((byte) HexFormat.fromHexDigits(encoded, at + 1, at + 3));
                at += 2;
            } else {
                name.put((byte) encoded.charAt(at));
            }
        }
        return Arrays.copyOf(name.array(), name.position());
    }

    /** A path's bytes in ASCII; a URI is the one place where the JDK shows them as they are. */
    private static String encoded(Path path) {
        String text = Path.of("/").resolve(path).toUri().getRawPath().replaceFirst("/$", "");
        return path.isAbsolute() ? "/" + text : text;
    }
}
