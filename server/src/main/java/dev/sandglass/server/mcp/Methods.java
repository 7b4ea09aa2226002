package dev.sandglass.server.mcp;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.event.Subscription;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.server.http.Problems;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers requests, whichever way they came. Thread-safe. */
final class Methods {
    static final String INITIALIZE = "initialize";
    static final String LISTEN = "subscriptions/listen";
    static final String CALL = "tools/call";

    private static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    /** The lists change with the program only. */
    private static final long UNCHANGING_MILLIS = Duration.ofMinutes(5).toMillis();

    private static final Set<String> OF_ALL = Set.of(
            "tools/list", CALL, "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get", "completion/complete");
    private static final Set<String> OF_SESSIONS = Set.of("ping", "resources/subscribe", "resources/unsubscribe");
    private static final Set<String> WITHOUT_SESSIONS = Set.of("server/discover", LISTEN);
    /** What a client may keep for a while: how long, in milliseconds. */
    private static final Map<String, Long> CACHEABLE = Map.of(
            "server/discover", UNCHANGING_MILLIS, "tools/list", UNCHANGING_MILLIS, "prompts/list", UNCHANGING_MILLIS, "resources/templates/list", UNCHANGING_MILLIS, "resources/list", 0L, "resources/read", 0L);

    private final Toolbox tools;
    private final Resources resources;
    private final Prompts prompts;
    private final Changes changes;
    private final String instructions;
    private final Map<String, String> self;

    Methods(Engine engine, Supplier<Entrance> entrance, String version) {
        Map<String, Object> guide = Texts.guide();
        this.tools = Toolbox.of(engine, entrance);
        this.resources = new Resources(engine.sandboxes(), engine.snapshots(), engine.ancestry(), engine.files(), engine.commands());
        this.prompts = new Prompts(guide);
        this.changes = new Changes(engine.events());
        this.instructions = Objects.requireNonNull((String) guide.get("instructions")).strip();
        this.self = Map.of("name", "sandglass", "title", "Sandglass", "version", version);
    }

    boolean knows(String method, Version version) {
        return OF_ALL.contains(method) || (version.stateless() ? WITHOUT_SESSIONS : OF_SESSIONS).contains(method);
    }

    static RpcException unknown(String method) {
        String shown = method.length() > 40 ? method.substring(0, 40) + "..." : method;
        return new RpcException(RpcException.METHOD_NOT_FOUND, "There is no method " + shown + ".", "server/discover or the answer to initialize tells what there is.");
    }

    Changes changes() {
        return changes;
    }

    /** What a client is told that begins a session. */
    Map<String, Object> initialize(Version version) {
        return Map.of("protocolVersion", version.text(), "capabilities", capabilities(), "serverInfo", self, "instructions", instructions);
    }

    private static Map<String, Object> capabilities() {
        return Map.of("tools", Map.of(), "resources", Map.of("subscribe", true, "listChanged", true), "prompts", Map.of(), "completions", Map.of());
    }

    /** The answer to a request, be it an error. {@code InterruptedException} tells that nobody waits for one any more. */
    byte[] answer(Message.Request request, Version version, @Nullable Session session, Job job) throws InterruptedException {
        try {
            if (!knows(request.method(), version)) {
                throw unknown(request.method());
            }
            return request.result(dressed(request.method(), result(request, session, job), version));
        } catch (SandglassException problem) {
            return request.error(inTermsOf(version, request, problem));
        } catch (IOException problem) {
            return request.error(RpcException.of(new SandglassException(ErrorCode.GUEST_PROTOCOL, "The sandbox broke off: " + problem.getMessage() + ".", "Try again.", problem)));
        } catch (RuntimeException unforeseen) {
            return request.error(RpcException.of(Problems.unforeseen("MCP " + request.method(), unforeseen)));
        }
    }

    private static RpcException inTermsOf(Version version, Message.Request request, SandglassException problem) {
        boolean absent = request.method().equals("resources/read") && problem.code().category() == ErrorCode.Category.NOT_FOUND;
        return absent && !version.stateless()
                ? new RpcException(RpcException.RESOURCE_NOT_FOUND, problem.code(), problem.what(), problem.hint(), Map.of())
                : RpcException.of(problem);
    }

    /** What results have besides, in revisions without sessions. */
    private Map<String, Object> dressed(String method, Map<String, ?> result, Version version) {
        Map<String, Object> dressed = new LinkedHashMap<>(result);
        if (version.stateless()) {
            dressed.put("resultType", "complete");
            Map<String, Object> meta = new LinkedHashMap<>(result.get("_meta") instanceof Map<?, ?> given ? ToolDefinition.map(given) : Map.of());
            meta.put("io.modelcontextprotocol/serverInfo", self);
            dressed.put("_meta", meta);
            Long ttl = CACHEABLE.get(method);
            if (ttl != null) {
                dressed.put("ttlMs", ttl);
                dressed.put("cacheScope", "private");
            }
        }
        return dressed;
    }

