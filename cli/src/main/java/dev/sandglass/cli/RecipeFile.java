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
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files in which people write recipes, as this machine has them. */
final class RecipeFile {
    static final long MOST_FILE_BYTES = 700_000;
    private static final int MOST_TEXT_BYTES = Documents.MOST_CHARACTERS * 4;

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
            return Neighbour.of(directory, path, named).bytes(MOST_FILE_BYTES);
        }

        @Override
        public List<TemplateFile> context(Dockerfile dockerfile, Optional<String> file, Place named) {
            Path around = file.map(path -> Objects.requireNonNull(Neighbour.of(directory, path, named).real().getParent(), path)).orElse(directory);
            return new BuildContext(around).files(dockerfile, named);
        }
    }

    static String text(String file) {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            byte[] bytes = in.readNBytes(MOST_TEXT_BYTES + 1);
            if (bytes.length > MOST_TEXT_BYTES) {
                throw unreadable(file, "it has more than " + MOST_TEXT_BYTES + " bytes", null);
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException problem) {
            throw unreadable(file, "it is no text in UTF-8", problem);
        } catch (NoSuchFileException absent) {
            throw unreadable(file, "it is not there", absent);
        } catch (IOException | InvalidPathException problem) {
            throw unreadable(file, problem.toString(), problem);
        }
    }

    static SandglassException unreadable(String file, String why, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, file + " cannot be read: " + why, "Name a YAML file that this user may read.", cause);
    }
}
