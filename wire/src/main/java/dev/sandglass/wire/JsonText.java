package dev.sandglass.wire;

import io.avaje.json.JsonDataException;
import io.avaje.json.JsonReader;
import io.avaje.json.PropertyNames;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON as RFC 8259 has it, and nothing else: UTF-8, bounded in depth, texts of any length. The library's own reader
 * takes no text of more than 32768 characters and no bound of depth. Not thread-safe.
 */
final class JsonText implements JsonReader {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER = 400;
    private static final double EXACT = 1L << 53;

    private final String text;
    private final boolean strict;
    private int at;
    private int depth;
    /** Whether the array or object that was begun last has had nothing yet: a comma comes only later. */
    private boolean fresh;

    /** @param strict whether a field that nobody knows is an error */
    JsonText(byte[] json, boolean strict) {
        try {
            this.text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
        } catch (CharacterCodingException notUtf8) {
            throw new JsonDataException("it is not UTF-8");
        }
        this.strict = strict;
    }

    /** Nothing but white space may come after the value. */
    void end() {
        if (peek() != 0 || at < text.length()) {
            throw wrong("something follows the value");
        }
    }

    /** The next value as text, number, boolean, list, map or null. */
    @Nullable Object value() {
        return switch (currentToken()) {
            case BEGIN_OBJECT -> object();
            case BEGIN_ARRAY -> array();
            case STRING -> string();
            case NUMBER -> number();
            case BOOLEAN -> readBoolean();
            case NULL -> {
                word("null");
                yield null;
            }
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        beginObject();
        while (hasNextField()) {
            String name = nextField();
            if (fields.containsKey(name)) {
                throw wrong("a field is there twice"); // two readers may take different ones of them
            }
            fields.put(name, value());
        }
        endObject();
        return fields;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> elements = new ArrayList<>();
        beginArray();
        while (hasNextElement()) {
            elements.add(value());
        }
        endArray();
        return elements;
    }

    private Number number() {
        double number = readDouble();
        return number == Math.rint(number) && Math.abs(number) < EXACT ? (Number) (long) number : (Number) number;
    }

    @Override
    public void beginArray() {
        begin('[');
    }

    @Override
    public void endArray() {
        finish(']');
    }

    @Override
    public boolean hasNextElement() {
        return hasNext(']');
    }

    @Override
    public void beginObject(PropertyNames names) {
        begin('{');
    }

    @Override
    public void beginObject() {
        begin('{');
    }

    @Override
    public void endObject() {
        finish('}');
    }

    @Override
    public boolean hasNextField() {
        return hasNext('}');
    }

    @Override
    public String nextField() {
        String name = string();
        take(':');
        return name;
    }

    private void begin(char opening) {
        take(opening);
        fresh = true;
        if (++depth > MAX_DEPTH) {
            throw wrong("it is nested deeper than " + MAX_DEPTH);
        }
    }

    private void finish(char closing) {
        take(closing);
        fresh = false;
        depth--;
    }

    private boolean hasNext(char closing) {
        if (peek() == closing) {
            return false;
        }
        if (!fresh) {
            take(',');
            if (peek() == closing) {
                throw wrong("a value is missing after a comma");
            }
        }
        fresh = false;
        return true;
    }

    @Override
    public boolean isNullValue() {
        if (peek() != 'n') {
            return false;
        }
        word("null");
        return true;
    }

    @Override
    public boolean readBoolean() {
        boolean yes = peek() == 't';
        word(yes ? "true" : "false");
        return yes;
    }

    private void word(String expected) {
        if (!text.startsWith(expected, at)) {
            throw wrong("a value is expected");
        }
        at += expected.length();
    }

    @Override
    public int readInt() {
        return exactly(readBigInteger(), 31).intValue();
    }

    @Override
    public long readLong() {
        return exactly(readBigInteger(), 63).longValue();
    }

    private BigInteger exactly(BigInteger number, int bits) {
        if (number.bitLength() > bits) {
            throw wrong("a number is too large");
        }
        return number;
    }

    @Override
    public double readDouble() {
        return Double.parseDouble(digits());
    }

    @Override
    public BigDecimal readDecimal() {
        BigDecimal number = new BigDecimal(digits());
        if (Math.abs((long) number.scale()) > MAX_NUMBER) {
            throw wrong("a number is too large");
        }
        return number;
    }

    @Override
    public BigInteger readBigInteger() {
        try {
            return readDecimal().toBigIntegerExact();
        } catch (ArithmeticException fraction) {
            throw wrong("a whole number is expected");
        }
    }

    /** {@code -?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?} */
    private String digits() {
        peek();
        int start = at;
        skip('-');
        if (!skip('0')) {
            skipDigits();
        }
        if (skip('.')) {
            skipDigits();
        }
        if (skip('e') || skip('E')) {
            if (!skip('+')) {
                skip('-');
            }
            skipDigits();
        }
        if (at - start > MAX_NUMBER) {
            throw wrong("a number is too long");
        }
        return text.substring(start, at);
    }

    private boolean skip(char letter) {
        boolean there = at < text.length() && text.charAt(at) == letter;
        at += there ? 1 : 0;
        return there;
    }

    private void skipDigits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("a value is expected");
        }
    }

    @Override
    @SuppressWarnings("NullAway") // the library's adapters expect null for null
    public String readString() {
        return isNullValue() ? null : string();
    }

    private String string() {
        take('"');
        int plain = at;
        @Nullable StringBuilder whole = null;
        while (at < text.length()) {
            char letter = text.charAt(at++);
            if (letter == '"') {
                String rest = text.substring(plain, at - 1);
                return whole == null ? rest : whole.append(rest).toString();
            } else if (letter < ' ') {
                throw wrong("a control character is in a text");
            } else if (letter == '\\') {
                whole = whole == null ? new StringBuilder() : whole;
                whole.append(text, plain, at - 1).append(escape());
                plain = at;
            }
        }
        throw wrong("a text has no end");
    }

    private char escape() {
        char letter = at < text.length() ? text.charAt(at++) : 0;
        return switch (letter) {
            case '"', '\\', '/' -> letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> codeUnit();
            default -> throw wrong("an escape is unknown");
        };
    }

    private char codeUnit() {
        int unit = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = at < text.length() && text.charAt(at) < 128 ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) {
                throw wrong("an escape is not of four hexadecimal digits");
            }
            unit = (unit << 4) | digit;
        }
        return (char) unit;
    }

    @Override
    public byte[] readBinary() {
        return Base64.getDecoder().decode(string());
    }

    @Override
    public String readRaw() {
        peek();
        int start = at;
        skipValue();
        return text.substring(start, at);
    }

    @Override
    public void skipValue() {
        value();
    }

    @Override
    public Token currentToken() {
        return switch (peek()) {
            case '{' -> Token.BEGIN_OBJECT;
            case '[' -> Token.BEGIN_ARRAY;
            case '"' -> Token.STRING;
            case 't', 'f' -> Token.BOOLEAN;
            case 'n' -> Token.NULL;
            default -> Token.NUMBER;
        };
    }

    @Override
    public void unmappedField(String name) {
        if (strict) {
            throw wrong("the field " + name + " is not known");
        }
    }

    @Override
    public String location() {
        return "at character " + at;
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return type.cast(this);
    }

    @Override
    public void close() {}

    private void take(char expected) {
        if (peek() != expected) {
            throw wrong("'" + expected + "' is expected");
        }
        at++;
    }

    /** The next character that is not white space; 0 at the end. */
    private char peek() {
        while (at < text.length()) {
            char letter = text.charAt(at);
            if (letter != ' ' && letter != '\n' && letter != '\r' && letter != '\t') {
                return letter;
            }
            at++;
        }
        return 0;
    }

    private JsonDataException wrong(String why) {
        return new JsonDataException(why + " " + location());
    }
}
