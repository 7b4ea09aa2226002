package dev.sandglass.server.mcp;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.server.http.Problems;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tools that there are: what is told of them, and what they do. Immutable. */
final class Toolbox {
    private final List<ToolDefinition> definitions;
    private final Map<String, Tool> tools;

    private Toolbox(List<ToolDefinition> definitions, Map<String, Tool> tools) {
        List<String> names = definitions.stream().map(ToolDefinition::name).sorted().toList();
        if (!names.equals(tools.keySet().stream().sorted().toList())) {
            throw new IllegalStateException("tools " + tools.keySet() + " (expected: those that are described, " + names + ")");
        }
        this.definitions = definitions;
        this.tools = tools;
    }

    static Toolbox of(Engine engine, Supplier<Entrance> entrance) {
        Map<String, Tool> tools = new HashMap<>();
        tools.putAll(new SandboxTools(engine.sandboxes(), engine.operations(), engine.routes(), entrance).tools());
        tools.putAll(new CommandTools(engine.commands()).tools());
        tools.putAll(new FileTools(engine.files()).tools());
        tools.putAll(new SnapshotTools(engine.sandboxes(), engine.snapshots(), engine.ancestry(), engine.differences()).tools());
        return new Toolbox(Texts.tools(), tools);
    }

    /** As {@code tools/list} has them, in the order in which they are described. */
    List<Map<String, Object>> list() {
        return definitions.stream().map(ToolDefinition::toTree).toList();
    }

    /** Whatever a tool fails with is an answer, which the model reads; only a tool that there is not is an error. */
    Reply call(Map<String, @Nullable Object> params, Job job) throws InterruptedException {
        String name = Message.text(params, "name");
        ToolDefinition definition = definitions.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> RpcException.invalidParams("There is no tool of that name.", "List the tools."));
        Map<String, @Nullable Object> given = Message.object("arguments", params.get("arguments"));
        try {
            Tool tool = tools.get(name);
            return tool == null ? Reply.failed(unknown(name)) : tool.call(definition.check(given), job);
        } catch (SandglassException problem) {
            return Reply.failed(problem);
        } catch (IOException problem) {
            return Reply.failed(new SandglassException(ErrorCode.GUEST_PROTOCOL, "The sandbox broke off: " + problem.getMessage() + ".", "Try again.", problem));
        } catch (RuntimeException unforeseen) {
            return Reply.failed(Problems.unforeseen("the tool " + name, unforeseen));
        }
    }

    private static SandglassException unknown(String name) {
        return new SandglassException(ErrorCode.INTERNAL, "The tool " + name + " does nothing.", "Report it.");
    }
}
