package sparkjms;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** A value with its JMS type, both as UTF-8 text: what the columns hold and what the key is made of. */
final class Typed {
    private static final Map<Class<?>, byte[]> TYPES = Map.of(
            Boolean.class, utf8("boolean"), Byte.class, utf8("byte"), Short.class, utf8("short"),
            Integer.class, utf8("int"), Long.class, utf8("long"), Float.class, utf8("float"),
            Double.class, utf8("double"), Character.class, utf8("char"), byte[].class, utf8("bytes"));
    private static final byte[] STRING = utf8("string");
    private static final byte[] NULL = utf8("null");

    final byte[] type;
    final byte[] text;

    private Typed(byte[] type, byte[] text) {
        this.type = type;
        this.text = text;
    }

    static Typed of(Object value) {
        if (value == null) {
            return new Typed(NULL, null);
        } else if (value instanceof byte[]) {
            return new Typed(TYPES.get(byte[].class), Base64.getEncoder().encode((byte[]) value));
        }
        return new Typed(TYPES.getOrDefault(value.getClass(), STRING), utf8(value.toString()));
    }

    /** The value that a type's name and a text stand for. */
    static Object parse(String type, String text) {
        switch (text == null ? "null" : type) {
            case "null": return null;
            case "boolean": return Boolean.valueOf(text);
            case "byte": return Byte.valueOf(text);
            case "short": return Short.valueOf(text);
            case "int": return Integer.valueOf(text);
            case "long": return Long.valueOf(text);
            case "float": return Float.valueOf(text);
            case "double": return Double.valueOf(text);
            case "char": return text.charAt(0);
            case "bytes": return Base64.getDecoder().decode(text);
            case "string": return text;
            default: throw new IllegalArgumentException("JMS has no type '" + type + "'");
        }
    }

    static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
