package dev.sandglass.network.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.network.Call;
import dev.sandglass.network.intercept.CallText.UnclearException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A body is read in one way, or not at all. */
class CallTextTest {
    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":{\"name\":\"other\",\"method\":1}}}";

    private static List<Call> read(String body) throws UnclearException {
        return CallText.read(body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aCallIsOfTheToolThatItsParametersName() throws UnclearException {
        assertThat(read(CALL.formatted("search"))).containsExactly(new Call.Tool("search"));
        assertThat(read(CALL.formatted("s\\u0065arch").replace("tools/call", "tools\\/c\\u0061ll").replace("\"name\":\"s", "\"n\\u0061me\":\"s"))).as("escaped").containsExactly(new Call.Tool("search"));
        assertThat(read(" \r\n\t" + CALL.formatted("search") + " \n")).containsExactly(new Call.Tool("search"));
    }

    @Test
    void whatCallsNoToolIsPlain() throws UnclearException {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")).containsExactly(new Call.Plain());
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}}")).as("an answer").containsExactly(new Call.Plain());
        assertThat(read("{\"method\":\"resources/read\",\"params\":[{\"method\":\"tools/call\"}]}")).containsExactly(new Call.Plain());
    }

    @Test
    void eachOfABatchCounts() throws UnclearException {
        String batch = "[" + CALL.formatted("a") + ",{\"method\":\"ping\"}," + CALL.formatted("b") + "]";
        assertThat(read(batch)).containsExactly(new Call.Tool("a"), new Call.Plain(), new Call.Tool("b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"method\":\"ping\",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"ping\",\"m\\u0065thod\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"ping\",\"Method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"METHOD\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"Params\":{\"name\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"param\u017f\":{\"name\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"name\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"NAME\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\" name\":\"x\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"b\":1,\"b\":2}}}",
        "{\"method\":\"Tools/Call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\" tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"tools/call\\u0000\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"tools\uff0fcall\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":[\"tools/call\"],\"params\":{\"name\":\"x\"}}",
        "{\"method\":null,\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"tools/call\"}",
        "{\"method\":\"tools/call\",\"params\":[\"x\"]}",
        "{\"method\":\"tools/call\",\"params\":{}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":[\"x\"]}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a b\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\\u0000\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"a,b\"}}",
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"d\u0435lete\"}}",
        "[[{\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}]]",
        "[]",
        "[1]",
        "1",
        "null",
        "\"tools/call\"",
        "",
        "{\"method\":\"ping\"}{\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"ping\"}\n{\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"method\":\"ping\"}\u0000",
        "{\"method\":\"ping\",}",
        "{'method':'tools/call'}",
        "{method:\"tools/call\"}",
        "{/**/\"method\":\"ping\"}",
        "{\"method\":\"ping\"} // tools/call",
        "\ufeff{\"method\":\"ping\"}",
        "{\"method\":\"ping\",\"x\":NaN}",
        "{\"method\":\"ping\",\"x\":01}",
        "{\"method\":\"ping\",\"x\":\"\t\"}",
        "method=tools/call"
    })
    void whatServersCouldReadInTwoWaysIsRefused(String body) {
        assertThatThrownBy(() -> read(body)).isInstanceOf(UnclearException.class);
    }

    @Test
    void otherEncodingsAndDepthsAreRefused() {
        for (String charset : List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32")) {
            assertThatThrownBy(() -> CallText.read(CALL.formatted("x").getBytes(Charset.forName(charset)))).as(charset).isInstanceOf(UnclearException.class);
        }
        byte[] overlong = CALL.formatted("x").getBytes(StandardCharsets.ISO_8859_1);
        overlong[1] = (byte) 0xc0;
        assertThatThrownBy(() -> CallText.read(overlong)).isInstanceOf(UnclearException.class);
        assertThatThrownBy(() -> read("[".repeat(100_000))).isInstanceOf(UnclearException.class);
        assertThatThrownBy(() -> read("{\"a\":".repeat(100) + "1" + "}".repeat(100))).isInstanceOf(UnclearException.class);
    }

    @Test
    void theFieldsMustSayThatItIsJsonInUtf8() throws UnclearException {
        CallText.check(HttpFields.build().add(HttpHeader.CONTENT_TYPE, "application/json"));
        CallText.check(HttpFields.build().add(HttpHeader.CONTENT_TYPE, "Application/JSON; charset=\"UTF-8\""));
        for (String wrong : List.of("text/plain", "application/json; charset=utf-7", "application/json;charset=utf-16", "application/json-seq", "application/x-ndjson", "multipart/form-data; boundary=a", "")) {
            assertThatThrownBy(() -> CallText.check(HttpFields.build().add(HttpHeader.CONTENT_TYPE, wrong))).as(wrong).isInstanceOf(UnclearException.class);
        }
        HttpFields.Mutable twice = HttpFields.build().add(HttpHeader.CONTENT_TYPE, "application/json").add(HttpHeader.CONTENT_TYPE, "text/plain");
        assertThatThrownBy(() -> CallText.check(twice)).isInstanceOf(UnclearException.class);
        HttpFields.Mutable packed = HttpFields.build().add(HttpHeader.CONTENT_TYPE, "application/json").add(HttpHeader.CONTENT_ENCODING, "gzip");
        assertThatThrownBy(() -> CallText.check(packed)).isInstanceOf(UnclearException.class);
        assertThatThrownBy(() -> CallText.check(HttpFields.build())).isInstanceOf(UnclearException.class);
    }
}
