package dev.sandglass.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The goals in SPECIFICATION.md are those that the bench prints, all of them and no others. */
class GoalsTest {
    private static final List<String> RUNTIMES = List.of("container", "gvisor");
    private static final Pattern TITLE = Pattern.compile("\"([^\"]+)\"");

    private record Promise(List<String> runtimes, String goal, String title) {}

    @Test
    void everyPromiseIsThatOfTheBench() throws IOException {
        Map<String, Map<String, String>> goals = goals();
        for (Promise promise : promises()) {
            List<Map<String, String>> named = goals.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(promise.title()))
                    .map(Map.Entry::getValue)
                    .toList();
            assertThat(named).as("rows of the bench that begin with \"%s\"", promise.title()).isNotEmpty();
            for (String runtime : promise.runtimes()) {
                assertThat(named).extracting(goal -> goal.get(runtime)).as(promise.title()).containsOnly(promise.goal());
            }
        }
    }

    @Test
    void everyGoalOfTheBenchIsPromised() throws IOException {
        List<Promise> promises = promises();
        goals().forEach((title, byRuntime) -> byRuntime.forEach((runtime, goal) -> assertThat(promises)
                .as("a promise of %s for \"%s\" on %s", goal, title, runtime)
                .anyMatch(promise -> title.startsWith(promise.title()) && promise.runtimes().contains(runtime))));
    }

    /** Goals by title and runtime. */
    private static Map<String, Map<String, String>> goals() {
        Map<String, Map<String, String>> goals = new LinkedHashMap<>();
        for (String runtime : RUNTIMES) {
            for (Measure measure : Measure.values()) {
                if (!measure.goals(runtime).isEmpty()) {
                    String text = measure.goals(runtime).stream().map(Goal::text).collect(Collectors.joining("; "));
                    goals.computeIfAbsent(measure.title(Size.WHOLE), _ -> new LinkedHashMap<>()).put(runtime, text);
                }
            }
            for (Quantity quantity : Quantity.values()) {
                goals.computeIfAbsent(quantity.title("..."), _ -> new LinkedHashMap<>()).put(runtime, quantity.goal());
            }
        }
        return goals;
    }

    /** A promise that names no runtime is one for all. */
    private static List<Promise> promises() throws IOException {
        String text = Files.readString(Path.of("../SPECIFICATION.md"));
        List<Promise> promises = new ArrayList<>();
        for (String line : text.substring(text.indexOf("## Speed")).lines().filter(line -> line.startsWith("| ")).skip(1).toList()) {
            List<String> cells = Arrays.stream(line.split("\\|")).map(String::strip).toList();
            List<String> named = RUNTIMES.stream().filter(runtime -> cells.get(1).contains("`" + runtime + "`")).toList();
            TITLE.matcher(cells.get(3)).results().forEach(title ->
                    promises.add(new Promise(named.isEmpty() ? RUNTIMES : named, cells.get(2), title.group(1))));
        }
        return promises;
    }
}
