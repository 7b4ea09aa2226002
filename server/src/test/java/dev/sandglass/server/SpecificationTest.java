package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each promise in SPECIFICATION.md names a test or a row of the bench that there is. */
class SpecificationTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|Contract))(?:\\.(\\w+))?`");
    private static final Pattern ROW = Pattern.compile("\"([^\"]+)\"");

    @Test
    void everyTestThatItNamesExists() throws IOException {
        Map<String, String> sources = sources();
        for (MatchResult named : TEST.matcher(text()).results().toList()) {
            String source = sources.get(named.group(1));
            assertThat(source).as("the test class %s", named.group(1)).isNotNull();
            if (named.group(2) != null) {
                assertThat(source).as("a test %s in %s", named.group(2), named.group(1)).containsPattern("(void|List<DynamicTest>) " + named.group(2) + "\\(");
            }
        }
    }

    @Test
    void everyRowOfTheBenchThatItNamesExists() throws IOException {
        Path bench = ROOT.resolve("bench/src/main/java/dev/sandglass/bench");
        String rows = Files.readString(bench.resolve("report/Measure.java")) + Files.readString(bench.resolve("Footprint.java"));
        String speed = text().substring(text().indexOf("## Speed"));
        for (MatchResult named : ROW.matcher(speed).results().toList()) {
            assertThat(rows).as("a row of the bench").contains("\"" + named.group(1));
        }
    }

    private static String text() throws IOException {
        return Files.readString(ROOT.resolve("SPECIFICATION.md"));
    }

    /** The tests of all modules, by name of their class. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java")).filter(Files::isDirectory).collect(Collectors.toSet())) {
                try (Stream<Path> files = Files.walk(tests)) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                        sources.merge(file.getFileName().toString().replace(".java", ""), Files.readString(file), String::concat);
                    }
                }
            }
        }
        return sources;
    }
}
