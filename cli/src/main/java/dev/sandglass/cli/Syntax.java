package dev.sandglass.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The options and operands of a verb.
 *
 * <p>They are defined in code, because reading them from annotations costs as much as all the rest of a call.
 */
final class Syntax {
    private static final int WIDTH = 100;

    private final CommandSpec spec = CommandSpec.create();
    private final List<ArgSpec> last = new ArrayList<>();
    private String printing = "table, json or yaml; if absent a table on a terminal, else JSON.";

    Syntax(String verb, String... description) {
        spec.name("sandglass " + verb);
        spec.usageMessage().sortOptions(false).abbreviateSynopsis(true).width(WIDTH).description(description);
    }

    /** What the help says of {@code -o} where it does not choose between a table and JSON. */
    Syntax printing(String described) {
        printing = described;
        return this;
    }

    String printing() {
        return printing;
    }

    /** All of it; what every verb has stands last in the help. */
    CommandSpec spec() {
        last.forEach(spec::add);
        last.clear();
        return spec;
    }

    /** Shows this after the verb in the help, instead of what picocli makes of the options. */
    void synopsis(String synopsis) {
        spec.usageMessage().customSynopsis(spec.name() + " " + synopsis);
    }

    Flag flag(String description, String... names) {
        return new Flag(add(OptionSpec.builder(names).description(description).build()));
    }

    Value value(String label, String description, String... names) {
        return new Value(add(OptionSpec.builder(names).paramLabel(label).type(String.class).description(description).build()));
    }

    Values values(String label, String description, String... names) {
        OptionSpec option = OptionSpec.builder(names)
                .paramLabel(label)
                .arity("1")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description(description)
                .build();
        return new Values(add(option));
    }

    /** An option that every verb has. */
    Value common(String label, String description, String... names) {
        OptionSpec option = OptionSpec.builder(names).paramLabel(label).type(String.class).description(description).build();
        last.add(option);
        return new Value(option);
    }

    Flag help() {
        OptionSpec option = OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build();
        last.add(option);
        return new Flag(option);
    }

    /** One word that must be there. */
    Value operand(int index, String label, String description) {
        return new Value(add(PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .arity("1")
                .required(true)
                .paramLabel(label)
                .type(String.class)
                .description(description)
                .build()));
    }

    /** One word that may be there. */
    Value optionalOperand(int index, String label, String description) {
        return new Value(add(PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .arity("0..1")
                .paramLabel(label)
                .type(String.class)
                .description(description)
                .build()));
    }

    /** The words from that index on, at least so many. */
    Values operands(int index, int least, String label, String description) {
        return new Values(add(PositionalParamSpec.builder()
                .index(index + "..*")
                .arity(least + "..*")
                .required(least > 0)
                .paramLabel(label)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description(description)
                .hidden(description.isEmpty())
                .build()));
    }

    private <T extends ArgSpec> T add(T argument) {
        spec.add(argument);
        return argument;
    }

    /** An option without a value. */
    record Flag(ArgSpec argument) {
        boolean isSet() {
            return Boolean.TRUE.equals(argument.getValue());
        }
    }

    /** An option or operand with a value. */
    record Value(ArgSpec argument) {
        @Nullable String orNull() {
            return argument.getValue();
        }

        String orEmpty() {
            return Objects.requireNonNullElse(orNull(), "");
        }
    }

    /** An option that may be repeated, or the rest of the words. */
    record Values(ArgSpec argument) {
        List<String> all() {
            List<String> values = argument.getValue();
            return values == null ? List.of() : values;
        }
    }
}
