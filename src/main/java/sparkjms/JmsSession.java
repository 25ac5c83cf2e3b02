package sparkjms;

import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Session;

/** One connection with one transacted session: what receiving and sending have in common. */
abstract class JmsSession {
    private static final long CLOSE_MS = 5000;

    final Link link;
    private volatile Connection connection;
    private volatile Exception lost;
    private volatile boolean closed;
    Session session;

    JmsSession(Link link) {
        this.link = link;
    }

    final void open() throws Exception {
        connection = Connector.connect(link);
        connection.setExceptionListener(e -> lost = e);
        session = connection.createSession(true, Session.SESSION_TRANSACTED);
        prepare();
        connection.start();
    }

    /** Creates what the session needs, before anything is delivered to it. */
    abstract void prepare() throws Exception;

    void commit() throws Exception {
        checkAlive();
        session.commit();
    }

    void rollback() throws Exception {
        checkAlive();
        session.rollback();
    }

    /** A client tells of a lost connection on the side; afterwards its calls may merely return nothing. */
    final void checkAlive() throws Failure {
        if (closed) {
            throw new Failure("lost", "it was closed");
        }
        Exception cause = lost;
        if (cause != null) {
            throw new Failure("lost", Failures.of(cause).getMessage());
        }
    }

    /** Ends the connection, or waits for who does; a client that hangs over it is left behind. */
    final synchronized void close() {
        closed = true;
        Connection ending = connection;
        connection = null;
        if (ending == null) {
            return;
        }
        Thread closing = new Thread(() -> {
            try {
                ending.close();
            } catch (JMSException | RuntimeException ignored) {
                // it is gone either way
            }
        }, "jms-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    final Destination destination(String text) throws JMSException {
        return Destinations.parse(session, text);
    }
}
