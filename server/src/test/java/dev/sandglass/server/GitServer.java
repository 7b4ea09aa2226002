package dev.sandglass.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/** Git's own program behind HTTP, as web servers run it: {@code open.git} is for everybody, {@code closed.git} for who has the password. Both may be pushed to. */
final class GitServer implements HttpHandler {
    private static final String MAKE = """
            git init -q -b main work && cd work && echo hello > README && git add README
            git -c user.name=a -c user.email=a@example.org commit -qm first
            for each in open closed; do git clone -q --bare . ../$each.git && git -C ../$each.git config http.receivepack true; done
            """;

    private final Path root;
    private final String authorization;

    GitServer(Path root, String authorization) throws IOException, InterruptedException {
        this.root = root;
        this.authorization = authorization;
        run(root, Map.of(), Path.of("/dev/null"), "sh", "-ec", MAKE);
    }

    /** The subjects of what was pushed, the newest first. */
    String log(String repository) throws IOException, InterruptedException {
        return new String(run(root.resolve(repository), Map.of(), Path.of("/dev/null"), "git", "log", "--format=%s", "main"), StandardCharsets.UTF_8).strip();
    }

    private static byte[] run(Path directory, Map<String, String> environment, Path input, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectInput(input.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        byte[] said = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) {
            throw new IOException(Arrays.toString(command) + " ended with " + process.exitValue());
        }
        return said;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Headers asked = exchange.getRequestHeaders();
        if (path.startsWith("/closed.git/") && !authorization.equals(asked.getFirst("Authorization"))) {
            exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=closed");
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
            return;
        }
        Path body = Files.createTempFile("git", ".body");
        try {
            try (OutputStream file = Files.newOutputStream(body)) {
                exchange.getRequestBody().transferTo(file);
            }
            answer(exchange, run(root, environment(exchange, path, Files.size(body)), body, "git", "http-backend"));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            Files.delete(body);
        }
    }

    private Map<String, String> environment(HttpExchange exchange, String path, long length) {
        Headers asked = exchange.getRequestHeaders();
        return Map.of(
                "GIT_PROJECT_ROOT", root.toString(),
                "GIT_HTTP_EXPORT_ALL", "1",
                "PATH_INFO", path,
                "QUERY_STRING", Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), ""),
                "REQUEST_METHOD", exchange.getRequestMethod(),
                "CONTENT_TYPE", Objects.requireNonNullElse(asked.getFirst("Content-Type"), ""),
                "CONTENT_LENGTH", Long.toString(length),
                "HTTP_CONTENT_ENCODING", Objects.requireNonNullElse(asked.getFirst("Content-Encoding"), ""),
                "GIT_PROTOCOL", Objects.requireNonNullElse(asked.getFirst("Git-Protocol"), ""),
                "REMOTE_USER", "somebody");
    }

    /** What a program behind a web server says: fields, an empty line, a body. */
    private static void answer(HttpExchange exchange, byte[] said) throws IOException {
        String text = new String(said, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        int status = 200;
        for (String line : text.substring(0, end).split("\r\n")) {
            String[] field = line.split(": ", 2);
            if (field[0].equals("Status")) {
                status = Integer.parseInt(field[1].substring(0, 3));
            } else {
                exchange.getResponseHeaders().add(field[0], field[1]);
            }
        }
        byte[] body = Arrays.copyOfRange(said, end + 4, said.length);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
