package dev.sandglass.server.doctor;

import io.avaje.jsonb.Json;
import java.util.Locale;

/**
 * One need and how it is met.
 *
 * @param verdict {@code pass}; {@code warn} when something is lost; {@code fail} when sandboxes cannot run
 * @param remedy what to do; empty when nothing is to be done
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Finding(String need, String verdict, String detail, String remedy) {
    enum Verdict {
        PASS,
        WARN,
        FAIL;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding pass(String need, String detail) {
        return new Finding(need, Verdict.PASS.text(), detail, "");
    }

    static Finding warn(String need, String detail, String remedy) {
        return new Finding(need, Verdict.WARN.text(), detail, remedy);
    }

    static Finding fail(String need, String detail, String remedy) {
        return new Finding(need, Verdict.FAIL.text(), detail, remedy);
    }

    boolean is(Verdict asked) {
        return verdict.equals(asked.text());
    }
}
