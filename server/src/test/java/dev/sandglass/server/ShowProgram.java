package dev.sandglass.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A program that needs nothing of an image: it prints who it is, where, its words, and the content of files that they name. Made once. */
final class ShowProgram {
    private static final String SOURCE =
            """
            #include <fcntl.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            int main(int count, char **words) {
                char text[4096];
                printf("uid %d gid %d in %s A=%s B=%s\\n", getuid(), getgid(), getcwd(text, sizeof text), getenv("A"), getenv("B"));
                for (int i = 1; i < count; i++) {
                    int file = open(words[i], O_RDONLY);
                    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text);
                    printf("%s: %.*s%s", words[i], length < 0 ? 0 : (int)length, text, length < 0 ? "nothing\\n" : "");
                }
                return 0;
            }
            """;
    private static byte @Nullable [] made;

    private ShowProgram() {}

    static synchronized byte[] bytes() {
        if (made == null) {
            try {
                Path directory = Files.createTempDirectory("show");
                Path source = Files.writeString(directory.resolve("show.c"), SOURCE);
                Path program = directory.resolve("show");
                Process compiler = new ProcessBuilder("gcc", "-static", "-Os", "-s", "-o", program.toString(), source.toString()).inheritIO().start();
                if (compiler.waitFor() != 0) {
                    throw new AssertionError("gcc failed");
                }
                made = Files.readAllBytes(program);
                Files.delete(program);
                Files.delete(source);
                Files.delete(directory);
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        }
        return made.clone();
    }
}
