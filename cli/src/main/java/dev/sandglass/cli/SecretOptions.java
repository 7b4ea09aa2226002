package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Where a secret comes from. Never from the argument list, which everybody on the machine can read. */
final class SecretOptions {
    /** More than the daemon takes, so that it is the daemon who says how much is too much. */
    private static final int READ_AT_MOST = 32 << 10;

    private final Syntax.Flag stdin;
    private final Syntax.Value variable;
    private final Syntax.Value file;

    SecretOptions(Syntax syntax) {
        stdin = syntax.flag("Read the value from standard input; a line break at its end is left out.", "--value-stdin");
        variable = syntax.value("VAR", "Take the value of this environment variable.", "--from-env");
        file = syntax.value("FILE", "Read the value from a file; a line break at its end is left out.", "--from-file");
    }

    String value(Console console) {
        long told = Stream.of(stdin.isSet(), variable.orNull() != null, file.orNull() != null).filter(each -> each).count();
        if (told != 1) {
            throw new UsageException("Where is the value? (expected: one of --value-stdin, --from-env and --from-file)");
        }
        if (variable.orNull() != null) {
            return Optional.ofNullable(console.environment().get(variable.orEmpty()))
                    .orElseThrow(() -> new UsageException("--from-env: there is no variable " + Inert.text(variable.orEmpty()) + " in the environment"));
        }
        String source = stdin.isSet() ? "--value-stdin" : "--from-file " + Inert.text(file.orEmpty());
        try (InputStream input = stdin.isSet() ? console.in() : Files.newInputStream(Path.of(file.orEmpty()))) {
            return text(source, input.readNBytes(READ_AT_MOST));
        } catch (IOException problem) {
            throw new UsageException(source + ": it cannot be read: " + problem.getClass().getSimpleName());
        }
    }

    private static String text(String source, byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.replaceFirst("\\r?\\n\\z", "");
        } catch (CharacterCodingException binary) {
            throw new UsageException(source + ": it is not text in UTF-8");
        }
    }
}
