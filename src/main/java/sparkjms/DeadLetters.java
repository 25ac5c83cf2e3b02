package sparkjms;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends what cannot be written down to a queue of its own, in the transaction that acknowledges it. */
final class DeadLetters {
    private static final String REASON = "SparkJmsReason";

    private final Session session;
    private final MessageProducer producer;

    DeadLetters(Session session, String queue) throws JMSException {
        this.session = session;
        this.producer = session.createProducer(session.createQueue(queue));
    }

    void send(Message message, String reason) throws JMSException {
        long expires = message.getJMSExpiration();
        long left = expires == 0 ? 0 : Math.max(1, expires - System.currentTimeMillis());
        producer.send(labelled(message, reason), message.getJMSDeliveryMode(), message.getJMSPriority(), left);
    }

    private Message labelled(Message message, String reason) throws JMSException {
        try {
            Map<String, Object> properties = new LinkedHashMap<>();
            Enumeration<?> names = message.getPropertyNames();
            while (names.hasMoreElements()) {
                String name = (String) names.nextElement();
                properties.put(name, message.getObjectProperty(name));
            }
            message.clearProperties(); // those of a received message are read-only until then
            for (Map.Entry<String, Object> property : properties.entrySet()) {
                if (RowReader.settable(property.getKey())) {
                    message.setObjectProperty(property.getKey(), property.getValue());
                }
            }
            message.setStringProperty(REASON, reason);
            return message;
        } catch (JMSException | RuntimeException e) {
            // Better an empty letter with the reason than a queue that stands still.
            Message empty = session.createMessage();
            empty.setJMSCorrelationID(message.getJMSCorrelationID());
            empty.setStringProperty(REASON, reason + " (nor could it be copied: " + Failures.of(e).getMessage() + ")");
            return empty;
        }
    }
}
