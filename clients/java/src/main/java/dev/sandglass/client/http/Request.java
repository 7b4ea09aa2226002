package dev.sandglass.client.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request: its target is the raw path and query, its headers are whole lines. */
public record Request(String method, String target, List<String> headers, @Nullable Body body) {
    public Request {
        headers = List.copyOf(headers);
    }

    public static Request of(String method, String target) {
        return new Request(method, target, List.of(), null);
    }

    public Request with(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < ' ' || value.charAt(i) > '~') {
                throw new IllegalArgumentException(name + ": has a character that no header may have");
            }
        }
        List<String> more = new ArrayList<>(headers);
        more.add(name + ": " + value);
        return new Request(method, target, more, body);
    }

    public Request with(Body newBody) {
        return new Request(method, target, headers, newBody);
    }

    String head(String authority) {
        StringBuilder head = new StringBuilder(256);
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        if (body != null) {
            head.append("Content-Type: ").append(body.contentType()).append("\r\n");
            if (body.length() < 0) {
                head.append("Transfer-Encoding: chunked\r\n");
            } else {
                head.append("Content-Length: ").append(body.length()).append("\r\n");
            }
        } else if (!method.equals("GET")) {
            head.append("Content-Length: 0\r\n");
        }
        return head.append("\r\n").toString();
    }
}
