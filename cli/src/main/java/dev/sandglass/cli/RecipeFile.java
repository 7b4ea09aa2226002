package dev.sandglass.cli;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.recipe.ComponentText;
import dev.sandglass.wire.recipe.TemplateText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file in which people write recipes, as this machine has it.
 *
 * @param name as errors call it
 * @param directory what it names is there, or below
 */
record RecipeFile(String name, Path directory, String text) {
    static final long MOST_FILE_BYTES = 700_000;
    private static final int MOST_TEXT_BYTES = Documents.MOST_CHARACTERS * 4;
    private static final String STANDARD_INPUT = "-";
    private static final String DOCKERFILE = "dockerfile";
    /** A Dockerfile whose name nobody but the reader of files knows, before a place in it. */
    private static final Pattern LINE = Pattern.compile("^" + DOCKERFILE + "(?=:[0-9]+:[0-9]+: )");
    /** A field of a request, at the beginning of what is wrong with it: {@code services[0].port}. */
    private static final Pattern FIELD = Pattern.compile("[a-z_]+(?:\\[[0-9]+]|\\.[A-Za-z0-9_]+)*(?=[:,] )");

    /** @param standardInput what is read where the file is {@code -} */
    static RecipeFile read(String file, InputStream standardInput) {
        boolean given = file.equals(STANDARD_INPUT);
        String name = given ? "standard input" : file;
        try (InputStream in = given ? standardInput : Files.newInputStream(Path.of(file))) {
            byte[] bytes = in.readNBytes(MOST_TEXT_BYTES + 1);
            if (bytes.length > MOST_TEXT_BYTES) {
                throw unreadable(name, "it has more than " + MOST_TEXT_BYTES + " bytes", null);
            }
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return new RecipeFile(name, Objects.requireNonNull(Path.of(file).toAbsolutePath().getParent(), file), text);
        } catch (CharacterCodingException problem) {
            throw unreadable(name, "it is no text in UTF-8", problem);
        } catch (IOException problem) {
            throw unreadable(name, reason(problem), problem);
        } catch (InvalidPathException problem) {
            throw unreadable(name, "no file has such a name", problem);
        }
    }

    ComponentText.Contents components() {
        return ComponentText.read(name, text, "file");
    }

    /**
     * A template, with the content of the files that it names, which are beside it.
     *
     * @param named counts more than the name in the file
     */
    Template template(@Nullable String named) {
        return TemplateText.read(name, text, named, new Neighbours(directory));
    }

    /** A template of a Dockerfile alone, with what it copies. */
    Template dockerfile(String template, @Nullable String description, Map<String, String> values) {
        List<TemplateFile> context = new BuildContext(directory).files(Dockerfile.read(name, text), new Place(name, 1, 1));
        return new Template(
                template, description, null, null, text, context.isEmpty() ? null : context, null, null, values.isEmpty() ? null : values, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** What the daemon says about a field of a recipe, with the place where that stands. */
    SandglassException placed(SandglassException refused) {
        Fields fields = Documents.read(name, text);
        Matcher field = FIELD.matcher(refused.what());
        if (field.lookingAt()) {
            return fields.place(field.group()).map(place -> told(refused, place + ": " + refused.what())).orElse(refused);
        }
        String dockerfile = Optional.ofNullable(fields.text("dockerfile_source")).or(() -> fields.place("dockerfile").map(place -> place + ": dockerfile")).orElse(DOCKERFILE);
        return placedInDockerfile(refused, dockerfile);
    }

    /** The same about a line of a Dockerfile. */
    SandglassException placedInDockerfile(SandglassException refused) {
        return placedInDockerfile(refused, name);
    }

    private static SandglassException placedInDockerfile(SandglassException refused, String dockerfile) {
        return told(refused, LINE.matcher(refused.what()).replaceFirst(Matcher.quoteReplacement(dockerfile)));
    }

    private static SandglassException told(SandglassException refused, String what) {
        return new SandglassException(refused.code(), what, refused.hint().contains("/openapi.json") ? "Correct the file at that place." : refused.hint(), refused);
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

    /** Why a file cannot be read, in the words of people. */
    static String reason(IOException problem) {
        return switch (problem) {
            case NoSuchFileException _ -> "it is not there";
            case AccessDeniedException _ -> "this user may not read it";
            case FileSystemException other -> Objects.requireNonNullElse(other.getReason(), other.getClass().getSimpleName());
            default -> Objects.requireNonNullElse(problem.getMessage(), problem.getClass().getSimpleName());
        };
    }

    private static SandglassException unreadable(String file, String why, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, file + " cannot be read: " + why, "Name a file that this user may read.", cause);
    }
}
