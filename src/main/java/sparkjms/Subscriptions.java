package sparkjms;

import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.regex.Pattern;

/** Consumers of queues and of the four kinds of subscription to a topic; and the end of a durable one. */
final class Subscriptions {
    // JMS has no exception of its own for it, and every client has words of its own.
    private static final Pattern IN_USE = Pattern.compile(
            "(?i)in use|already (has|exists|in)|already.{0,40}(active|subscrib|consum)|has (an )?active|locked|link-stolen");

    private Subscriptions() {}

    static MessageConsumer consumer(Session session, Link link) throws Exception {
        Destination destination = Destinations.parse(session, link.get("destination"));
        String kind = link.get("subscription");
        try {
            return kind == null
                    ? session.createConsumer(destination, link.get("selector"))
                    : subscriber(session, link, kind, (Topic) destination);
        } catch (UnsupportedOperationException e) {
            throw link.get("selector") == null ? e : new Failure("selector", "the client has none here");
        } catch (JMSException e) {
            Failure failure = Failures.of(e);
            throw kind != null && inUse(failure) ? new Failure("busy", failure.getMessage()) : failure;
        }
    }

    private static MessageConsumer subscriber(Session session, Link link, String kind, Topic topic) throws Exception {
        String name = link.get("subscriptionName");
        String selector = link.get("selector");
        boolean noLocal = "true".equals(link.get("noLocal"));
        switch (kind) {
            case "nonDurable": return session.createConsumer(topic, selector, noLocal);
            case "durable": return durable(session, topic, name, selector, noLocal);
            default: return shared(session, topic, name, selector, kind.equals("sharedDurable"));
        }
    }

    private static MessageConsumer durable(Session session, Topic topic, String name, String selector, boolean noLocal)
            throws JMSException {
        try {
            return session.createDurableConsumer(topic, name, selector, noLocal);
        } catch (AbstractMethodError | NoSuchMethodError | UnsupportedOperationException jms11) {
            return session.createDurableSubscriber(topic, name, selector, noLocal);
        }
    }

    /** What a client says of its JMS version is not to be relied on, so it is simply asked. */
    private static MessageConsumer shared(Session session, Topic topic, String name, String selector, boolean durable)
            throws JMSException, Failure {
        try {
            return durable
                    ? session.createSharedDurableConsumer(topic, name, selector)
                    : session.createSharedConsumer(topic, name, selector);
        } catch (AbstractMethodError | NoSuchMethodError | UnsupportedOperationException none) {
            throw new Failure("shared", none.getMessage() == null ? none.getClass().getSimpleName() : none.getMessage());
        }
    }

    /** Removes a durable subscription with all that waits in it. */
    static void remove(Link link) throws Exception {
        Connection connection = null;
        try {
            connection = Connector.connect(link);
            connection.createSession(false, Session.AUTO_ACKNOWLEDGE).unsubscribe(link.get("subscriptionName"));
        } catch (InvalidDestinationException e) {
            throw new Failure("absent", Failures.of(e).getMessage());
        } catch (JMSException e) {
            Failure failure = Failures.of(e);
            boolean held = inUse(failure) || e instanceof IllegalStateException;
            throw held ? new Failure("inUse", failure.getMessage()) : failure;
        } catch (Failure e) {
            throw e.kind.equals("busy") ? new Failure("inUse", e.getMessage()) : e;
        } finally {
            if (connection != null) {
                connection.close();
            }
        }
    }

    private static boolean inUse(Failure failure) {
        boolean unsorted = failure.kind.equals("other") || failure.kind.equals("lost");
        return unsorted && IN_USE.matcher(failure.getMessage()).find();
    }
}
