package dev.sandglass.server.e2b;

import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Lists as these clients want them: an array, with nothing around it. */
final class JsonList {
    private JsonList() {}

    static <T> byte[] json(List<T> all, Function<T, Object> shown) {
        return all.stream().map(one -> Json.write(shown.apply(one))).collect(Collectors.joining(",", "[", "]")).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] json(List<?> all) {
        return json(all, one -> one);
    }
}
