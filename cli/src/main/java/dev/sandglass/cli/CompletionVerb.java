package dev.sandglass.cli;

/** {@code completion}: the script that makes a shell complete verbs, options and names. */
final class CompletionVerb extends Verb {
    private final Syntax.Value shell = syntax.operand(0, "SHELL", "bash, zsh or fish.");

    CompletionVerb() {
        super(new Syntax(
                "completion",
                "Print a script that makes a shell complete verbs, options, and the names of sandboxes:",
                "  bash   source <(sandglass completion bash)",
                "  zsh    source <(sandglass completion zsh)",
                "  fish   sandglass completion fish | source",
                "").printing("json or yaml: so errors are told."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        console.print(switch (shell.orEmpty()) {
            case "bash", "zsh", "fish" -> Resource.text("completion." + shell.orEmpty());
            default -> throw new UsageException("shell: " + shell.orEmpty() + " (expected: bash, zsh or fish)");
        });
        return OK;
    }
}
