package dev.sandglass.server.e2b;

import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A page of things that have a place in an order, and a token for the next page: what comes and goes between two pages makes nothing else appear twice or be left out.
 *
 * @param next behind which the next page begins; empty if there is none
 */
record Pages<T>(List<T> page, String next) {
    private static final int MOST = 100;
    private static final String HEADER = "X-Next-Token";

    /**
     * @param place of a thing, which no other has, such that it sorts as text
     * @param order of the places
     */
    static <T> Pages<T> of(Call call, Stream<T> all, Function<T, String> place, Comparator<String> order) {
        int limit = limit(call);
        String token = call.query("nextToken").orElse("");
        String after = token.isEmpty() ? "" : decoded(token);
        List<T> rest = all.filter(one -> after.isEmpty() || order.compare(place.apply(one), after) > 0)
                .sorted(Comparator.comparing(place, order))
                .limit(limit + 1L)
                .toList();
        List<T> page = rest.subList(0, Math.min(limit, rest.size()));
        return new Pages<>(page, rest.size() > page.size() ? encoded(place.apply(page.getLast())) : "");
    }

    /** Tells where the next page begins. */
    Pages<T> told(Call call) {
        if (!next.isEmpty()) {
            call.put(HEADER, next);
        }
        return this;
    }

    private static int limit(Call call) {
        String text = call.query("limit").orElse(String.valueOf(MOST));
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < 1) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "limit: " + Ids.shown(text) + " (expected: 1 to " + MOST + ")", "");
        }
        return Math.min(MOST, Integer.parseInt(text));
    }

    private static String encoded(String place) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String token) {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException none) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "nextToken: it is none (expected: the " + HEADER + " of a page)", "", none);
        }
    }
}
