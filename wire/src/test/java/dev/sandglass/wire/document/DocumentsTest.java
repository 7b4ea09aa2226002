package dev.sandglass.wire.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What people write wrong is told where it stands. */
class DocumentsTest {
    private static Fields read(String text) {
        return Documents.read("x.yaml", text);
    }

    private static void refuses(String text, Function<Fields, ?> reading, String... said) {
        assertThatThrownBy(() -> reading.apply(read(text))).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(problem.what()).contains(said);
            assertThat(problem.what().lines()).hasSize(1);
        });
    }

    @Test
    void valuesHaveTheTypesThatAreAskedFor() {
        Fields fields = read("name: otter\nversion: 1.10\nmemoryMb: 512\nwarm: true\nlist: [a, 'b c']\nenv:\n  A: 1\n  B: ''\n  C:\nnothing:\n");
        assertThat(fields.text("name")).isEqualTo("otter");
        assertThat(fields.text("version")).isEqualTo("1.10");
        assertThat(fields.number("memory_mb", 1, 1000)).isEqualTo(512);
        assertThat(fields.flag("warm")).isTrue();
        assertThat(fields.texts("list")).isEqualTo(List.of("a", "b c"));
        assertThat(fields.pairs("env")).isEqualTo(Map.of("A", "1", "B", "", "C", ""));
        assertThat(fields.find("nothing")).isEmpty();
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearestOne() {
        refuses("name: a\n\ncomonents: []\n", fields -> fields.only("name", "components", "files"), "x.yaml:3:1: comonents is no known key (expected: components?)");
        refuses("setpu: x\n", fields -> fields.only("name", "setup", "files"), "(expected: setup?)");
        refuses("requiredDomain: []\n", fields -> fields.only("name", "required_domains"), "(expected: required_domains?)");
        refuses("quux: 1\n", fields -> fields.only("name", "files"), "x.yaml:1:1: quux is no known key (expected: one of files, name)");
    }

    @Test
    void aWrongTypeIsToldWithLineAndColumn() {
        refuses("a:\n  b: [1, x]\n", fields -> fields.need("a").fields().need("b").items().get(1).number(0, 9), "x.yaml:2:10: a.b[1]: x (expected: a whole number, 0 to 9)");
        refuses("a: 12\n", fields -> fields.number("a", 0, 9), "x.yaml:1:4: a: 12 (expected: a whole number, 0 to 9)");
        refuses("a: 1.5\n", fields -> fields.number("a", 0, 9), "a: 1.5 (expected: a whole number");
        refuses("a: 1e999999999\n", fields -> fields.number("a", 0, 9), "(expected: a whole number");
        refuses("a: [1]\n", fields -> fields.text("a"), "x.yaml:1:4: a: a list (expected: a text)");
        refuses("a: maybe\n", fields -> fields.flag("a"), "a: maybe (expected: true or false)");
        refuses("b: 1\n", fields -> fields.need("a"), "x.yaml:1:1: the document: a is missing");
    }

    @Test
    void badYamlIsToldWithLineAndColumn() {
        refuses("a: [1, 2\nb: 3\n", Fields::entries, "x.yaml:2:", "this is no YAML");
        refuses("a: 1\n\tb: 2\n", Fields::entries, "x.yaml:2:1: this is no YAML");
        refuses("a: 1\na: 2\n", Fields::entries, "x.yaml:2:1: a stands there twice");
        refuses("a: 1\n? [b, c]\n: 2\n", Fields::entries, "x.yaml:2:3: a key that is a list");
        refuses("- a\n", Fields::entries, "x.yaml:1:1", "a list");
        refuses("", Fields::entries, "x.yaml: it is empty");
        refuses("a: 1\n---\nb: 2\n", Fields::entries, "this is no YAML");
        refuses("memory_mb: 1\nmemoryMb: 2\n", fields -> fields.only("memory_mb"), "says the same as memory_mb");
    }

    @Test
    void aPathLeadsToThePlaceOfAValue() {
        Fields fields = read("name: a\nservices:\n  - {name: web}\n  - name: db\n    maxRestarts: 3\n");
        assertThat(fields.place("name")).hasToString("Optional[x.yaml:1:7]");
        assertThat(fields.place("services[1].max_restarts")).hasToString("Optional[x.yaml:5:18]");
        assertThat(fields.place("services[1].port")).as("which is not there").hasToString("Optional[x.yaml:4:5]");
        assertThat(fields.place("services[2].port")).hasToString("Optional[x.yaml:3:3]");
        assertThat(fields.place("services.path")).hasToString("Optional[x.yaml:3:3]");
        assertThat(fields.place("user")).isEmpty();
    }

    @Test
    void whatWouldGrowIsBounded() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", java.util.Collections.nCopies(9, "*a" + (i - 1)))));
        }
        refuses(laughs.toString(), Fields::entries, "more than 20000 values");
        refuses("a: &a [*a]\n", Fields::entries, "x.yaml:1:");
        refuses("a: " + "[".repeat(5000) + "]".repeat(5000), Fields::entries, "x.yaml");
        refuses("a: " + "x".repeat(Documents.MOST_CHARACTERS), Fields::entries, "characters (expected: at most");
    }

    @Test
    void anAliasOfBoundedSizeIsFine() {
        assertThat(read("a: &one [x]\nb: *one\n").texts("b")).isEqualTo(List.of("x"));
    }
}
