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

/** Each promise in SPECIFICATION.md, and each hazard in docs/snapshots.md, names a test that there is; the goals of the bench are held by its own tests. */
class SpecificationTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|Contract))(?:\\.(\\w+))?`");

    @Test
    void everyTestThatItNamesExists() throws IOException {
        Map<String, String> sources = sources();
        for (MatchResult named : TEST.matcher(text() + Files.readString(ROOT.resolve("docs/snapshots.md"))).results().toList()) {
            String source = sources.get(named.group(1));
            assertThat(source).as("the test class %s", named.group(1)).isNotNull();
            if (named.group(2) != null) {
                assertThat(source).as("a test %s in %s", named.group(2), named.group(1)).containsPattern("(void|List<DynamicTest>) " + named.group(2) + "\\(");
            }
        }
    }

    private static String text() throws IOException {
        return Files.readString(ROOT.resolve("SPECIFICATION.md"));
    }

    /** The tests of all modules, by name of their class. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.walk(ROOT, 2)) {
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
