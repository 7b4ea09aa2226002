package dev.sandglass.server.http;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the API description says of one operation.
 *
 * @param segments the schemas of the path's variables
 * @param query the schemas of the query parameters; no other is taken
 * @param requiredQuery those that must be there
 * @param headers the schemas of the headers that it looks at
 */
public record Operation(
        String id,
        String method,
        PathPattern path,
        Map<String, Schema> segments,
        Map<String, Schema> query,
        Set<String> requiredQuery,
        Map<String, Schema> headers,
        Optional<RequestContent> content) {

    /**
     * The one media type that a request body has, and its schema if it is JSON.
     *
     * @param required whether no body at all is refused; else it is JSON in which nothing is said
     */
    public record RequestContent(String mediaType, Optional<Schema> schema, boolean required) {}

    public Operation {
        segments = Map.copyOf(segments);
        query = Map.copyOf(query);
        requiredQuery = Set.copyOf(requiredQuery);
        headers = Map.copyOf(headers);
    }
}
