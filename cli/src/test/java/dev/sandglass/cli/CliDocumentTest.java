package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * {@code docs/cli.md} is made from the verbs themselves and from examples, which another test runs. When a change is meant,
 * {@code -Dsandglass.golden=write} writes it anew.
 */
final class CliDocumentTest {
    private static final Path DOCUMENT = Path.of("../docs/cli.md");
    private static final Set<String> HIDDEN = Set.of("demo");

    private static final String BEGINNING = """
            # The command line

            <!-- Made from the program by CliDocumentTest; change the verbs or examples.md, not this page. -->

            `sandglass VERB [OPTIONS] [ARGUMENTS]`. `sandglass help` lists the verbs, `sandglass VERB --help` tells what is below; `demo` and
            `bench` have their own pages there.

            - **Names.** A sandbox is named by name, id, or the beginning of an id, and where it is only looked at or used also by the beginning of its name; a command of it by its handle (`cmd-7`, or `7`).
            - **Output.** Standard output is data, standard error is messages and progress. `-o table|json|yaml` (also `--output`, `--format`); if absent a
              table on a terminal and JSON in a pipe. What comes from a sandbox is shown without what a terminal would act on, except for the
              output of `exec`, `run`, `shell` and `attach`, and `--raw`.
            - **Errors.** Two lines, `error:` and `hint:`; with JSON `{"error":{"code","message","hint"}}`. The codes are those of the API.
            - **Exit codes.** `exec`, `run`, `shell` and `attach` pass on that of the command; 124 after its time limit, 125 when Sandglass itself
              failed, 126 when it cannot run, 127 when there is no such program. All other verbs: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict.
            - **Commands.** One single argument is a line for the login shell; several, or what follows `--`, are a program and its arguments.
            - **Terminal.** Where standard input and output are one, the command gets one too: keys, Ctrl-C and window size go to it. When the daemon
              goes away meanwhile the command goes on, and the terminal joins it again; only that of a `run` without a name goes with its sandbox.
              Its modes are put in order at the end, also when this program is killed.
            - **Aliases.** `list` is `ls`; `delete` and `destroy` are `rm`.
            - **Settings.** `/etc/sandglass/cli.yaml`, then `~/.config/sandglass/cli.yaml` (or the one file that `SANDGLASS_CLI_CONFIG` names), then the
              environment, then options, in rising order. Keys: `url`, `api_key`, `token_file`, `data_dir`, `output`, in the environment
              `SANDGLASS_URL` and so on. Without any of them the local daemon's socket and token file are used.
            """;

    @Test
    void theDocumentSaysWhatTheProgramDoes() throws IOException {
        String made = document();
        if (System.getProperty("sandglass.golden", "").equals("write")) {
            Files.writeString(DOCUMENT, made);
        }
        assertThat(made).as("docs/cli.md is stale; -Dsandglass.golden=write writes it anew").isEqualTo(Files.readString(DOCUMENT));
    }

    private static String document() throws IOException {
        Map<String, String> examples = examples();
        StringBuilder text = new StringBuilder(BEGINNING);
        for (String name : Verbs.ALL) {
            if (!HIDDEN.contains(name)) {
                text.append("\n## ").append(name).append("\n\n```text\n").append(usage(name)).append("```\n");
                text.append(Objects.requireNonNullElse(examples.remove(name), ""));
            }
        }
        text.append(launcher());
        assertThat(examples).as("examples of verbs that do not exist").isEmpty();
        return text.toString();
    }

    /** The verbs that set this machine up, which the launcher serves. */
    private static String launcher() {
        return Resource.text("launcher.txt").replaceAll("(?m)^== (.*)\n((?:.+\n)+)", "## $1\n\n```text\n$2```\n").replaceFirst("^", "\n");
    }

    private static String usage(String name) {
        CommandLine line = new CommandLine(Objects.requireNonNull(Verbs.of(name), name).syntax.spec());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        StringBuilder usage = new StringBuilder();
        line.getUsageMessage().lines().forEach(row -> usage.append(row.stripTrailing()).append('\n'));
        return usage.toString();
    }

    private static Map<String, String> examples() throws IOException {
        Map<String, String> examples = new HashMap<>();
        try (InputStream in = Objects.requireNonNull(CliDocumentTest.class.getResourceAsStream("examples.md"))) {
            for (String section : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^## ")) {
                if (!section.isBlank()) {
                    int end = section.indexOf('\n');
                    examples.put(section.substring(0, end), "\n" + section.substring(end).strip() + "\n");
                }
            }
        }
        return examples;
    }
}
