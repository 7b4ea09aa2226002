package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a Dockerfile goes what it copies, and nothing else of what stands around it. */
class BuildContextTest {
    @TempDir
    private Path directory;

    private void file(String name, String content) throws IOException {
        Path path = directory.resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
    }

    private RecipeFile recipe() {
        return RecipeFile.read(directory.resolve("recipe.yaml").toString(), InputStream.nullInputStream());
    }

    private List<String> sent(String dockerfile) throws IOException {
        file("Dockerfile", dockerfile);
        Template made = RecipeFile.read(directory.resolve("Dockerfile").toString(), InputStream.nullInputStream()).dockerfile("t", null, Map.of());
        return Objects.requireNonNullElse(made.context(), List.<TemplateFile>of()).stream().map(TemplateFile::path).toList();
    }

    @Test
    void whatItNamesGoesAndTheRestStays() throws IOException {
        for (String name : List.of("a.txt", "b.md", "src/main.py", "src/deep/er.py", "src/deep/er.pyc", "secret/key", ".git/config")) {
            file(name, name);
        }
        assertThat(sent("FROM x\nRUN true\n")).isEmpty();
        assertThat(sent("FROM x\nCOPY a.txt /\n")).containsExactly("a.txt");
        assertThat(sent("FROM x\nCOPY src/ *.md /t/\n")).containsExactly("b.md", "src/deep/er.py", "src/deep/er.pyc", "src/main.py");
        file(".dockerignore", "# comment\n**/*.pyc\nsecret/\n.git\n*\n!src\n!a.txt\nsrc/**/er.pyc\n");
        assertThat(sent("FROM x\nCOPY . /t/\n")).containsExactly("a.txt", "src/deep/er.py", "src/main.py");
        assertThat(sent("FROM x\nARG WHAT=a.txt\nCOPY $WHAT /t/\n")).as("it may be any").containsExactly("a.txt", "src/deep/er.py", "src/main.py");
    }

    @Test
    void contentAndModesAreThoseOfTheFiles() throws IOException {
        file("run.sh", "#!/bin/sh\n");
        Files.setPosixFilePermissions(directory.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
        file("recipe.yaml", "name: t\ndockerfile: |\n  FROM x\n  COPY run.sh /\n");
        Template made = recipe().template(null);
        assertThat(made.dockerfile()).isEqualTo("FROM x\nCOPY run.sh /\n");
        assertThat(made.context()).containsExactly(new TemplateFile("run.sh", null, Base64.getEncoder().encodeToString("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8)), "0750", null));
    }

    @Test
    void whatStandsElsewhereIsFoundBesideTheDockerfile() throws IOException {
        file("recipe.yaml", "name: t\ndockerfile_source: docker/Dockerfile\n");
        file("docker/Dockerfile", "FROM x\nCOPY near /\n");
        file("docker/near", "");
        file("near", "");
        assertThat(Objects.requireNonNull(recipe().template(null).context())).extracting(TemplateFile::path).containsExactly("near");
        file("docker/Dockerfile", "FROM x\nVOLUME /data\n");
        assertThatThrownBy(() -> recipe().template(null)).hasMessageStartingWith("docker/Dockerfile:2:1: VOLUME is not possible here");
        file("recipe.yaml", "name: t\ndockerfile: |\n  FROM x\n  RUNN true\n");
        assertThatThrownBy(() -> recipe().template(null)).hasMessageContaining("recipe.yaml:2:13: dockerfile:2:1: RUNN is no known instruction");
    }

    @Test
    void linksAndWhatIsTooMuchAreRefused() throws IOException {
        file("near", "");
        Files.createSymbolicLink(directory.resolve("link"), Path.of("/etc/passwd"));
        assertThat(sent("FROM x\nCOPY near /\n")).containsExactly("near");
        assertThatThrownBy(() -> sent("FROM x\nCOPY . /t/\n")).hasMessageContaining("link is no file");
        Files.delete(directory.resolve("link"));
        try (RandomAccessFile big = new RandomAccessFile(directory.resolve("big").toFile(), "rw")) {
            big.setLength(RecipeFile.MOST_FILE_BYTES + 1);
        }
        assertThatThrownBy(() -> sent("FROM x\nCOPY . /t/\n")).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.TOO_LARGE);
            assertThat(problem.what()).contains("big was one too many");
            assertThat(problem.hint()).contains(".dockerignore");
        });
    }
}
