package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.file.DetailedEntry;
import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.Download;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.MultiPart;
import org.jspecify.annotations.Nullable;

/** Files that come and go whole: {@code /files}. Thread-safe. */
final class Transfers {
    private static final String RAW = "application/octet-stream";
    private static final int RANGE_NOT_SATISFIABLE = 416;

    @Json
    record Uploaded(String path, String name, String type, @Nullable Map<String, String> metadata) {}

    private final UserFiles files;

    Transfers(UserFiles files) {
        this.files = files;
    }

    /** Always as bytes of no type: what a sandbox has is never a page of ours. */
    void read(Visitor visitor) throws IOException {
        Call call = visitor.call();
        Account account = account(visitor);
        String path = visitor.absolute(account, call.query("path").orElse(""));
        DetailedEntry found = find(account, path);
        String kind = found.end().map(DetailedEntry.End::kind).orElse(found.entry().kind());
        if (kind.equals("directory")) {
            throw HttpRefusal.of(400, "path '" + path + "' is a directory");
        }
        Optional<String> range = call.header("Range");
        call.put("Content-Disposition", "inline; filename*=UTF-8''" + URLEncoder.encode(found.entry().name(), StandardCharsets.UTF_8).replace("+", "%20"));
        if (range.isEmpty()) {
            try (FileContent content = files.read(account, path, 0, OptionalLong.empty())) {
                Download.send(length -> call.stream(200, RAW, length), content.bytes(), content.length());
            }
            return;
        }
        readPart(visitor, account, path, range);
    }

    private DetailedEntry find(Account account, String path) {
        try {
            return files.stat(account, path, EntryInfo.METADATA);
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                throw HttpRefusal.of(404, "path '" + path + "' does not exist");
            }
            throw problem;
        }
    }

    private void readPart(Visitor visitor, Account account, String path, Optional<String> header) throws IOException {
        Call call = visitor.call();
        long size;
        try (FileContent head = files.read(account, path, 0, OptionalLong.of(0))) { // a link's own size says nothing
            size = head.entry().size();
        }
        Optional<ByteRange> range = ByteRange.of(header, size);
        ByteRange part = range.orElse(new ByteRange(0, size));
        if (range.isPresent() && !part.isSatisfiable()) {
            call.put("Content-Range", "bytes */" + size).answer(RANGE_NOT_SATISFIABLE, new HttpRefusal.Body(RANGE_NOT_SATISFIABLE, "the range is not in the file"));
            return;
        }
        range.ifPresent(asked -> call.put("Content-Range", asked.contentRange(size)));
        try (FileContent content = files.read(account, path, part.from(), OptionalLong.of(part.length()))) {
            Download.send(length -> call.stream(range.isPresent() ? 206 : 200, RAW, length), content.bytes(), content.length());
        }
    }

    void write(Visitor visitor) throws IOException {
        Call call = visitor.call();
        Account account = account(visitor);
        Map<String, String> metadata = Metadata.attributes(call);
        String type = call.header("Content-Type").orElse("");
        String mediaType = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (mediaType.equals(RAW)) {
            String path = call.query("path").orElseThrow(() -> HttpRefusal.of(400, "path query parameter is required for raw body upload"));
            answer(call, List.of(write(visitor, account, path, metadata, plain(call))));
        } else if (mediaType.startsWith("multipart/")) {
            answer(call, writeAll(visitor, account, metadata, new Multipart(plain(call), boundary(type))));
        } else {
            throw HttpRefusal.of(400, "unsupported content type: " + type + ", expected multipart/form-data or application/octet-stream");
        }
    }

    private static void answer(Call call, List<Uploaded> written) throws IOException {
        String list = written.stream().map(dev.sandglass.wire.Json::write).collect(Collectors.joining(",", "[", "]"));
        call.answer(200, list.getBytes(StandardCharsets.UTF_8));
    }

    private static String boundary(String type) {
        return Optional.ofNullable(MultiPart.extractBoundary(type)).orElseThrow(() -> HttpRefusal.of(400, "error parsing multipart form: no boundary"));
    }

    private List<Uploaded> writeAll(Visitor visitor, Account account, Map<String, String> metadata, Multipart parts) throws IOException {
        List<Uploaded> written = new ArrayList<>();
        for (Optional<Multipart.Part> next = parts.next(); next.isPresent(); next = parts.next()) {
            Multipart.Part part = next.get();
            if (!part.name().equals(Optional.of("file"))) {
                continue;
            }
            String path = visitor.call().query("path").or(part::filename).orElseThrow(() -> HttpRefusal.of(400, "a file without a path and without a name"));
            String whole = visitor.absolute(account, path);
            if (written.stream().anyMatch(each -> each.path().equals(whole))) {
                throw HttpRefusal.of(400, "you cannot upload multiple files to the same path '" + whole + "' in one upload request, only the first specified file was uploaded");
            }
            written.add(write(visitor, account, path, metadata, part.body()));
        }
        return written;
    }

    private Uploaded write(Visitor visitor, Account account, String path, Map<String, String> metadata, InputStream body) throws IOException {
        String whole = visitor.absolute(account, path);
        DetailedEntry entry = files.write(account, whole, EntryInfo.METADATA, body);
        if (!entry.attributes().equals(metadata)) {
            files.mark(account, whole, entry.attributes().keySet(), metadata);
        }
        Entry file = entry.entry();
        return new Uploaded(whole, file.name(), "file", EntryInfo.metadata(new DetailedEntry(file, Optional.empty(), metadata)));
    }

    /** The body without the compression that it may have come with. */
    private static InputStream plain(Call call) throws IOException {
        String encoding = call.header("Content-Encoding").orElse("identity").strip().toLowerCase(Locale.ROOT);
        return switch (encoding) {
            case "identity" -> call.body();
            case "gzip" -> unzipped(call.body());
            default -> throw HttpRefusal.of(400, "error decompressing request body: unsupported Content-Encoding: " + encoding + ", supported: [gzip]");
        };
    }

    private static InputStream unzipped(InputStream body) throws IOException {
        try {
            return new GZIPInputStream(body, 1 << 16);
        } catch (ZipException noGzip) {
            throw HttpRefusal.of(400, "error decompressing request body: " + noGzip.getMessage());
        }
    }

    private static Account account(Visitor visitor) {
        Optional<String> name = visitor.call().query("username").filter(text -> !text.isEmpty());
        if (name.isEmpty()) {
            return visitor.accounts().of(visitor.view(), Optional.empty());
        }
        return visitor.accounts()
                .find(visitor.id(), name.get())
                .orElseThrow(() -> HttpRefusal.of(401, "error looking up user '" + name.get() + "': user: unknown user " + name.get()));
    }
}
