package dev.sandglass.engine.template;

import dev.sandglass.engine.life.Rules;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerStep;
import dev.sandglass.wire.dockerfile.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds among the files beside a Dockerfile those that an instruction copies, and where each goes. Touches nothing. */
final class Copying {
    private Copying() {}

    static Step.Copy step(DockerStep.Copy copy, List<TemplateFile> context) {
        List<TemplateFile> files = new ArrayList<>();
        boolean intoDirectory = copy.isDirectory();
        for (Source source : copy.sources()) {
            int before = files.size();
            for (TemplateFile file : context) {
                Optional<Source.Match> match = source.match(file.path());
                if (match.isPresent()) {
                    intoDirectory |= !match.get().directly();
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

    private static TemplateFile named(String name, TemplateFile file) {
        return new TemplateFile(name, file.content(), file.contentBase64(), file.mode(), null);
    }
}
