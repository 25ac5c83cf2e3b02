package sparkjms;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;

/** Makes JMS messages of the rows of a batch in the journal's schema. */
final class RowReader {
    /** Properties that only a provider may set. */
    private static final Set<String> PROVIDERS_OWN = Set.of(
            "JMSXDeliveryCount", "JMSXUserID", "JMSXProducerTXID", "JMSXConsumerTXID", "JMSXRcvTimestamp", "JMSXState");
    private static final int DEFAULT_PRIORITY = 4;

    private final Session session;
    private final VectorSchemaRoot root;

    RowReader(Session session, VectorSchemaRoot root) {
        this.session = session;
        this.root = root;
    }

    static boolean settable(String property) {
        return !PROVIDERS_OWN.contains(property);
    }

    int count() {
        return root.getRowCount();
    }

    boolean persistent(int i) {
        return !"NON_PERSISTENT".equals(text("JMSDeliveryMode", i));
    }

    int priority(int i) {
        IntVector vector = (IntVector) root.getVector("JMSPriority");
        return vector.isNull(i) ? DEFAULT_PRIORITY : vector.get(i);
    }

    /** JMS takes how long, not until when; 0 would mean for ever, so what is over gets the least. */
    long timeToLive(int i) {
        BigIntVector vector = (BigIntVector) root.getVector("JMSExpiration");
        return vector.isNull(i) ? 0 : Math.max(1, vector.get(i) - System.currentTimeMillis());
    }

    Message message(int i) throws JMSException {
        Message message = body(i);
        message.setJMSCorrelationID(text("JMSCorrelationID", i));
        message.setJMSType(text("JMSType", i));
        String replyTo = text("JMSReplyTo", i);
        if (replyTo != null) {
            message.setJMSReplyTo(Destinations.parse(session, replyTo));
        }
        properties(message, i);
        return message;
    }

    private void properties(Message message, int i) throws JMSException {
        MapVector properties = (MapVector) root.getVector("properties");
        if (!properties.isNull(i)) {
            Entries entries = new Entries(properties);
            for (int at = properties.getElementStartIndex(i); at < properties.getElementEndIndex(i); at++) {
                String name = entries.name(at);
                if (settable(name)) {
                    message.setObjectProperty(name, entries.values.get(at));
                }
            }
        }
        String groupId = text("JMSXGroupID", i);
        if (groupId != null) {
            message.setStringProperty("JMSXGroupID", groupId);
        }
        IntVector groupSeq = (IntVector) root.getVector("JMSXGroupSeq");
        if (!groupSeq.isNull(i)) {
            message.setIntProperty("JMSXGroupSeq", groupSeq.get(i));
        }
    }

    private Message body(int i) throws JMSException {
        String type = text("bodyType", i);
        switch (type == null ? "text" : type) {
            case "text": return session.createTextMessage(text("text", i));
            case "bytes": return bytes(i);
            case "map": return map(i);
            case "stream": return stream(i);
            case "message": return session.createMessage();
            case "object": return session.createObjectMessage();
            default: throw new IllegalArgumentException("bodyType '" + type + "' is not one of JMS");
        }
    }

    private Message bytes(int i) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        VarBinaryVector vector = (VarBinaryVector) root.getVector("bytes");
        if (!vector.isNull(i)) {
            message.writeBytes(vector.get(i));
        }
        return message;
    }

    private Message map(int i) throws JMSException {
        MapMessage message = session.createMapMessage();
        MapVector vector = (MapVector) root.getVector("map");
        if (!vector.isNull(i)) {
            Entries entries = new Entries(vector);
            for (int at = vector.getElementStartIndex(i); at < vector.getElementEndIndex(i); at++) {
                message.setObject(entries.name(at), entries.values.get(at));
            }
        }
        return message;
    }

    private Message stream(int i) throws JMSException {
        StreamMessage message = session.createStreamMessage();
        ListVector vector = (ListVector) root.getVector("stream");
        if (!vector.isNull(i)) {
            Values values = new Values((StructVector) vector.getDataVector());
            for (int at = vector.getElementStartIndex(i); at < vector.getElementEndIndex(i); at++) {
                message.writeObject(values.get(at));
            }
        }
        return message;
    }

    private String text(String column, int i) {
        return string((VarCharVector) root.getVector(column), i);
    }

    private static String string(VarCharVector vector, int i) {
        return vector.isNull(i) ? null : new String(vector.get(i), StandardCharsets.UTF_8);
    }

    /** The structs of type and text. */
    private static final class Values {
        private final VarCharVector types;
        private final VarCharVector texts;

        Values(StructVector vector) {
            types = (VarCharVector) vector.getChild("type");
            texts = (VarCharVector) vector.getChild("value");
        }

        Object get(int at) {
            return Typed.parse(string(types, at), string(texts, at));
        }
    }

    /** Names and typed values of a map column. */
    private static final class Entries {
        private final VarCharVector names;
        private final Values values;

        Entries(MapVector vector) {
            StructVector entries = (StructVector) vector.getDataVector();
            names = (VarCharVector) entries.getChildByOrdinal(0);
            values = new Values((StructVector) entries.getChildByOrdinal(1));
        }

        String name(int at) {
            return string(names, at);
        }
    }
}
