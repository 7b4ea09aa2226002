package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client for Java does what all clients do, with the jars that the build makes of it and no other, from Java 17 on. */
@ExtendWith(SharedCheckout.class)
@Timeout(1200)
class JavaClientTest {
    private static final int MAGIC = 0xcafebabe;
    private static final int JAVA_17 = 61;
    private static final List<String> JARS = List.of("avaje-json-core.jar", "avaje-jsonb.jar", "sandglass-client.jar", "sandglass-wire.jar");

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void itPlaysTheScenarios(String runtime, Checkout checkout) throws IOException, InterruptedException {
        play(checkout, oldest(), runtime);
    }

    @Test
    void itNeedsNothingButTheJsonLibraryAndJava17(Checkout checkout) throws IOException {
        Path directory = checkout.root().resolve("target/dist/java");
        try (Stream<Path> jars = Files.list(directory)) {
            assertThat(jars.map(jar -> jar.getFileName().toString())).containsExactlyInAnyOrderElementsOf(JARS);
        }
        for (String name : JARS) {
            try (JarFile jar = new JarFile(directory.resolve(name).toFile())) {
                for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                    JarEntry entry = entries.nextElement();
                    if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/versions/")) {
                        assertThat(version(jar, entry)).as(name + " " + entry).isLessThanOrEqualTo(JAVA_17);
                    }
                }
            }
        }
    }

    /** The oldest Java that the host has and that will do; else the one that runs this. */
    private static Path oldest() throws IOException {
        Optional<Path> found = Optional.empty();
        if (Files.isDirectory(Path.of("/usr/lib/jvm"))) {
            try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
                found = homes.filter(JavaClientTest::isJava17).findFirst();
            }
        }
        return found.orElse(Path.of(System.getProperty("java.home"))).resolve("bin/java");
    }

    private static boolean isJava17(Path home) {
        try {
            return Files.isExecutable(home.resolve("bin/javac")) && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"17.");
        } catch (IOException none) {
            return false;
        }
    }

    private static void play(Checkout checkout, Path java, String runtime) throws IOException, InterruptedException {
        String told = checkout.check("'" + java + "' -cp 'target/dist/java/*' clients/java/src/test/java/dev/sandglass/client/scenarios/Scenarios.java clients/scenarios/contract.json "
                + runtime + " java-" + runtime);
        assertThat(told.lines()).hasSizeGreaterThan(10).allMatch(line -> line.startsWith("ok "));
    }

    private static int version(JarFile jar, JarEntry entry) throws IOException {
        try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            assertThat(in.readInt()).isEqualTo(MAGIC);
            in.readUnsignedShort();
            return in.readUnsignedShort();
        }
    }
}
