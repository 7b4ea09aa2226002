package dev.sandglass.wire.recipe;

import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.document.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The Dockerfile of a recipe, and what it may copy.
 *
 * @param context by paths relative to where it is
 */
record DockerfileText(String text, List<TemplateFile> context) {
    /** The one that stands in a recipe or beside it, if there is one. */
    static Optional<DockerfileText> of(Fields fields, TemplateText.Beside beside) {
        Optional<Value> inline = fields.find("dockerfile");
        Optional<Value> source = fields.find("dockerfile_source");
        if (inline.isPresent() && source.isPresent()) {
            throw fields.refused("dockerfile and dockerfile_source (expected: one of them)");
        }
        if (source.isPresent()) {
            Place named = source.get().place();
            String path = source.get().text();
            return Optional.of(of(path, new String(beside.read(path, named), StandardCharsets.UTF_8), Optional.of(path), named, beside));
        }
        return inline.map(value -> of(value.place() + ": dockerfile", value.text(), Optional.empty(), value.place(), beside));
    }

    private static DockerfileText of(String label, String text, Optional<String> file, Place named, TemplateText.Beside beside) {
        return new DockerfileText(text, beside.context(Dockerfile.read(label, text), file, named));
    }
}
