package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DocumentTest {
    private static final Console PIPE =
            new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), Set.of(), Map.of());

    @Test
    void jsonIsIndentedWithoutTouchingTexts() {
        assertThat(Document.indent("{\"a\":[1,{}],\"b\":\"x,{\\\"y\"}")).isEqualTo("""
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": "x,{\\"y"
                }""");
    }

    @Test
    void yamlHasBlocksAndQuotesOnlyWhereNeeded() {
        String json = "[{\"id\":\"sbx-1\",\"cpus\":1.5,\"ok\":true,\"none\":null,\"env\":{\"A B\":\"no\",\"C\":\"1\"},\"list\":[],\"argv\":[\"a\",\"b: c\",[1,2]]},{}]";
        assertThat(Document.text(json, Format.YAML, PIPE)).isEqualTo("""
                - id: sbx-1
                  cpus: 1.5
                  ok: true
                  none: null
                  env:
                    "A B": "no"
                    C: "1"
                  list: []
                  argv:
                    - a
                    - "b: c"
                    - - 1
                      - 2
                - {}
                """);
        assertThat(Document.text("\"x\"", Format.YAML, PIPE)).isEqualTo("x\n");
    }

    @Test
    void nothingThatATerminalActsOnComesThrough() {
        String hostile = "{\"a\":\"\u009b31m\u202e\u007f\"}";
        assertThat(Document.text(hostile, Format.JSON, PIPE)).isEqualTo("{\"a\":\"\\u009b31m\\u202e\\u007f\"}\n");
        assertThat(Document.text(hostile, Format.YAML, PIPE)).isEqualTo("a: \"\\u009b31m\\u202e\\u007f\"\n");
        assertThat(Document.next("1", Format.JSON)).isEqualTo("1\n");
        assertThat(Document.next("1", Format.YAML)).isEqualTo("---\n1\n");
    }
}
