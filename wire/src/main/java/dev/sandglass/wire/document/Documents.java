package dev.sandglass.wire.document;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads YAML. A value that stands for another counts as often as it is used, so that a small file cannot become a huge document. */
public final class Documents {
    /** The most characters of a document. */
    public static final int MOST_CHARACTERS = 1 << 20;

    private static final int DEEPEST = 32;
    private static final int MOST_VALUES = 20_000;

    private final String label;
    private int values;

    private Documents(String label) {
        this.label = label;
    }

    /**
     * The one document of a text, which must be a mapping.
     *
     * @param label what errors call the text: the name of its file
     */
    public static Fields read(String label, String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw refused(label + ": " + text.length() + " characters (expected: at most " + MOST_CHARACTERS + ")", null);
        }
        LoadSettings settings = LoadSettings.builder().setLabel(label).setCodePointLimit(MOST_CHARACTERS).setMaxAliasesForCollections(MOST_VALUES).setAllowNonScalarKeys(true).build();
        try {
            Optional<Node> root = new Compose(settings).composeString(text);
            return new Documents(label).value("the document", root.orElseThrow(() -> refused(label + ": it is empty (expected: lines of `key: value`)", null)), 0).fields();
        } catch (MarkedYamlEngineException problem) {
            String place = problem.getProblemMark().map(mark -> new Place(label, mark.getLine() + 1, mark.getColumn() + 1).toString()).orElse(label);
            throw refused(place + ": this is no YAML: " + oneLine(problem.getProblem()), problem);
        } catch (YamlEngineException | StackOverflowError problem) {
            throw refused(label + ": this is no YAML: " + oneLine(problem.getMessage()), problem);
        }
    }

    private Value value(String name, Node node, int depth) {
        Place place = place(node);
        if (depth > DEEPEST) {
            throw refused(place + ": values within each other (expected: at most " + DEEPEST + " of them, and none within itself)", null);
        }
        if (++values > MOST_VALUES) {
            throw refused(place + ": more than " + MOST_VALUES + " values, those counted as often as they are used", null);
        }
        if (node instanceof ScalarNode scalar) {
            return Value.scalar(name, place, scalar.getTag().equals(Tag.NULL) ? null : scalar.getValue(), kind(scalar));
        }
        if (node instanceof SequenceNode sequence) {
            List<Value> items = new ArrayList<>();
            for (Node item : sequence.getValue()) {
                items.add(value(name + "[" + items.size() + "]", item, depth + 1));
            }
            return Value.list(name, place, items);
        }
        if (node instanceof MappingNode mapping) {
            return Value.fields(name, place, fields(name, place, mapping, depth));
        }
        throw refused(place + ": " + name + " (expected: a text, a number, a list or a mapping)", null);
    }

    private Fields fields(String name, Place place, MappingNode mapping, int depth) {
        Fields fields = new Fields(name, place);
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw refused(place(tuple.getKeyNode()) + ": a key that is a list or a mapping (expected: a word)", null);
            }
            String path = depth == 0 ? key.getValue() : name + "." + key.getValue();
            fields.add(key.getValue(), place(key), value(path, tuple.getValueNode(), depth + 1));
        }
        return fields;
    }

    private static Value.Kind kind(ScalarNode scalar) {
        Tag tag = scalar.getTag();
        return tag.equals(Tag.BOOL) ? Value.Kind.FLAG : tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) ? Value.Kind.NUMBER : Value.Kind.TEXT;
    }

    private Place place(Node node) {
        Optional<Mark> mark = node.getStartMark();
        return new Place(label, mark.map(Mark::getLine).orElse(0) + 1, mark.map(Mark::getColumn).orElse(0) + 1);
    }

    private static String oneLine(@Nullable String text) {
        return Objects.requireNonNullElse(text, "it is nested too deeply").lines().findFirst().orElse("").strip();
    }

    static SandglassException refused(String message, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, message, "Correct the file at that place.", cause);
    }
}
