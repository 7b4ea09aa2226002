package dev.sandglass.server.e2b.envd;

import dev.sandglass.server.http.Call;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/** Signatures of addresses of files, which let in who has no token. */
final class Signatures {
    private static final String VERSION = "v1_";

    private Signatures() {}

    /** Whether a call is signed with a token; its time may be over. */
    static boolean isSigned(Call call, String token) {
        Optional<String> told = call.query("signature");
        return told.isPresent() && MessageDigest.isEqual(expected(call, token).getBytes(StandardCharsets.UTF_8), told.get().getBytes(StandardCharsets.UTF_8));
    }

    /** Throws what the client is told if its signature does not let it in; the texts are those that clients look for. */
    static void require(Call call, String token) {
        if (call.query("signature").isEmpty()) {
            throw HttpRefusal.of(401, "missing signature query parameter");
        }
        if (!isSigned(call, token)) {
            throw HttpRefusal.of(401, "invalid signature");
        }
        Optional<Long> until = call.query("signature_expiration").map(Signatures::seconds);
        if (until.isPresent() && until.get() < Instant.now().getEpochSecond()) {
            throw HttpRefusal.of(401, "signature is already expired");
        }
    }

    private static String expected(Call call, String token) {
        String operation = call.method().equals("GET") ? "read" : "write";
        String signed = call.query("path").orElse("") + ":" + operation + ":" + call.query("username").orElse("") + ":" + token;
        String whole = call.query("signature_expiration").map(text -> signed + ":" + seconds(text)).orElse(signed);
        return VERSION + Base64.getEncoder().withoutPadding().encodeToString(sha256(whole));
    }

    private static long seconds(String text) {
        if (!text.matches("-?[0-9]{1,18}")) {
            throw HttpRefusal.of(400, "signature_expiration: " + text + " (expected: seconds since 1970)");
        }
        return Long.parseLong(text);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("SHA-256 is part of every JDK", missing);
        }
    }
}
