package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Call;
import dev.sandglass.network.intercept.CallText.UnclearException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A fuzz target: any bytes as a body with calls in it. They are refused, or read, and what is read as no call of a tool has no word in it that a forgiving parser takes for one.
 * Jazzer finds it by the name of its method; {@code make fuzz} runs it.
 */
public final class CallFuzz {
    private CallFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            List<Call> calls = CallText.read(input);
            require(!calls.isEmpty(), "nothing was read");
            for (Call call : calls) {
                require(!(call instanceof Call.Tool(String name)) || name.matches("[!-~]{1,128}"), "a name that no rule can have");
            }
            boolean isPlain = calls.stream().allMatch(Call.Plain.class::isInstance);
            String text = new String(input, StandardCharsets.UTF_8);
            boolean isBare = text.indexOf('\\') < 0 && text.indexOf('{', 1) < 0 && text.indexOf('[') < 0;
            require(!isPlain || !isBare || !text.replaceAll("\\s", "").toLowerCase(java.util.Locale.ROOT).contains("\"method\":\"tools/call\""), "a call that was not seen");
        } catch (UnclearException expected) {
            // it is refused
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
