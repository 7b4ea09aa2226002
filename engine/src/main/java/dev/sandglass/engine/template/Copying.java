package dev.sandglass.engine.template;

import dev.sandglass.engine.life.Rules;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerStep;
import dev.sandglass.wire.dockerfile.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds among the files beside a Dockerfile those that its instructions copy, and where each goes. Touches nothing; used by one thread, once. */
final class Copying {
    private static final int MOST_OF_ONE = 2000;
    private static final int MOST = 20_000;
    private static final long MOST_CHARACTERS = 1 << 25;

    private final List<TemplateFile> context;
    private int copied;
    private long characters;

    Copying(List<TemplateFile> context) {
        this.context = context;
    }

    Step.Copy step(DockerStep.Copy copy) {
        List<TemplateFile> files = new ArrayList<>();
        boolean intoDirectory = copy.isDirectory();
        for (Source source : copy.sources()) {
            int before = files.size();
            for (TemplateFile file : context) {
                Optional<Source.Match> match = source.match(file.path());
                if (match.isPresent()) {
                    intoDirectory |= !match.get().directly();
                    count(copy, file, files.size());
                    files.add(named(match.get().name(), file));
                }
            }
            intoDirectory |= files.size() > before + 1;
            if (files.size() == before && !(source.isPattern() && copy.sources().size() > 1)) {
                throw new SandglassException(
                        ErrorCode.INVALID_REQUEST, source.place() + ": " + Rules.printable(source.path()) + " is not there (expected: a file or a directory with files beside the Dockerfile)", "See what .dockerignore leaves out, too.");
            }
        }
        copy.inline().forEach((name, content) -> files.add(new TemplateFile(name, content, null, null, null)));
        boolean single = !intoDirectory && files.size() == 1;
        Optional<String> mode = Optional.ofNullable(copy.mode());
        return new Step.Copy(copy.shown(), copy.target(), !single, Optional.ofNullable(copy.owner()), mode, List.copyOf(files));
    }

    /** The same file may be copied by any number of words. */
    private void count(DockerStep.Copy copy, TemplateFile file, int before) {
        characters += Stream.of(file.content(), file.contentBase64()).filter(Objects::nonNull).mapToLong(String::length).sum();
        if (before == MOST_OF_ONE || ++copied > MOST || characters > MOST_CHARACTERS) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    copy.place() + ": too much is copied (expected: at most " + MOST_OF_ONE + " files here, and " + MOST + " files and " + (MOST_CHARACTERS >> 20) + " MiB of them, encoded, in all instructions, each as often as it is copied)",
                    "Copy directories once, and the rest in a RUN.");
        }
    }

    private static TemplateFile named(String name, TemplateFile file) {
        return new TemplateFile(name, file.content(), file.contentBase64(), file.mode(), null);
    }
}
