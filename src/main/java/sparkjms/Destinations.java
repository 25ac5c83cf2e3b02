package sparkjms;

import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;

/** Destinations as text: {@code queue:NAME}, {@code topic:NAME}. */
final class Destinations {
    private Destinations() {}

    static Destination parse(Session session, String text) throws JMSException {
        if (text.startsWith("topic:")) {
            return session.createTopic(text.substring(6));
        }
        return session.createQueue(text.startsWith("queue:") ? text.substring(6) : text);
    }

    static String text(Destination destination) throws JMSException {
        if (destination instanceof Queue) {
            return "queue:" + ((Queue) destination).getQueueName();
        } else if (destination instanceof Topic) {
            return "topic:" + ((Topic) destination).getTopicName();
        }
        return destination == null ? null : destination.toString();
    }
}
