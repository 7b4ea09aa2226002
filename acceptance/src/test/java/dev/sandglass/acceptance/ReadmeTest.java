package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every command of the README works, in the order in which it stands there, and prints what is shown below it. */
@Timeout(1800)
class ReadmeTest {
    private record Example(String command, List<String> output) {}

    @Test
    void everyCommandDoesWhatItSays() throws IOException, InterruptedException {
        try (Checkout checkout = new Checkout()) {
            List<Example> examples = read(Files.readAllLines(checkout.root().resolve("README.md")));
            assertThat(examples).hasSizeGreaterThan(10);
            for (Example example : examples) {
                if (example.command().equals("./sandglass test")) {
                    continue; // it is what runs this
                }
                Checkout.Outcome outcome = checkout.bash(example.command());
                assertThat(outcome.status())
                        .as("%s%n%s%n%s", example.command(), outcome.stdout(), outcome.stderr())
                        .isZero();
                if (!example.output().isEmpty()) {
                    assertThat(outcome.stdout().lines()).as(example.command()).containsExactlyElementsOf(example.output());
                }
            }
        }
    }

    private static List<Example> read(List<String> lines) {
        List<Example> examples = new ArrayList<>();
        boolean inBlock = false;
        for (String line : lines) {
            if (line.startsWith("```")) {
                inBlock = line.equals("```console");
            } else if (inBlock && line.startsWith("$ ")) {
                examples.add(new Example(line.substring(2), new ArrayList<>()));
            } else if (inBlock) {
                examples.getLast().output().add(line);
            }
        }
        return examples;
    }
}
