package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.pool.Layers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A process that is killed while it makes the layer {@code killed}. */
final class Victim {
    private Victim() {}

    /** Starts it and kills it, with all that it started, as soon as the directory is there. */
    static void killWhile(Path there, Path scratch, PoolKind kind, String what) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        Path log = scratch.resolve("victim.log");
        Process victim = new ProcessBuilder(
                        java, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                        Victim.class.getName(), scratch.toString(), kind.text(), what)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> Files.isDirectory(there) || !victim.isAlive());
        victim.descendants().forEach(ProcessHandle::destroyForcibly);
        victim.destroyForcibly().waitFor();
        assertThat(there).as(Files.readString(log)).exists();
    }

    public static void main(String[] arguments) {
        Layers layers = Pools.open(Path.of(arguments[0]), PoolOptions.of(PoolKind.of(arguments[1]))).layers();
        if (arguments[2].equals("snapshot")) {
            layers.snapshot("killed", "killed");
        } else {
            layers.collapse(List.of("whole"), "killed");
        }
    }
}
