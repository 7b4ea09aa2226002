package dev.sandglass.server.e2b.connect;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a method is asked: JSON as Protocol Buffers have it, where what is left out is empty, and numbers may be texts. Fields that nobody asks for are skipped. */
public final class Message {
    private final Map<?, ?> fields;

    private Message(Map<?, ?> fields) {
        this.fields = fields;
    }

    static Message read(byte[] json) {
        try {
            return of("the message", json.length == 0 ? null : Json.tree(json));
        } catch (SandglassException noJson) {
            throw new RpcException(Code.INVALID_ARGUMENT, noJson.what());
        }
    }

    private static Message of(String name, @Nullable Object value) {
        if (value == null) {
            return new Message(Map.of());
        }
        if (value instanceof Map<?, ?> map) {
            return new Message(map);
        }
        throw wrong(name, "an object");
    }

    private static RpcException wrong(String name, String expected) {
        return new RpcException(Code.INVALID_ARGUMENT, name + ": expected " + expected);
    }

    public boolean has(String name) {
        return fields.get(name) != null;
    }

    public Message child(String name) {
        return of(name, fields.get(name));
    }

    /** Empty if it is left out. */
    public String text(String name) {
        return optionalText(name).orElse("");
    }

    public Optional<String> optionalText(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof String text) {
            return Optional.of(text);
        }
        throw wrong(name, "a text");
    }

    public boolean flag(String name, boolean otherwise) {
        Object value = fields.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw wrong(name, "true or false");
    }

    /** 0 if it is left out. */
    public long number(String name) {
        return switch (fields.get(name)) {
            case null -> 0;
            case Number number -> number.longValue();
            case String text when text.matches("-?[0-9]{1,18}") -> Long.parseLong(text);
            default -> throw wrong(name, "a number");
        };
    }

    /** The name of an enumeration's value, or its number as text; empty if it is left out. */
    public String choice(String name) {
        return fields.get(name) instanceof Number number ? Long.toString(number.longValue()) : text(name);
    }

    public List<String> texts(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
            return list.stream().map(String.class::cast).toList();
        }
        throw wrong(name, "a list of texts");
    }

    public Map<String, String> textMap(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        child(name).fields.forEach((key, value) -> {
            if (!(value instanceof String text)) {
                throw wrong(name, "texts");
            }
            texts.put(Objects.toString(key), text);
        });
        return texts;
    }

    public byte[] bytes(String name) {
        String text = text(name).replace('-', '+').replace('_', '/');
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            throw wrong(name, "base64");
        }
    }
}
