package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell script `sandglass`, in a copy of the checkout with JDKs that only tell how they were called. */
final class LauncherTest {
    @TempDir
    Path directory;

    private Path checkout;
    private Path jvms;
    private String output = "";

    @BeforeEach
    void prepare() throws IOException {
        Path root = Path.of("..").toRealPath();
        checkout = Files.createDirectory(directory.resolve("check out"));
        jvms = Files.createDirectory(directory.resolve("jvms"));
        copy(root, "sandglass");
        for (String part : new String[] {"build", "packages", "daemon", "verbs"}) {
            copy(root, "setup/" + part + ".sh");
        }
        copy(root, "cli/src/main/resources/dev/sandglass/cli/help.txt");
        copy(root, "cli/src/main/resources/dev/sandglass/cli/launcher.txt");
        Path jars = Files.createDirectories(checkout.resolve("target/dist/cli"));
        Files.createFile(jars.resolve("sandglass-cli.jar"));
        Files.setLastModifiedTime(jars.resolve("sandglass-cli.jar"), FileTime.fromMillis(1));
        Files.createFile(jars.resolve("cli.aot"));
    }

    @Test
    void theHelpNeedsNeitherJdkNorBuild() throws Exception {
        assertThat(run(Map.of(), "--help")).isZero();
        assertThat(output).startsWith("Sandglass:");
        assertThat(run(Map.of())).isZero();
    }

    @Test
    void aJdkIsFoundWhereTheHostKeepsThem() throws Exception {
        jdk("a-old", "17.0.15");
        jdk("b-right", "25.0.3");
        assertThat(run(Map.of(), "ls", "a b")).isZero();
        assertThat(output).startsWith("b-right ").contains("dev.sandglass.cli.Main ls a b");
    }

    @Test
    void anExplicitJdkComesFirstUnlessItIsTooOld() throws Exception {
        jdk("host", "25");
        Path newer = jdk("newer", "26-ea");
        Path older = jdk("older", "21.0.1");
        assertThat(run(Map.of("JAVA_HOME", newer.toString()), "ls")).isZero();
        assertThat(output).startsWith("newer ");
        assertThat(run(Map.of("JAVA_HOME", older.toString()), "ls")).isZero();
        assertThat(output).startsWith("host ");
        assertThat(run(Map.of("JAVA_HOME", newer.toString(), "SANDGLASS_JAVA_HOME", jvms.resolve("host").toString()), "ls")).isZero();
        assertThat(output).startsWith("host ");
    }

    @Test
    void withoutAJdkItSaysHowToGetOne() throws Exception {
        jdk("old", "17.0.15");
        assertThat(run(Map.of(), "ls")).isEqualTo(1);
        assertThat(output).contains("no JDK 25").contains("openjdk-25-jdk").contains("SANDGLASS_JAVA_HOME");
    }

    @Test
    void itWorksThroughALink() throws Exception {
        jdk("right", "25");
        Path link = Files.createSymbolicLink(directory.resolve("sg"), checkout.resolve("sandglass"));
        assertThat(call(link, Map.of(), "ls")).isZero();
        assertThat(output).contains(checkout + "/target/dist/cli/sandglass-cli.jar");
    }

    @Test
    void unknownArgumentsOfItsOwnVerbsAreRefused() throws Exception {
        jdk("right", "25");
        Map<String, String> nowhere = Map.of("SANDGLASS_DATA_DIR", directory + "/data");
        assertThat(run(nowhere, "up", "--nonsense")).isEqualTo(2);
        assertThat(output).contains("Unknown argument: --nonsense");
        assertThat(run(nowhere, "down")).isZero();
        assertThat(output).contains("No daemon is running");
    }

    @Test
    void itsOwnVerbsTellHowTheyAreUsedAndDoNothing() throws Exception {
        for (String verb : List.of("setup", "up", "down", "doctor", "test")) {
            assertThat(run(Map.of(), verb, "--help")).as(output).isZero();
            assertThat(output).startsWith("Usage: sandglass " + verb).doesNotContain("==");
            String told = output;
            assertThat(run(Map.of(), "help", verb)).isZero();
            assertThat(output).isEqualTo(told);
        }
        jdk("right", "25");
        assertThat(run(Map.of(), "up", "--suite")).isEqualTo(2);
        assertThat(output).startsWith("error: suite").contains("\nhint: ");
    }

    @Test
    void whoMayNotWriteToTheCheckoutIsToldWhatToDo() throws Exception {
        jdk("right", "25");
        Path jars = checkout.resolve("target/dist/cli");
        // The cache is old, and the lock belongs to another user: then it is left as it is.
        Files.delete(jars.resolve("cli.aot"));
        Files.createFile(checkout.resolve("target/build.lock"));
        open(directory, jvms, checkout, jars);
        Files.setPosixFilePermissions(jars, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(asNobody("ls")).isZero();
        assertThat(output).startsWith("right ").doesNotContain("denied");

        Files.delete(jars.resolve("sandglass-cli.jar"));
        assertThat(asNobody("ls")).isEqualTo(1);
        assertThat(output.lines()).hasSize(2);
        assertThat(output).matches("error: Sandglass must be built, and .* may not write to .*\nhint: .*`sandglass setup`.*\n");
        Files.delete(checkout.resolve("target/build.lock"));
        assertThat(asNobody("ls")).isEqualTo(1);
        assertThat(output.lines()).hasSize(2);
    }

    private int asNobody(String verb) throws Exception {
        return call(Path.of("/usr/bin/setpriv"), Map.of(), "--reuid=65534", "--regid=65534", "--clear-groups", checkout.resolve("sandglass").toString(), verb);
    }

    private static void open(Path... directories) throws IOException {
        for (Path directory : directories) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private Path jdk(String name, String version) throws IOException {
        Path home = jvms.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        for (String program : new String[] {"java", "javac"}) {
            Path script = Files.writeString(home.resolve("bin").resolve(program), "#!/bin/sh\necho " + name + " \"$@\"\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return home;
    }

    private int run(Map<String, String> environment, String... arguments) throws Exception {
        return call(checkout.resolve("sandglass"), environment, arguments);
    }

    private int call(Path program, Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(program.toString()).redirectErrorStream(true);
        builder.command().addAll(List.of(arguments));
        builder.environment().keySet().removeIf(name -> name.startsWith("SANDGLASS") || name.equals("JAVA_HOME"));
        builder.environment().put("SANDGLASS_JVM_DIR", jvms.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private void copy(Path root, String name) throws IOException {
        Path target = checkout.resolve(name);
        Files.createDirectories(target.resolve("..").normalize());
        Files.copy(root.resolve(name), target);
    }
}
