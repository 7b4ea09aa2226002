package dev.sandglass.server.route;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** What is wrong, for people as a page that loads nothing and runs nothing, for others as JSON. */
final class ErrorPage {
    private static final String PAGE =
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{title}</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #f6f5f2; margin: 0; display: grid; min-height: 100vh; place-items: center; }
            main { max-width: 34rem; margin: 1rem; padding: 2rem; background: #fff; border: 1px solid #ddd; border-radius: 8px; overflow-wrap: anywhere; }
            h1 { font-size: 1.25rem; margin: 0 0 .75rem; }
            p { margin: .5rem 0; }
            .hint { color: #555; }
            .code { color: #888; font: .85rem ui-monospace, monospace; margin-top: 1.5rem; }
            @media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } main { background: #262626; border-color: #3a3a3a; } .hint { color: #aaa; } }
            </style>
            </head>
            <body>
            <main>
            <h1>{title}</h1>
            <p>{message}</p>
            <p class="hint">{hint}</p>
            <p class="code">{code}</p>
            </main>
            </body>
            </html>
            """;

    private ErrorPage() {}

    static void head(Request request, Response response, int status) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, isForPeople(request) ? "text/html;charset=utf-8" : "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.getHeaders().put("Referrer-Policy", "no-referrer");
        response.getHeaders().put("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    }

    static ByteBuffer content(Request request, int status, Problem problem) {
        if (!isForPeople(request)) {
            return ByteBuffer.wrap(Json.bytes(problem));
        }
        String title = status + " " + HttpStatus.getMessage(status);
        String page = PAGE.replace("{title}", escaped(title)).replace("{code}", escaped(problem.code())).replace("{hint}", escaped(problem.hint())).replace("{message}", escaped(problem.message()));
        return ByteBuffer.wrap(page.getBytes(StandardCharsets.UTF_8));
    }

    /** A browser says that it takes HTML; a program that takes anything gets what it can read. */
    static boolean isForPeople(Request request) {
        return request.getHeaders().getValuesList(HttpHeader.ACCEPT).stream().anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("text/html"));
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            boolean plain = letter >= ' ' && letter <= '~' && "<>&\"'`{}".indexOf(letter) < 0;
            escaped.append(plain ? String.valueOf(letter) : "&#" + (int) letter + ";");
        }
        return escaped.toString();
    }
}
