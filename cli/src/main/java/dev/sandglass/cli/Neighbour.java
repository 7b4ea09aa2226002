package dev.sandglass.cli;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.document.Place;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that another file names. It stands beside that or below, wherever links lead, so that whoever runs what others wrote gives nothing else away.
 *
 * @param named as it was named
 * @param real where it is, without links
 */
record Neighbour(String named, Path real, Place place) {
    /** @param directory that of the file that names it */
    static Neighbour of(Path directory, String named, Place place) {
        try {
            Path around = directory.toRealPath();
            Path real = around.resolve(named).toRealPath();
            if (!real.startsWith(around)) {
                throw refused(place, named, "is elsewhere", null);
            }
            if (!Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
                throw refused(place, named, "is no file", null);
            }
            return new Neighbour(named, real, place);
        } catch (NoSuchFileException absent) {
            throw refused(place, named, "is not there", absent);
        } catch (IOException | InvalidPathException problem) {
            throw refused(place, named, "cannot be read: " + problem, problem);
        }
    }

    /** Its bytes, which are refused if they are more than that. */
    byte[] bytes(long most) {
        try (InputStream in = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(Math.toIntExact(most + 1));
            if (bytes.length > most) {
                throw new SandglassException(
                        ErrorCode.TOO_LARGE,
                        place + ": " + named + " has more than " + most + " bytes (it has " + Files.size(real) + ")",
                        "Fetch what is larger in setup, or copy it into a sandbox and make the template of that.");
            }
            return bytes;
        } catch (IOException problem) {
            throw refused(place, named, "cannot be read: " + problem, problem);
        }
    }

    private static SandglassException refused(Place place, String named, String why, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, place + ": " + named + " " + why + " (expected: a file beside the one that names it, or below)", "Copy it there; links are followed where they stay there.", cause);
    }
}
