package dev.sandglass.server.api;

import dev.sandglass.server.http.Operation;
import dev.sandglass.server.http.Operation.RequestContent;
import dev.sandglass.server.http.PathPattern;
import dev.sandglass.server.http.Schema;
import io.avaje.jsonb.Jsonb;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** An API description in OpenAPI 3.1, as far as this daemon uses it. Immutable. */
public final class Contract {
    private static final Set<String> METHODS = Set.of("get", "put", "post", "patch", "delete");
    private static final String API = "/dev/sandglass/server/openapi.yaml";

    private final Map<?, ?> document;

    private Contract(Map<?, ?> document) {
        this.document = document;
    }

    /** The description of the native API. */
    public static Contract ofApi() {
        try (InputStream yaml = Contract.class.getResourceAsStream(API)) {
            if (yaml == null) {
                throw new IllegalStateException("resource " + API + " is missing from the build");
            }
            return parse(new String(yaml.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    public static Contract parse(String yaml) {
        return new Contract(map(new Load(LoadSettings.builder().build()).loadFromString(yaml)));
    }

    /** The same description in JSON. */
    public byte[] json() {
        return Jsonb.builder().build().type(Object.class).toJsonBytes(document);
    }

    public List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        map(document.get("paths")).forEach((path, item) -> map(item).forEach((method, operation) -> {
            if (METHODS.contains(method)) {
                operations.add(operation((String) path, map(item), ((String) method).toUpperCase(Locale.ROOT), map(operation)));
            }
        }));
        return operations;
    }

    /** The schema of the answer that an operation gives with that status in that type. */
    public Schema answer(String operationId, String status, String mediaType) {
        return map(document.get("paths")).values().stream()
                .flatMap(item -> map(item).values().stream())
                .filter(operation -> operation instanceof Map<?, ?> found && operationId.equals(found.get("operationId")))
                .map(operation -> map(map(operation).get("responses")))
                .map(responses -> resolve(map(responses.containsKey(status) ? responses.get(status) : responses.get("default"))))
                .map(response -> map(map(map(response.get("content")).get(mediaType)).get("schema")))
                .map(this::schema)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("operation: " + operationId + " (expected: one of the description)"));
    }

    /** A schema of the description by its name. */
    public Schema schema(String name) {
        return schema(reference("#/components/schemas/" + name));
    }

    private Schema schema(Map<?, ?> node) {
        return new Schema(node, this::reference);
    }

    private Operation operation(String path, Map<?, ?> item, String method, Map<?, ?> operation) {
        Map<String, Schema> segments = new HashMap<>();
        Map<String, Schema> query = new HashMap<>();
        Map<String, Schema> headers = new HashMap<>();
        Set<String> required = new HashSet<>();
        List<Object> parameters = new ArrayList<>(list(item.get("parameters")));
        parameters.addAll(list(operation.get("parameters")));
        for (Object declared : parameters) {
            Map<?, ?> parameter = resolve(map(declared));
            String name = text(parameter, "name");
            if ("path".equals(parameter.get("in"))) {
                segments.put(name, schema(map(parameter.get("schema"))));
            } else if ("header".equals(parameter.get("in"))) {
                headers.put(name, schema(map(parameter.get("schema"))));
            } else {
                query.put(name, schema(map(parameter.get("schema"))));
                if (Boolean.TRUE.equals(parameter.get("required"))) {
                    required.add(name);
                }
            }
        }
        return new Operation(text(operation, "operationId"), method, new PathPattern(path), segments, query, required, headers, content(operation));
    }

    private Optional<RequestContent> content(Map<?, ?> operation) {
        if (!(operation.get("requestBody") instanceof Map<?, ?> body)) {
            return Optional.empty();
        }
        Map.Entry<?, ?> only = map(body.get("content")).entrySet().iterator().next();
        Optional<Schema> schema = Optional.ofNullable(map(only.getValue()).get("schema")).map(node -> schema(map(node)));
        return Optional.of(new RequestContent((String) only.getKey(), schema, Boolean.TRUE.equals(body.get("required"))));
    }

    private Map<?, ?> resolve(Map<?, ?> node) {
        return node.get("$ref") instanceof String reference ? reference(reference) : node;
    }

    private Map<?, ?> reference(String reference) {
        Map<?, ?> node = document;
        for (String step : reference.substring("#/".length()).split("/")) {
            node = map(node.get(step));
        }
        return node;
    }

    private static Map<?, ?> map(@Nullable Object node) {
        if (node instanceof Map<?, ?> map) {
            return map;
        }
        throw new IllegalArgumentException("node of the API description: " + node + " (expected: a map)");
    }

    private static String text(Map<?, ?> node, String key) {
        if (node.get(key) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(key + " of the API description: " + node.get(key) + " (expected: text)");
    }

    private static List<?> list(@Nullable Object node) {
        return node instanceof List<?> list ? list : List.of();
    }
}
