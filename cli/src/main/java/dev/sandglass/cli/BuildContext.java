package dev.sandglass.cli;

import dev.sandglass.client.archive.Permissions;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Place;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The files around a Dockerfile, but for those that {@code .dockerignore} leaves out: what it may copy of them goes with the template. */
record BuildContext(Path directory) {
    private static final int MOST_FILES = 2000;
    private static final int MOST_SEEN = 200_000;

    /** @param named where the Dockerfile is named, for an error */
    List<TemplateFile> files(Dockerfile dockerfile, Place named) {
        List<TemplateFile> files = new ArrayList<>();
        try {
            Path around = directory.toRealPath();
            IgnoredFiles ignored = IgnoredFiles.of(around, named);
            Files.walkFileTree(around, new SimpleFileVisitor<>() {
                private int seen;
                private long bytes;

                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                    return !path.equals(around) && ignored.leavesOutAll(around.relativize(path)) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                    String name = around.relativize(path).toString();
                    if (++seen > MOST_SEEN) {
                        throw refused(named, "more than " + MOST_SEEN + " files stand beside the Dockerfile", "Give it a directory of its own, or leave directories out with .dockerignore.");
                    }
                    if (ignored.leavesOut(around.relativize(path)) || !dockerfile.takes(name)) {
                        return FileVisitResult.CONTINUE;
                    }
                    if (!attributes.isRegularFile()) {
                        throw refused(named, name + " is no file (expected: files and directories, and no links)", "Leave it out with .dockerignore, and make it in a RUN.");
                    }
                    byte[] content = start(path, RecipeFile.MOST_FILE_BYTES + 1 - bytes);
                    bytes += content.length;
                    if (bytes > RecipeFile.MOST_FILE_BYTES || files.size() == MOST_FILES) {
                        throw new SandglassException(
                                ErrorCode.TOO_LARGE,
                                named + ": the Dockerfile copies more than " + RecipeFile.MOST_FILE_BYTES + " bytes or " + MOST_FILES + " files (" + name + " was one too many)",
                                "Leave out with .dockerignore what is not needed; fetch what is larger in a RUN, or copy it into a sandbox and make the template of that.");
                    }
                    files.add(new TemplateFile(name, null, Base64.getEncoder().encodeToString(content), mode(path), null));
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException problem) {
            String which = problem instanceof FileSystemException one ? one.getFile() : "what stands beside the Dockerfile";
            throw new SandglassException(ErrorCode.INVALID_REQUEST, named + ": " + which + " cannot be read: " + RecipeFile.reason(problem), "Let this user read it, or leave it out with .dockerignore.", problem);
        }
        files.sort((one, other) -> one.path().compareTo(other.path()));
        return files;
    }

    /** Not more than that, whatever its size is said to be. */
    private static byte[] start(Path path, long most) throws IOException {
        try (InputStream in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(Math.toIntExact(most));
        }
    }

    private static SandglassException refused(Place named, String what, String hint) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, named + ": " + what, hint);
    }

    private static String mode(Path path) throws IOException {
        return String.format("%04o", Permissions.mode(path) & 0777);
    }
}
