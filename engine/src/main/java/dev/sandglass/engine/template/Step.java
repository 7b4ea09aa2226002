package dev.sandglass.engine.template;

import dev.sandglass.engine.component.Plan;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.TemplateFile;
import java.util.List;
import java.util.TreeMap;

/** A step that changes the disk, and nothing else that lasts. */
sealed interface Step {
    /** As a build tells of it. */
    String name();

    /** All that it depends on beside the steps before it. */
    String content();

    /** A component is installed. */
    record Component(Plan.Item item) implements Step {
        @Override
        public String name() {
            return "component " + item.name();
        }

        @Override
        public String content() {
            return Json.write(item.component()) + new TreeMap<>(item.variables());
        }
    }

    /** Files are written. */
    record Files(List<TemplateFile> files) implements Step {
        @Override
        public String name() {
            return "files";
        }

        @Override
        public String content() {
            StringBuilder all = new StringBuilder();
            files.forEach(file -> all.append(Json.write(file)).append('\n'));
            return all.toString();
        }
    }

    /** A script of the template's own runs. */
    record Setup(String script) implements Step {
        @Override
        public String name() {
            return "setup";
        }

        @Override
        public String content() {
            return script;
        }
    }

    /** The key of this step after another, or after a base. */
    default String key(String before) {
        return Sha256.of(before + "\n" + name() + "\n" + content());
    }
}
