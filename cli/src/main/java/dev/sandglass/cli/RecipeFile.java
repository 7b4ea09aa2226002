package dev.sandglass.cli;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.recipe.ComponentText;
import dev.sandglass.wire.recipe.TemplateText;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files in which people write recipes, as this machine has them. */
final class RecipeFile {
    static final long MOST_FILE_BYTES = 700_000;

    private RecipeFile() {}

    static ComponentText.Contents components(String file) {
        return ComponentText.read(file, text(file), "file");
    }

    /**
     * A template, with the content of the files that it names, which are beside it.
     *
     * @param named counts more than the name in the file
     */
    static Template template(String file, @Nullable String named) {
        Path directory = Objects.requireNonNull(Path.of(file).toAbsolutePath().getParent(), file);
        return TemplateText.read(file, text(file), named, new Neighbours(directory));
    }

    /** A template of a Dockerfile alone, with what it copies. */
    static Template dockerfile(String file, String name, @Nullable String description, Map<String, String> values) {
        Path directory = Objects.requireNonNull(Path.of(file).toAbsolutePath().getParent(), file);
        String text = text(file);
        List<TemplateFile> context = new BuildContext(directory).files(Dockerfile.read(file, text), new Place(file, 1, 1));
        return new Template(
                name, description, null, null, text, context.isEmpty() ? null : context, null, null, values.isEmpty() ? null : values, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** What stands beside the file of a template. */
    private record Neighbours(Path directory) implements TemplateText.Beside {
        @Override
        public byte[] read(String path, Place named) {
            return beside(directory, path, named);
        }

        @Override
        public List<TemplateFile> context(Dockerfile dockerfile, Optional<String> file, Place named) {
            Path around = file.map(path -> Objects.requireNonNull(directory.resolve(path).getParent(), path)).orElse(directory);
            return new BuildContext(around).files(dockerfile, named);
        }
    }

    private static byte[] beside(Path directory, String path, Place place) {
        try {
            Path source = directory.resolve(path).normalize();
            if (Files.size(source) > MOST_FILE_BYTES) {
                throw new SandglassException(
                        ErrorCode.TOO_LARGE, place + ": " + path + " has " + Files.size(source) + " bytes (expected: at most " + MOST_FILE_BYTES + ")", "Fetch what is larger in setup, or copy it into a sandbox and make the template of that.");
            }
            return Files.readAllBytes(source);
        } catch (IOException | InvalidPathException problem) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, place + ": " + path + " cannot be read: " + problem, "Name a file that stands beside that of the template.", problem);
        }
    }

    static String text(String file) {
        try {
            Path path = Path.of(file);
            long size = Files.size(path);
            if (size > Documents.MOST_CHARACTERS * 4L) {
                throw unreadable(file, "it has " + size + " bytes", null);
            }
            return Files.readString(path);
        } catch (MalformedInputException problem) {
            throw unreadable(file, "it is no text in UTF-8", problem);
        } catch (IOException | InvalidPathException problem) {
            throw unreadable(file, problem.toString(), problem);
        }
    }

    static SandglassException unreadable(String file, String why, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, file + " cannot be read: " + why, "Name a YAML file that this user may read.", cause);
    }
}
