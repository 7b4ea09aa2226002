package dev.sandglass.runtime.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;

/** What running programs have found out about the processor, and would find to be otherwise on another one. */
final class MachineTraits {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    /** Read once: the kernel writes the file anew for each reader, with a part for each processor. */
    private static final class Features {
        private static final String READ = read();
    }

    private MachineTraits() {}

    static String architecture() {
        return System.getProperty("os.arch");
    }

    /** In order, so that the same processor always gives the same text. */
    static String processorFeatures() {
        return Features.READ;
    }

    private static String read() {
        try {
            for (String line : Files.readAllLines(PROCESSORS)) {
                if (line.startsWith("flags") || line.startsWith("Features")) {
                    String words = line.substring(line.indexOf(':') + 1).strip();
                    return String.join(" ", new TreeSet<>(Arrays.asList(words.split("\\s+"))));
                }
            }
        } catch (IOException _) {
            // told as unknown
        }
        return "unknown";
    }
}
