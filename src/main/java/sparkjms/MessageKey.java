package sparkjms;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;

/** The key that copies of one message share: the same bytes as {@code message_key} in Python makes. */
final class MessageKey {
    private static final int SIZE = 16;

    private final MessageDigest digest;
    private final byte[] length = new byte[4];

    MessageKey() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java has it
        }
    }

    byte[] of(Row row, String identity) {
        part(row.destination);
        part(Typed.utf8(identity));
        part(Typed.utf8(row.bodyType));
        body(row);
        row.properties.forEach((name, value) -> {
            if (senderSet(name)) {
                part(name);
                value(value);
            }
        });
        return Arrays.copyOf(digest.digest(), SIZE);
    }

    private void body(Row row) {
        if (row.map != null) {
            for (Map.Entry<byte[], Typed> entry : row.map.entrySet()) {
                part(entry.getKey());
                value(entry.getValue());
            }
        } else if (row.stream != null) {
            row.stream.forEach(this::value);
        } else {
            part(row.bytes != null ? row.bytes : row.text);
        }
    }

    private void value(Typed value) {
        part(value.type);
        part(value.text);
    }

    private void part(byte[] bytes) {
        int size = bytes == null ? -1 : bytes.length;
        length[0] = (byte) (size >> 24);
        length[1] = (byte) (size >> 16);
        length[2] = (byte) (size >> 8);
        length[3] = (byte) size;
        digest.update(length);
        if (bytes != null) {
            digest.update(bytes);
        }
    }

    private static boolean senderSet(byte[] name) {
        String text = new String(name, StandardCharsets.UTF_8);
        return !(text.startsWith("JMS") || text.startsWith("_AMQ_") || text.startsWith("__AMQ_"));
    }
}
