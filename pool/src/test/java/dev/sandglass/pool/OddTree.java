package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.linux.Trees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;

/** A tree with everything that a careless copy loses. */
public final class OddTree {
    private OddTree() {}

    public static void fill(Path tree) throws IOException {
        Shell.run(tree, """
                mkdir -p sub/empty .hidden
                printf content > sub/file && chown 1234:4321 sub/file && chmod 4750 sub/file
                ln sub/file sub/hard-link
                ln -s ../nowhere/at/all dangling && chown -h 77:78 dangling
                mkfifo fifo && mknod whiteout c 0 0 && mknod block b 7 250
                touch "$(printf 'new\\nline')" "$(printf 'broken-\\377\\376')" "$(printf '%0255d' 0)" ' lead and trail '
                truncate -s 1G hole && printf end >> hole
                touch -d '1999-12-31 23:59:59.123456789 UTC' sub/file && touch -h -d '2001-01-01 UTC' dangling
                chmod 1777 .hidden && touch -d '2002-02-02 UTC' sub/empty
                """);
        Files.getFileAttributeView(tree.resolve("sub/file"), UserDefinedFileAttributeView.class)
                .write("origin", ByteBuffer.wrap(new byte[] {1, 0, 2}));
        Files.getFileAttributeView(tree.resolve("sub"), UserDefinedFileAttributeView.class)
                .write("opaque", ByteBuffer.wrap(new byte[] {'y'}));
    }

    public static void assertSame(Path copy, Path source) throws IOException {
        assertThat(listing(copy)).isEqualTo(listing(source)).contains("hole", "whiteout", "4750");
        assertThat(copy.resolve("sub/file")).hasContent("content");
        assertThat(Files.isSameFile(copy.resolve("sub/file"), copy.resolve("sub/hard-link"))).isTrue();
        assertThat(Files.getAttribute(copy.resolve("whiteout"), "unix:rdev", LinkOption.NOFOLLOW_LINKS)).isEqualTo(0L);
        assertThat(Trees.usedBytes(copy)).as("bytes on disk with a 1 GiB hole").isLessThan(64 << 20);
        assertThat(attribute(copy.resolve("sub/file"), "origin")).containsExactly(1, 0, 2);
        assertThat(attribute(copy.resolve("sub"), "opaque")).containsExactly('y');
    }

    /** Name, type, mode, owner, size, link count, time and link target of everything. */
    private static String listing(Path tree) {
        List<String> lines = Shell.run(
                        tree,
                        "find . -mindepth 1 \\( -type d -printf '%p %y %m %U %G %T@\\n' \\) -o -printf '%p %y %m %U %G %s %n %T@ %l|\\n'")
                .lines()
                .sorted()
                .toList();
        return String.join("\n", lines);
    }

    private static byte[] attribute(Path file, String name) throws IOException {
        var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        ByteBuffer value = ByteBuffer.allocate(view.size(name));
        view.read(name, value);
        return value.array();
    }
}
