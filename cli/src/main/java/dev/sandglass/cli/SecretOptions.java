package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where a secret comes from. Never from the argument list, which everybody on the machine can read. */
final class SecretOptions {
    /** More than the daemon takes, so that it is the daemon who says how much is too much. */
    private static final int READ_AT_MOST = 32 << 10;

    private final Syntax.Flag stdin;
    private final Syntax.Value variable;
    private final Syntax.Value file;
    private final List<String> names;

    /** Of {@code --value-stdin}, {@code --from-env} and {@code --from-file}. */
    SecretOptions(Syntax syntax) {
        this(syntax, "value", "--value-stdin", "--from-env", "--from-file");
    }

    /** @param what the secret is, in the help */
    SecretOptions(Syntax syntax, String what, String ofStdin, String ofVariable, String ofFile) {
        stdin = syntax.flag("Read the " + what + " from standard input; a line break at its end is left out.", ofStdin);
        variable = syntax.value("VAR", "Take the " + what + " of this environment variable.", ofVariable);
        file = syntax.value("FILE", "Read the " + what + " from a file; a line break at its end is left out.", ofFile);
        names = List.of(ofStdin, ofVariable, ofFile);
    }

    /** The secret, which must be told. */
    String value(Console console) {
        return given(console).orElseThrow(this::unclear);
    }

    /** The secret if one is told. */
    Optional<String> given(Console console) {
        long told = told();
        if (told > 1) {
            throw unclear();
        }
        return told == 0 ? Optional.empty() : Optional.of(read(console));
    }

    /** Whether one is told, wherever it is. */
    boolean isGiven() {
        return told() > 0;
    }

    private long told() {
        return Stream.of(stdin.isSet(), variable.orNull() != null, file.orNull() != null).filter(each -> each).count();
    }

    private UsageException unclear() {
        return new UsageException("Where is the value? (expected: one of " + names.get(0) + ", " + names.get(1) + " and " + names.get(2) + ")");
    }

    private String read(Console console) {
        if (variable.orNull() != null) {
            return Optional.ofNullable(console.environment().get(variable.orEmpty()))
                    .orElseThrow(() -> new UsageException(names.get(1) + ": there is no variable " + Inert.text(variable.orEmpty()) + " in the environment"));
        }
        String source = stdin.isSet() ? names.get(0) : names.get(2) + " " + Inert.text(file.orEmpty());
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
