package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever runs a recipe or a fleet that others wrote gives away what stands beside it, and nothing else of this machine. */
@Timeout(60)
class NeighbourTest {
    private static final String SECRET = "KEY=secret\n";

    @TempDir
    private Path directory;

    private Path recipes;
    private List<String> wrong;

    @BeforeEach
    void write() throws IOException, InterruptedException {
        recipes = Files.createDirectory(directory.resolve("recipes"));
        Files.createDirectory(recipes.resolve("below"));
        Files.writeString(directory.resolve("secret"), SECRET);
        Files.writeString(recipes.resolve("below/fine"), "KEY=fine\n");
        Files.createSymbolicLink(recipes.resolve("inside"), Path.of("below/fine"));
        Files.createSymbolicLink(recipes.resolve("outside"), Path.of("../secret"));
        Files.createSymbolicLink(recipes.resolve("up"), directory);
        Files.createSymbolicLink(recipes.resolve("device"), Path.of("/dev/zero"));
        Files.createDirectory(directory.resolve("recipes-other"));
        Files.writeString(directory.resolve("recipes-other/secret"), SECRET);
        assertThat(new ProcessBuilder("mkfifo", recipes.resolve("fifo").toString()).start().waitFor()).isZero();
        wrong = List.of("../secret", directory.resolve("secret").toString(), "outside", "up/secret", "../recipes-other/secret", "below/../../secret", "device", "/dev/zero", "fifo", "below", "none", "up/recipes/../secret");
    }

    private static RecipeFile recipe(String file) {
        return RecipeFile.read(file, InputStream.nullInputStream());
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(recipes.resolve(name), text).toString();
    }

    private void refused(String named, Path file) {
        assertThatThrownBy(() -> read(file)).as(named).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(problem.what()).contains(file.getFileName().toString(), named, "(expected: a file beside the one that names it, or below)").doesNotContain("secret\n");
        });
    }

    private static Object read(Path file) {
        return file.endsWith("fleet.yaml") ? FleetFile.read(recipe(file.toString()), Map.of()) : recipe(file.toString()).template(null);
    }

    private static byte[] first(Template made) {
        return Base64.getDecoder().decode(Objects.requireNonNull(Objects.requireNonNull(made.files()).getFirst().contentBase64()));
    }

    @Test
    void filesOfATemplate() throws IOException {
        for (String named : wrong) {
            refused(named, Path.of(write("recipe.yaml", "name: t\nfiles: [{path: /a, source: '" + named + "'}]\n")));
        }
        for (String named : List.of("below/fine", "inside", "./below/../inside", "up/recipes/inside")) {
            String file = write("recipe.yaml", "name: t\nfiles: [{path: /a, source: '" + named + "'}]\n");
            assertThat(first(recipe(file).template(null))).as(named).asString().isEqualTo("KEY=fine\n");
        }
        Path link = Files.createSymbolicLink(directory.resolve("link"), recipes);
        assertThat(first(recipe(link.resolve("recipe.yaml").toString()).template(null))).as("the directory may be a link itself").asString().isEqualTo("KEY=fine\n");
    }

    @Test
    void dockerfilesOfATemplate() throws IOException {
        for (String named : wrong) {
            refused(named, Path.of(write("recipe.yaml", "name: t\ndockerfile_source: '" + named + "'\n")));
        }
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("Dockerfile"), "FROM x\nCOPY . /t/\n");
        Files.writeString(elsewhere.resolve("key"), SECRET);
        Files.createSymbolicLink(recipes.resolve("stage"), elsewhere);
        refused("stage/Dockerfile", Path.of(write("recipe.yaml", "name: t\ndockerfile_source: stage/Dockerfile\n")));
    }

    @Test
    void whatADockerfileLeavesOut() throws IOException {
        String file = write("recipe.yaml", "name: t\ndockerfile: |\n  FROM x\n  COPY below/ /t/\n");
        Files.createSymbolicLink(recipes.resolve(".dockerignore"), Path.of("../secret"));
        refused(".dockerignore", Path.of(file));
    }

    @Test
    void variablesOfAFleet() throws IOException {
        for (String named : wrong) {
            refused(named, Path.of(write("fleet.yaml", "name: f\nmachines: [{name: a, env_file: '" + named + "'}]\n")));
        }
        String file = write("fleet.yaml", "name: f\nmachines: [{name: a, env_file: inside}]\n");
        assertThat(FleetFile.read(recipe(file), Map.of()).machines().getFirst().request().env()).isEqualTo(Map.of("KEY", "fine"));
    }

    @Test
    void whatIsTooLargeIsNotReadWhole() throws IOException {
        try (RandomAccessFile big = new RandomAccessFile(recipes.resolve("big").toFile(), "rw")) {
            big.setLength(1L << 40);
        }
        String file = write("recipe.yaml", "name: t\nfiles: [{path: /a, source: big}]\n");
        assertThatThrownBy(() -> recipe(file).template(null)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.TOO_LARGE);
            assertThat(problem.what()).contains("recipe.yaml:2:", "big has more than 700000 bytes");
        });
        assertThatThrownBy(() -> recipe("/dev/zero").template(null)).hasMessageContaining("/dev/zero cannot be read: it has more than");
    }
}
