package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every command of the documents works, in the order in which it stands there, and prints what is shown below it. In what is
 * shown, {@code ...} stands for anything, alone on a line for any lines. A block of another language that names a file, as in {@code ```js target/hello.mjs}, is
 * written there.
 */
@ExtendWith(SharedCheckout.class)
@Timeout(1800)
class DocumentsTest {
    /** The first is what runs this; a bench takes its minutes, and {@link BenchTest} holds one. */
    private static final Set<String> NOT_HERE = Set.of("./sandglass test", "./sandglass bench");

    private record Example(String command, List<String> output) {}

    @Test
    void theReadme(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "README.md", 20);
    }

    @Test
    void theCommandLine(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/cli.md", 20);
    }

    @Test
    void theNetwork(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/network.md", 6);
    }

    @Test
    void theServices(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/services.md", 10);
    }

    @Test
    void theRoutes(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/routes.md", 10);
    }

    @Test
    void theCredentials(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/credentials.md", 10);
    }

    @Test
    void theVolumes(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/volumes.md", 20);
    }

    @Test
    void theRecipes(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/recipes.md", 10);
    }

    @Test
    void theImages(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/images.md", 10);
    }

    @Test
    void theComponents(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/components.md", 8);
    }

    @Test
    void theTemplates(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/templates.md", 15);
    }

    @Test
    void theFleets(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/fleets.md", 10);
    }

    @Test
    void theGoldenImages(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/golden-images.md", 20);
    }

    @Test
    void thePools(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/pools.md", 10);
    }

    @Test
    void theAgents(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/agents/README.md", 5);
    }

    @Test
    void theOpenClaw(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/agents/openclaw.md", 15);
    }

    /** Where its makers cannot be reached, the build says so; the way through all the rest is held by a test with another agent in its place. */
    @Test
    void theHermes(Checkout checkout) throws IOException, InterruptedException {
        Checkout.Outcome build = checkout.bash("./sandglass template build hermes -q -o table");
        if (build.status() == 0) {
            everyCommandDoesWhatItSays(checkout, "docs/agents/hermes.md", 10);
        } else {
            assertThat(build.stderr()).contains("could not reach https://raw.githubusercontent.com/NousResearch/hermes-agent/", "HERMES_SOURCE names another place");
        }
    }

    @Test
    void theQuickstartOfPython(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/quickstarts/python.md", 8);
    }

    @Test
    void theQuickstartOfTypeScript(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/quickstarts/typescript.md", 5);
    }

    @Test
    void theQuickstartOfJava(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/quickstarts/java.md", 4);
    }

    @Test
    void theMcp(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/mcp.md", 6);
    }

    @ParameterizedTest
    @CsvSource({"mcp,4", "cli,14", "http,11"})
    void theQuickstarts(String page, int atLeast, Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/quickstarts/" + page + ".md", atLeast);
    }

    @Test
    void theOperations(Checkout checkout) throws IOException, InterruptedException {
        everyCommandDoesWhatItSays(checkout, "docs/operations.md", 5);
    }

    private static void everyCommandDoesWhatItSays(Checkout checkout, String document, int atLeast)
            throws IOException, InterruptedException {
        List<Example> examples = read(Files.readAllLines(checkout.root().resolve(document)));
        assertThat(examples).hasSizeGreaterThanOrEqualTo(atLeast);
        try {
            everyCommandDoesWhatItSays(checkout, document, examples);
        } catch (AssertionError failed) {
            // What the rest of the document would have removed is in the way of the others, and of another try.
            checkout.bash("./sandglass rm --all --force; ./sandglass snapshot ls -q | xargs -r -n 1 ./sandglass snapshot rm");
            throw failed;
        }
    }

    private static void everyCommandDoesWhatItSays(Checkout checkout, String document, List<Example> examples) throws IOException, InterruptedException {
        for (Example example : examples) {
            if (NOT_HERE.contains(example.command())) {
                continue;
            }
            Checkout.Outcome outcome = checkout.bash(example.command());
            assertThat(outcome.status())
                    .as("%s: %s%n%s%n%s", document, example.command(), outcome.stdout(), outcome.stderr())
                    .isZero();
            if (!example.output().isEmpty()) {
                assertThat(outcome.stdout()).as("%s: %s%n%s", document, example.command(), outcome.stderr()).matches(pattern(example.output().stream().map(checkout::here).toList()));
            }
        }
    }

    private static Pattern pattern(List<String> lines) {
        StringBuilder pattern = new StringBuilder();
        for (String line : lines) {
            if (line.equals("...")) {
                pattern.append("(?:.*\n)*");
            } else {
                for (String part : line.split("(?<=[.]{3})|(?=[.]{3})")) {
                    pattern.append(part.equals("...") ? ".*" : Pattern.quote(part));
                }
                pattern.append("\n");
            }
        }
        return Pattern.compile(pattern.toString());
    }

    private static List<Example> read(List<String> lines) {
        List<Example> examples = new ArrayList<>();
        boolean inBlock = false;
        List<String> file = null;
        for (String line : lines) {
            if (file != null && line.startsWith("```")) {
                file.add("END OF FILE");
                examples.add(new Example(String.join("\n", file), List.of()));
                file = null;
            } else if (file != null) {
                file.add(line);
            } else if (line.matches("```[a-z]+ [a-zA-Z0-9/._-]+")) {
                String path = line.split(" ", 2)[1];
                file = new ArrayList<>(List.of("mkdir -p \"$(dirname " + path + ")\" && cat > " + path + " <<'END OF FILE'"));
            } else if (line.startsWith("```")) {
                inBlock = line.equals("```console");
            } else if (inBlock && line.startsWith("$ ")) {
                examples.add(new Example(line.substring(2), new ArrayList<>()));
            } else if (inBlock && line.startsWith("> ") && examples.getLast().command().contains("<<")) { // a document of the shell
                Example begun = examples.removeLast();
                examples.add(new Example(begun.command() + "\n" + line.substring(2), begun.output()));
            } else if (inBlock) {
                examples.getLast().output().add(line);
            }
        }
        return examples;
    }
}
