package sparkjms;

import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;

/** Takes a JMS message apart. Objects are never deserialized: a message must not choose which code runs here. */
final class MessageCodec {
    /** Properties with a column of their own. */
    static final Set<String> COLUMNS = Set.of("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount");

    private final String dedupKey;
    private final MessageKey key = new MessageKey();

    MessageCodec(String dedupKey) {
        this.dedupKey = dedupKey;
    }

    Row read(Message message) throws Unreadable {
        Row row = new Row();
        String part = "headers";
        try {
            headers(message, row);
            part = "properties";
            properties(message, row);
            String identity = identity(message);
            part = "body";
            body(message, row);
            row.key = key.of(row, identity);
            return row;
        } catch (JMSException | RuntimeException e) {
            throw new Unreadable("its " + part + " cannot be read: " + Failures.of(e).getMessage());
        }
    }

    private String identity(Message message) throws JMSException, Unreadable {
        if (dedupKey == null) {
            return required(message.getJMSMessageID(), "it has no JMSMessageID");
        } else if (dedupKey.equals("JMSCorrelationID")) {
            return required(message.getJMSCorrelationID(), "it has no JMSCorrelationID");
        } else if (dedupKey.equals("JMSMessageID")) {
            return required(message.getJMSMessageID(), "it has no JMSMessageID");
        }
        return required(message.getStringProperty(dedupKey), "it has no property '" + dedupKey + "'");
    }

    private static String required(String identity, String reason) throws Unreadable {
        if (identity == null) {
            throw new Unreadable(reason);
        }
        return identity;
    }

    private static void headers(Message message, Row row) throws JMSException {
        row.messageId = Typed.utf8(message.getJMSMessageID());
        row.timestamp = message.getJMSTimestamp();
        row.deliveryTime = deliveryTime(message);
        row.expiration = message.getJMSExpiration();
        row.correlationId = Typed.utf8(message.getJMSCorrelationID());
        row.destination = Typed.utf8(Destinations.text(message.getJMSDestination()));
        row.replyTo = Typed.utf8(Destinations.text(message.getJMSReplyTo()));
        row.type = Typed.utf8(message.getJMSType());
        row.persistent = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT;
        row.priority = message.getJMSPriority();
        row.redelivered = message.getJMSRedelivered();
        row.deliveryCount = message.propertyExists("JMSXDeliveryCount")
                ? Math.max(1, message.getIntProperty("JMSXDeliveryCount"))
                : row.redelivered ? 2 : 1;
        row.groupId = Typed.utf8(message.getStringProperty("JMSXGroupID"));
        row.groupSeq = groupSeq(message, row.groupId != null);
    }

    /** Some clients say 0 where there is no group; a group's first number is 1. */
    private static Integer groupSeq(Message message, boolean grouped) throws JMSException {
        if (!message.propertyExists("JMSXGroupSeq")) {
            return null;
        }
        int number = message.getIntProperty("JMSXGroupSeq");
        return grouped || number != 0 ? number : null;
    }

    private static long deliveryTime(Message message) throws JMSException {
        try {
            return message.getJMSDeliveryTime();
        } catch (AbstractMethodError | NoSuchMethodError jms11) {
            return 0; // the client is older than JMS 2.0
        }
    }

    private static void properties(Message message, Row row) throws JMSException {
        Enumeration<?> names = message.getPropertyNames();
        while (names.hasMoreElements()) {
            String name = (String) names.nextElement();
            if (!COLUMNS.contains(name)) {
                row.properties.put(Typed.utf8(name), Typed.of(message.getObjectProperty(name)));
            }
        }
    }

    private static void body(Message message, Row row) throws JMSException {
        if (message instanceof TextMessage) {
            row.bodyType = "text";
            row.text = Typed.utf8(((TextMessage) message).getText());
        } else if (message instanceof BytesMessage) {
            row.bodyType = "bytes";
            row.bytes = bytes((BytesMessage) message);
        } else if (message instanceof MapMessage) {
            row.bodyType = "map";
            map((MapMessage) message, row);
        } else if (message instanceof StreamMessage) {
            row.bodyType = "stream";
            row.stream = stream((StreamMessage) message);
        } else {
            row.bodyType = message instanceof ObjectMessage ? "object" : "message";
        }
    }

    private static byte[] bytes(BytesMessage message) throws JMSException {
        byte[] bytes = new byte[Math.toIntExact(message.getBodyLength())];
        int read = bytes.length == 0 ? 0 : message.readBytes(bytes);
        if (read != bytes.length) {
            throw new MessageEOFException("it ends after " + read + " of " + bytes.length + " bytes");
        }
        return bytes;
    }

    private static void map(MapMessage message, Row row) throws JMSException {
        row.map = Row.sorted();
        Enumeration<?> names = message.getMapNames();
        while (names.hasMoreElements()) {
            String name = (String) names.nextElement();
            row.map.put(Typed.utf8(name), Typed.of(message.getObject(name)));
        }
    }

    private static List<Typed> stream(StreamMessage message) throws JMSException {
        List<Typed> values = new ArrayList<>();
        try {
            while (true) {
                values.add(Typed.of(message.readObject()));
            }
        } catch (MessageEOFException end) {
            return values;
        }
    }
}
