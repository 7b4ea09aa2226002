package dev.sandglass.server;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** What a daemon answered. */
record Answer(HttpResponse<byte[]> response) {
    int status() {
        return response.statusCode();
    }

    byte[] bytes() {
        return response.body();
    }

    String text() {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    <T> T as(Class<T> type) {
        return Json.read(type, response.body());
    }

    /** The stable code of a refusal. */
    String problem() {
        return as(Problem.class).code();
    }
}
