import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A plain JMS client that sends what standard input describes: lines of fields separated by tabs, texts in base64.
 *
 * <p>{@code body TYPE [TEXT]} begins a message; {@code property|item TYPE NAME TEXT} and {@code header NAME TEXT} add
 * to it; {@code -} stands for null.
 */
public final class SendMessages {
    private static Session session;

    private SendMessages() {}

    public static void main(String[] args) throws Exception {
        ConnectionFactory factory =
                (ConnectionFactory) Class.forName(args[0]).getConstructor(String.class).newInstance(args[1]);
        try (Connection connection = factory.createConnection()) {
            session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Destination to = destination(args[2]);
            MessageProducer producer = session.createProducer(to);
            for (List<String[]> described : read()) {
                send(producer, described);
            }
            session.commit();
        }
    }

    private static List<List<String[]>> read() throws Exception {
        List<List<String[]>> messages = new ArrayList<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] fields = line.split("\t");
            if (fields[0].equals("body")) {
                messages.add(new ArrayList<>());
            }
            messages.get(messages.size() - 1).add(fields);
        }
        return messages;
    }

    private static void send(MessageProducer producer, List<String[]> described) throws Exception {
        Message message = body(described.get(0));
        int mode = DeliveryMode.PERSISTENT;
        int priority = Message.DEFAULT_PRIORITY;
        long timeToLive = 0;
        for (String[] fields : described.subList(1, described.size())) {
            if (fields[0].equals("property")) {
                message.setObjectProperty(fields[2], value(fields[1], fields[3]));
            } else if (fields[0].equals("item")) {
                item(message, fields[2], value(fields[1], fields[3]));
            } else if (fields[1].equals("JMSPriority")) {
                priority = Integer.parseInt(text(fields[2]));
            } else if (fields[1].equals("JMSDeliveryMode")) {
                mode = text(fields[2]).equals("PERSISTENT") ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT;
            } else if (fields[1].equals("timeToLive")) {
                timeToLive = Long.parseLong(text(fields[2]));
            } else {
                header(message, fields[1], text(fields[2]));
            }
        }
        producer.send(message, mode, priority, timeToLive);
    }

    private static Message body(String[] fields) throws Exception {
        switch (fields[1]) {
            case "text": return session.createTextMessage(text(fields[2]));
            case "bytes":
                BytesMessage bytes = session.createBytesMessage();
                bytes.writeBytes(Base64.getDecoder().decode(fields[2].equals("_") ? "" : fields[2]));
                return bytes;
            case "map": return session.createMapMessage();
            case "stream": return session.createStreamMessage();
            case "object": return session.createObjectMessage(new ArrayList<>(List.of("never", "read")));
            default: return session.createMessage();
        }
    }

    private static void header(Message message, String name, String text) throws Exception {
        switch (name) {
            case "JMSCorrelationID": message.setJMSCorrelationID(text); break;
            case "JMSType": message.setJMSType(text); break;
            case "JMSReplyTo": message.setJMSReplyTo(destination(text)); break;
            case "JMSXGroupID": message.setStringProperty(name, text); break;
            case "JMSXGroupSeq": message.setIntProperty(name, Integer.parseInt(text)); break;
            default: throw new IllegalArgumentException(name);
        }
    }

    private static void item(Message message, String name, Object value) throws Exception {
        if (message instanceof MapMessage) {
            ((MapMessage) message).setObject(name, value);
        } else {
            ((StreamMessage) message).writeObject(value);
        }
    }

    private static Object value(String type, String encoded) {
        String text = text(encoded);
        switch (type) {
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
            default: return text;
        }
    }

    /** {@code -} is null and {@code _} is empty: a field of a line cannot be. */
    private static String text(String encoded) {
        if (encoded.equals("-")) {
            return null;
        }
        return encoded.equals("_") ? "" : new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    private static Destination destination(String text) throws Exception {
        String name = text.substring(text.indexOf(':') + 1);
        return text.startsWith("topic:") ? session.createTopic(name) : session.createQueue(name);
    }
}
