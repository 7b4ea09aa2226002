package dev.sandglass.network.sniff;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;

/** The head of a request of HTTP/1, which is read by Jetty's parser at its strictest, and by that only when all of it is there. */
final class RequestHead implements HttpParser.RequestHandler {
    private static final String PREFACE_OF_HTTP2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int PORT = 80;
    private static final Pattern ABSOLUTE = Pattern.compile("http://([^/?#]*)(?:[/?][^#]*)?", Pattern.CASE_INSENSITIVE);

    private String method = "";
    private String target = "";
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private final List<String> hosts = new ArrayList<>();
    private boolean hasTransferEncoding;
    private boolean isComplete;
    private Optional<String> fault = Optional.empty();

    private RequestHead() {}

    /** The bytes are neither those of TLS nor of SSH, and at least one. */
    static FirstWords read(ByteBuffer bytes) {
        return switch (Prefix.of(bytes, PREFACE_OF_HTTP2)) {
            case WHOLE -> new FirstWords.Http2Clear();
            case PART -> new FirstWords.NeedMore();
            case NONE -> behindEmptyLines(bytes);
        };
    }

    /** Servers skip empty lines before a request, so what follows them is looked at; but no client has a reason to send any. */
    private static FirstWords behindEmptyLines(ByteBuffer bytes) {
        int lines = 0;
        while (lines < bytes.remaining() && (bytes.get(lines) == '\r' || bytes.get(lines) == '\n')) {
            lines++;
        }
        ByteBuffer request = bytes.slice(lines, bytes.remaining() - lines);
        return switch (RequestLine.of(request)) {
            case WHOLE -> lines > 0 ? malformed("an empty line before the request") : whole(request);
            case PART -> new FirstWords.NeedMore();
            case WRONG -> malformed("the first line is no request of HTTP/1");
            case NONE -> new FirstWords.Other();
        };
    }

    private static FirstWords whole(ByteBuffer request) {
        OptionalInt end = end(request);
        if (end.isEmpty()) {
            return new FirstWords.NeedMore();
        }
        RequestHead head = new RequestHead();
        new HttpParser(head, 2 * FirstWords.ENOUGH, HttpCompliance.STRICT).parseNext(request.slice(0, end.getAsInt()));
        return head.words();
    }

    /** The length up to and with the first empty line, however its end is written. */
    private static OptionalInt end(ByteBuffer request) {
        for (int index = 0; index < request.limit() - 1; index++) {
            if (request.get(index) == '\n') {
                int next = request.get(index + 1) == '\r' ? index + 2 : index + 1;
                if (next < request.limit() && request.get(next) == '\n') {
                    return OptionalInt.of(next + 1);
                }
            }
        }
        return OptionalInt.empty();
    }

    private FirstWords words() {
        if (fault.isPresent() || !isComplete) {
            return malformed(fault.orElse("the head does not end where it seems to"));
        }
        if (hasTransferEncoding && version == HttpVersion.HTTP_1_0) {
            return malformed("Transfer-Encoding in HTTP/1.0");
        }
        Optional<Authority> host = hosts.stream().findFirst().flatMap(Authority::parse);
        if (hosts.size() > (host.isPresent() ? 1 : 0)) {
            return malformed("a Host that is none");
        }
        return switch (method) {
            case "CONNECT" -> tunnel(host);
            case "OPTIONS" -> target.equals("*") ? new FirstWords.Http(host, method, target) : path(host);
            default -> path(host);
        };
    }

    /** Some clients leave the port out of Host, as it were the usual one. */
    private FirstWords tunnel(Optional<Authority> host) {
        Optional<Authority> end = Authority.parse(target).filter(each -> each.port().isPresent());
        return agreed(end, host, end.map(Authority::port).orElse(OptionalInt.empty()).orElse(PORT));
    }

    private FirstWords path(Optional<Authority> host) {
        if (target.startsWith("/")) {
            return new FirstWords.Http(host, method, target);
        }
        Matcher absolute = ABSOLUTE.matcher(target);
        return agreed(absolute.matches() ? Authority.parse(absolute.group(1)) : Optional.empty(), host, PORT);
    }

    /** Of a host in the target and another in the field, servers take the one or the other. */
    private FirstWords agreed(Optional<Authority> inTarget, Optional<Authority> host, int usualPort) {
        if (inTarget.isEmpty()) {
            return malformed("a target that is neither a path nor an address of HTTP");
        }
        if (host.isPresent() && !host.get().isSame(inTarget.get(), usualPort)) {
            return malformed("a target on another host than Host");
        }
        return new FirstWords.Http(inTarget, method, target);
    }

    private static FirstWords malformed(String reason) {
        return new FirstWords.Malformed("HTTP: " + reason);
    }

    @Override
    public void startRequest(String itsMethod, String itsTarget, HttpVersion itsVersion) {
        method = itsMethod;
        target = itsTarget;
        version = itsVersion;
    }

    @Override
    public void parsedHeader(HttpField field) {
        if (field.getHeader() == HttpHeader.HOST) {
            hosts.add(field.getValue());
        }
        hasTransferEncoding |= field.getHeader() == HttpHeader.TRANSFER_ENCODING;
    }

    @Override
    public boolean headerComplete() {
        isComplete = true;
        return true;
    }

    @Override
    public void badMessage(HttpException failure) {
        fault = Optional.of(String.valueOf(failure.getReason()));
    }

    @Override
    public boolean content(ByteBuffer content) {
        return true;
    }

    @Override
    public boolean contentComplete() {
        return true;
    }

    @Override
    public boolean messageComplete() {
        return true;
    }

    @Override
    public void earlyEOF() {}
}
