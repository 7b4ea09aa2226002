package dev.sandglass.server;

import dev.sandglass.engine.template.BuiltIns;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/** Which of the templates that Sandglass brings along its owner wants: all if he does not say, else those of a list, each with what is to be otherwise. */
final class BuiltInChoice {
    static final String SETTING = "builtin_templates";
    /** Stands for a list of the file, whose entries may be more than words. */
    static final String IN_THE_FILE = "*";

    private static final String NONE = "none";
    private static final long MOST_POOL = 1 << 20;

    private BuiltInChoice() {}

    static List<Template> of(Settings settings) {
        Optional<String> said = settings.text(SETTING);
        if (said.isEmpty()) {
            return BuiltIns.all();
        }
        try {
            if (said.get().equals(IN_THE_FILE)) {
                Value list = Documents.read(settings.file().toString(), Files.readString(settings.file())).need(SETTING);
                return list.items().stream().map(BuiltInChoice::one).toList();
            }
            return said.get().equals(NONE) ? List.of() : settings.words(SETTING).stream().map(BuiltIns::get).toList();
        } catch (SandglassException problem) {
            throw settings.invalid(problem);
        } catch (IOException problem) {
            throw settings.invalid(SETTING, "a file that can be read", problem);
        }
    }

    private static Template one(Value entry) {
        if (!entry.isMapping()) {
            return BuiltIns.get(entry.text());
        }
        Fields fields = entry.fields().only("name", "version", "image", "pool");
        TemplatePool pool = fields.find("pool").map(value -> {
            Fields numbers = value.fields().only("min_idle", "max_idle", "warm_up");
            return new TemplatePool(numbers.number("min_idle", 0, MOST_POOL), numbers.number("max_idle", 0, MOST_POOL), numbers.text("warm_up"));
        }).orElse(null);
        return BuiltIns.get(fields.need("name").text(), fields.text("version"), fields.text("image"), pool);
    }
}
