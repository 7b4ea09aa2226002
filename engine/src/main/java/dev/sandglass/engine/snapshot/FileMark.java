package dev.sandglass.engine.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;

/**
 * Which file it is, and as of when: the inode, its size and its time. Written on the file itself it says that this daemon has dealt with
 * it: a copy or a changed file has another.
 */
record FileMark(String text) {
    private static final String ATTRIBUTE = "sandglass.known";
    private static final int MOST = 128;

    static FileMark of(Path file) throws IOException {
        Object inode = Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        Object time = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
        return new FileMark(inode + " " + Files.size(file) + " " + time);
    }

    /** Puts it on the file, where the filesystem can. */
    void set(Path file) {
        try {
            view(file).write(ATTRIBUTE, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException | UnsupportedOperationException without) {
            // The daemon knows it as long as it runs; afterwards the name is taken, or the file comes in once more.
        }
    }

    /** Whether it is on the file. */
    boolean isOn(Path file) {
        try {
            UserDefinedFileAttributeView view = view(file);
            if (!view.list().contains(ATTRIBUTE) || view.size(ATTRIBUTE) > MOST) {
                return false;
            }
            ByteBuffer value = ByteBuffer.allocate(MOST);
            view.read(ATTRIBUTE, value);
            return new String(value.array(), 0, value.position(), StandardCharsets.US_ASCII).equals(text);
        } catch (IOException | UnsupportedOperationException without) {
            return false;
        }
    }

    private static UserDefinedFileAttributeView view(Path file) {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (view == null) {
            throw new UnsupportedOperationException("no attributes");
        }
        return view;
    }
}
