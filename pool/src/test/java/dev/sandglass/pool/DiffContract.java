package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.diff.Difference;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.diff.OverlayComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Layers of every kind of pool, compared: as overlays of them would be. */
interface DiffContract {
    Pool pool();

    Path scratch();

    @Test
    default void statesDifferInWhatTheirOverlaysShow() throws IOException {
        Random random = new Random(7);
        Path base = Files.createDirectory(scratch().resolve("diff-base"));
        Shell.run(base, CollapseContract.changes(random, 60));
        List<List<Path>> states = new ArrayList<>(List.of(List.of(base)));
        for (int number = 0; number < 4; number++) {
            List<Path> below = states.get(random.nextInt(states.size()));
            states.addAll(captured("diff-" + number, below, random));
        }
        Files.createDirectory(pool().create("diff-looking").resolve("work"));
        Files.createDirectory(pool().path("diff-looking").resolve("upper"));
        List<Map<String, String>> shown = new ArrayList<>();
        for (List<Path> state : states) {
            CollapseContract.look(state, pool().path("diff-looking"), root -> shown.add(listing(root)));
        }
        for (int one = 0; one < states.size(); one++) {
            for (int other = 0; other < states.size(); other++) {
                assertThat(compared(states.get(one), states.get(other)))
                        .as("%s and %s", states.get(one), states.get(other))
                        .isEqualTo(expected(shown.get(one), shown.get(other)));
            }
        }
    }

    @Test
    default void whatTakesTooLongIsLeftOut() throws IOException {
        Path upper = Files.createDirectory(pool().create("diff-late").resolve("upper"));
        Files.createDirectory(upper.resolve("directory"));
        Path empty = Files.createDirectory(scratch().resolve("diff-empty"));
        List<Path> state = List.of(upper, empty);
        assertThat(new OverlayComparison().compare(List.of(empty), state, Duration.ZERO, difference -> {})).isFalse();
        assertThat(new OverlayComparison().compare(List.of(empty), state, Duration.ofMinutes(5), difference -> {})).isTrue();
    }

    /** A tree on other layers that is changed and captured again and again. */
    private List<List<Path>> captured(String name, List<Path> below, Random random) throws IOException {
        Path tree = pool().create(name);
        Files.createDirectory(tree.resolve("work"));
        Files.createDirectory(tree.resolve("upper"));
        List<List<Path>> states = new ArrayList<>();
        for (int capture = 0; capture < 3; capture++) {
            String changes = CollapseContract.changes(random, 8);
            CollapseContract.look(below, tree, root -> Shell.run(root, changes));
            layers().snapshot(name, name + "-" + capture);
            states.add(Stream.concat(Stream.of(layers().lower(name + "-" + capture)), below.stream()).toList());
        }
        return states;
    }

    private static Map<String, String> listing(Path root) {
        Map<String, String> found = new HashMap<>();
        String script = "find . -mindepth 1 -type f -printf '%p %y %m %U %G %s\\n' -o -mindepth 1 -printf '%p %y %m %U %G %l\\n'";
        Shell.run(root, script).lines().forEach(line -> found.put(line.substring(1, line.indexOf(' ')), line.strip()));
        Shell.run(root, "find . -type f -print0 | xargs -0 -r sha256sum")
                .lines()
                .forEach(line -> found.merge(line.substring(line.indexOf("./") + 1), line, String::concat));
        return found;
    }

    private static Set<String> expected(Map<String, String> before, Map<String, String> after) {
        Set<String> differences = new TreeSet<>();
        before.forEach((path, line) -> {
            if (!line.equals(after.get(path))) {
                differences.add((after.containsKey(path) ? "changed " : "removed ") + path);
            }
        });
        after.keySet().stream().filter(path -> !before.containsKey(path)).forEach(path -> differences.add("added " + path));
        return differences;
    }

    private static Set<String> compared(List<Path> before, List<Path> after) {
        Set<String> differences = new TreeSet<>();
        assertThat(new OverlayComparison().compare(before, after, Duration.ofMinutes(5), difference -> differences.add(text(difference)))).isTrue();
        return differences;
    }

    private static String text(Difference difference) {
        return (difference.before().isEmpty() ? "added " : difference.after().isEmpty() ? "removed " : "changed ") + difference.path();
    }

    private Layers layers() {
        return pool().layers();
    }
}
