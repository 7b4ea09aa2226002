package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds the code to the graph of packages that docs/architecture.md writes down. */
class ArchitectureTest {
    private static final String ROOT = "dev.sandglass.";
    private static JavaClasses classes;
    private static Map<String, Set<String>> allowed;

    @BeforeAll
    @Timeout(900) // that is all classes
    static void read() throws IOException {
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("dev.sandglass");
        allowed = new HashMap<>();
        for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
            if (line.matches("[a-z0-9.]+ +->.*")) {
                String[] sides = line.split("->", -1);
                allowed.put(sides[0].strip(), new HashSet<>(Arrays.asList(sides[1].strip().split(" +"))));
            }
        }
    }

    @Test
    void packagesUseOnlyWhatTheGraphAllows() {
        Set<String> forbidden = new TreeSet<>();
        for (JavaClass type : classes) {
            String from = noun(type.getPackageName());
            type.getDirectDependenciesFromSelf().forEach(dependency -> {
                String target = dependency.getTargetClass().getBaseComponentType().getPackageName();
                String to = target.startsWith(ROOT) ? noun(target) : from;
                if (!to.equals(from) && !allowed.getOrDefault(from, Set.of()).contains(to)) {
                    forbidden.add(from + " -> " + to + " (" + type.getSimpleName() + ")");
                }
            });
        }
        assertThat(forbidden).as("what docs/architecture.md does not allow").isEmpty();
    }

    @Test
    void theDaemonStartsProgramsInOnePlace() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            if (noun(type.getPackageName()).equals("cli")) {
                continue;
            }
            type.getMethodCallsFromSelf().stream()
                    .filter(call -> call.getTargetOwner().isEquivalentTo(ProcessBuilder.class) && call.getName().equals("start"))
                    .forEach(_ -> found.add(type.getSimpleName()));
        }
        assertThat(found).containsExactly("ChildProcess");
    }

    @Test
    void theGraphHasNoCycle() {
        for (String start : allowed.keySet()) {
            assertThat(reachable(start)).as("what %s depends on", start).doesNotContain(start);
        }
    }

    @Test
    void theDomainKnowsNoAdapterTechnology() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            if (type.getPackageName().startsWith(ROOT + "engine")) {
                type.getDirectDependenciesFromSelf().forEach(dependency -> {
                    String target = dependency.getTargetClass().getBaseComponentType().getPackageName();
                    if (!target.isEmpty()
                            && !target.startsWith("java.")
                            && !target.startsWith("javax.crypto")
                            && !target.startsWith(ROOT)
                            && !target.startsWith("org.slf4j")
                            && !target.startsWith("org.jspecify")) {
                        found.add(type.getSimpleName() + " -> " + target);
                    }
                });
            }
        }
        assertThat(found).isEmpty();
    }

    /** The longest package of the graph that this one is, or is inside of. */
    private static String noun(String javaPackage) {
        String name = javaPackage.substring(ROOT.length());
        while (!allowed.containsKey(name) && name.contains(".")) {
            name = name.substring(0, name.lastIndexOf('.'));
        }
        return name;
    }

    private static Set<String> reachable(String start) {
        Set<String> seen = new HashSet<>();
        Set<String> next = new HashSet<>(allowed.getOrDefault(start, Set.of()));
        while (seen.addAll(next)) {
            Set<String> further = new HashSet<>();
            next.forEach(name -> further.addAll(allowed.getOrDefault(name, Set.of())));
            next = further;
        }
        return seen;
    }
}
