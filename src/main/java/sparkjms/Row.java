package sparkjms;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** One message taken apart, texts in UTF-8: what a row of the journal holds. Names are in order of code points. */
final class Row {
    byte[] key;
    byte[] messageId;
    long timestamp;
    long deliveryTime;
    long expiration;
    byte[] correlationId;
    byte[] destination;
    byte[] replyTo;
    byte[] type;
    boolean persistent;
    int priority;
    boolean redelivered;
    int deliveryCount;
    byte[] groupId;
    Integer groupSeq;
    final TreeMap<byte[], Typed> properties = sorted();
    String bodyType;
    byte[] text;
    byte[] bytes;
    TreeMap<byte[], Typed> map;
    List<Typed> stream;

    static TreeMap<byte[], Typed> sorted() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }
}