    private Map<String, ?> result(Message.Request request, @Nullable Session session, Job job) throws IOException, InterruptedException {
        Map<String, @Nullable Object> params = request.params();
        return switch (request.method()) {
            case "ping" -> Map.of();
            case "server/discover" -> Map.of("supportedVersions", Version.all(), "capabilities", capabilities(), "instructions", instructions);
            case "tools/list" -> onlyPage(params, Map.of("tools", tools.list()));
            case CALL -> tools.call(params, job).toTree();
            case "resources/list" -> resources.list(cursor(params));
            case "resources/templates/list" -> onlyPage(params, resources.templates());
            case "resources/read" -> resources.read(Message.text(params, "uri"), job);
            case "resources/subscribe" -> subscribe(params, session);
            case "resources/unsubscribe" -> unsubscribe(params, session);
            case LISTEN -> listen(request, job);
            case "prompts/list" -> onlyPage(params, prompts.list());
            case "prompts/get" -> prompts.get(params);
            case "completion/complete" -> complete(params);
            default -> throw unknown(request.method());
        };
    }

    private static Optional<String> cursor(Map<String, @Nullable Object> params) {
        if (params.get("cursor") == null) {
            return Optional.empty();
        }
        if (params.get("cursor") instanceof String cursor && cursor.length() <= Message.MOST_TOKEN) {
            return Optional.of(cursor);
        }
        throw RpcException.invalidParams("cursor: it is none.", "Hand back nextCursor as it is, or leave it out to begin again.");
    }

    private static Map<String, Object> onlyPage(Map<String, @Nullable Object> params, Map<String, Object> page) {
        if (cursor(params).isPresent()) {
            throw RpcException.invalidParams("cursor: there is only one page.", "Leave it out.");
        }
        return page;
    }

    private static Map<String, Object> subscribe(Map<String, @Nullable Object> params, @Nullable Session session) {
        String uri = Message.text(params, "uri");
        requireUri(uri);
        Objects.requireNonNull(session).subscribe(uri);
        return Map.of();
    }

    private static Map<String, Object> unsubscribe(Map<String, @Nullable Object> params, @Nullable Session session) {
        Objects.requireNonNull(session).unsubscribe(Message.text(params, "uri"));
        return Map.of();
    }

    private static void requireUri(String uri) {
        if (ResourceUri.parse(uri).isEmpty()) {
            throw RpcException.invalidParams("uri: there is no resource of that URI.", "List the resources and their templates.");
        }
    }

    /** Tells of changes for as long as the client listens, and never ends by itself. */
    private Map<String, Object> listen(Message.Request request, Job job) throws IOException, InterruptedException {
        Map<String, @Nullable Object> wanted = Message.object("notifications", request.params().get("notifications"));
        boolean list = Boolean.TRUE.equals(wanted.get("resourcesListChanged"));
        Set<String> uris = Session.uris(wanted.get("resourceSubscriptions"));
        uris.forEach(Methods::requireUri);
        try (Subscription subscription = changes.subscribe()) {
            job.tell(about(request, new Message.Notification(
                    "notifications/subscriptions/acknowledged", Map.of("notifications", Map.of("resourcesListChanged", list, "resourceSubscriptions", List.copyOf(uris))))));
            while (true) {
                EventList page = job.await(() -> subscription.next(HEARTBEAT));
                for (Message.Notification change : Changes.of(page, list, uris)) {
                    job.tell(about(request, change));
                }
            }
        }
    }

    /** How a subscription ends that the client did not end. */
    byte[] endOfListening(Message.Request request) {
        return request.result(dressed(LISTEN, Map.of("_meta", Map.of(SUBSCRIPTION, request.id())), Version.V2026_07_28));
    }

    private static Message.Notification about(Message.Request subscription, Message.Notification change) {
        Map<String, @Nullable Object> params = new LinkedHashMap<>(change.params());
        params.put("_meta", Map.of(SUBSCRIPTION, subscription.id()));
        return new Message.Notification(change.method(), params);
    }

    /** Names of sandboxes are all that there is to complete. */
    private Map<String, Object> complete(Map<String, @Nullable Object> params) {
        Map<String, @Nullable Object> argument = Message.object("argument", params.get("argument"));
        boolean sandbox = Message.text(argument, "name").equals("sandbox") && argument.get("value") instanceof String;
        List<String> values = sandbox ? resources.names(String.valueOf(argument.get("value"))) : List.of();
        return Map.of("completion", Map.of("values", values, "hasMore", false));
    }
}
