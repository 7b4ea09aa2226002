package dev.sandglass.engine.template;

import dev.sandglass.engine.component.Plan;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerStep;
import java.util.List;
import java.util.Optional;

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
            return new Parts().text(Json.write(item.component())).pairs(item.variables()).toString();
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

    /** A command of a Dockerfile runs. */
    record Command(DockerStep.Run run) implements Step {
        @Override
        public String name() {
            return run.shown();
        }

        @Override
        public String content() {
            return new Parts().text("run").texts(run.argv()).pairs(run.env()).text(run.user()).text(run.workdir()).toString();
        }

        /** Comments and what stands above may change. */
        @Override
        public String key(String before) {
            return Sha256.of(new Parts().text(before).text(content()).toString());
        }
    }

    /** A directory is made unless it is there. */
    record Directory(String name, String path) implements Step {
        @Override
        public String content() {
            return new Parts().text("directory").text(path).toString();
        }

        @Override
        public String key(String before) {
            return Sha256.of(new Parts().text(before).text(content()).toString());
        }
    }

    /**
     * Files are copied from beside a Dockerfile.
     *
     * @param intoDirectory whether the target is a directory, even if there is none yet; else that is seen there
     * @param files with their paths below that
     */
    record Copy(String name, String target, boolean intoDirectory, Optional<String> owner, Optional<String> mode, List<TemplateFile> files) implements Step {
        @Override
        public String content() {
            Parts all = new Parts().text("copy").text(target).text(String.valueOf(intoDirectory)).text(owner).text(mode);
            files.forEach(file -> all.text(Sha256.of(Json.write(file)))); // the same one may be there often
            return all.toString();
        }

        @Override
        public String key(String before) {
            return Sha256.of(new Parts().text(before).text(content()).toString());
        }
    }

    /**
     * What is in an archive that was uploaded is copied.
     *
     * @param digest of the archive
     * @param source a path in it
     * @param target absolute; with a slash at its end it is a directory
     * @param owner a user and a colon, behind which a group may be
     */
    record Upload(String name, String upload, String digest, String source, String target, String owner, Optional<String> mode) implements Step {
        @Override
        public String content() {
            return new Parts().text("upload").text(digest).text(source).text(target).text(owner).text(mode).toString();
        }

        @Override
        public String key(String before) {
            return Sha256.of(new Parts().text(before).text(content()).toString());
        }
    }

    /** The key of this step after another, or after a base. */
    default String key(String before) {
        return Sha256.of(new Parts().text(before).text(name()).text(content()).toString());
    }
}
