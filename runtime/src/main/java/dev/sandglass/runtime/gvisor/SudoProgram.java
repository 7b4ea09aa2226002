package dev.sandglass.runtime.gvisor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;

/** The image's sudo, over which the agent is bound: gVisor has no set-uid. */
final class SudoProgram {
    static final String PATH = "/usr/bin/sudo";

    private SudoProgram() {}

    /** Whether the root has it. The content is hostile: no link is followed. */
    static boolean isIn(Path root) throws IOException {
        try (DirectoryStream<Path> top = Files.newDirectoryStream(root);
                SecureDirectoryStream<Path> usr = below(top, "usr");
                SecureDirectoryStream<Path> bin = below(usr, "bin")) {
            return bin.getFileAttributeView(Path.of("sudo"), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isRegularFile();
        } catch (FileSystemException _) {
            return false; // it is not there, or a link is where a directory should be
        }
    }

    private static SecureDirectoryStream<Path> below(DirectoryStream<Path> directory, String name) throws IOException {
        if (directory instanceof SecureDirectoryStream<Path> secure) {
            return secure.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS);
        }
        throw new IOException("directories cannot be read relative to one another here");
    }
}
