package dev.sandglass.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** An index of Python packages with one package, {@code tiny}, whose module knows a word. */
final class PipIndex implements HttpHandler {
    static final String WORD = "small is beautiful";
    private static final String WHEEL = "/files/tiny-1.0-py3-none-any.whl";

    private final byte[] wheel;

    PipIndex() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : Map.of(
                    "tiny.py", "WORD = '" + WORD + "'\n",
                    "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
                    "tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                    "tiny-1.0.dist-info/RECORD", "tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\ntiny-1.0.dist-info/RECORD,,\n").entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.US_ASCII));
            }
        }
        this.wheel = bytes.toByteArray();
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            case "/simple/tiny/" -> answer(exchange, "text/html", ("<!DOCTYPE html><a href='" + WHEEL + "'>tiny-1.0-py3-none-any.whl</a>").getBytes(StandardCharsets.US_ASCII));
            case WHEEL -> answer(exchange, "application/octet-stream", wheel);
            default -> {
                exchange.sendResponseHeaders(404, -1);
                exchange.close();
            }
        }
    }

    private static void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
