package sparkjms;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What Python calls. Every answer is one line of text: {@code ok …}, or a kind of failure and its words, so that
 * neither references nor exceptions of the JMS client cross the border.
 */
public final class JmsClient implements AutoCloseable {
    private final DataServer server;
    private final Map<String, Link> links = new ConcurrentHashMap<>();
    private final Map<String, JmsSession> sessions = new ConcurrentHashMap<>();

    public JmsClient(String token, InetAddress address) throws IOException {
        this.server = new DataServer(token, address, link -> links.put(link.id, link), link -> {
            links.remove(link.id);
            close(link.id);
        });
    }

    public int dataPort() {
        return server.port();
    }

    public String openConsumer(String id) {
        return answer(id, () -> open(id, new BatchReceiver(link(id))));
    }

    public String openProducer(String id) {
        return answer(id, () -> open(id, new BatchSender(link(id))));
    }

    public String receive(String id, int number, int maxMessages, long maxBytes, long timeoutMs) {
        return answer(id, () -> session(id, BatchReceiver.class).receive(number, maxMessages, maxBytes, timeoutMs));
    }

    public String send(String id) {
        return answer(id, () -> session(id, BatchSender.class).send());
    }

    public String commit(String id) {
        return answer(id, () -> {
            try {
                session(id, JmsSession.class).commit();
                return "";
            } catch (Exception e) {
                throw new Failure("commit", Failures.of(e).getMessage());
            }
        });
    }

    public String rollback(String id) {
        return answer(id, () -> {
            session(id, JmsSession.class).rollback();
            return "";
        });
    }

    public String depth(String id) {
        return answer(id, () -> Integer.toString(Browse.count(link(id))));
    }

    public String unsubscribe(String id) {
        return answer(id, () -> {
            Subscriptions.remove(link(id));
            return "";
        });
    }

    public String close(String id) {
        return answer(id, () -> {
            JmsSession session = sessions.get(id);
            if (session != null) {
                session.close();
                sessions.remove(id); // only now: who leaves waits for all that are listed
            }
            Link link = links.remove(id);
            if (link != null) {
                link.close();
            }
            return "";
        });
    }

    @Override
    public void close() throws IOException {
        server.close();
        sessions.values().parallelStream().forEach(JmsSession::close);
    }

    private String open(String id, JmsSession session) throws Exception {
        try {
            session.open();
        } catch (Throwable t) {
            session.close();
            throw t;
        }
        sessions.put(id, session);
        if (!links.containsKey(id)) { // Python left while we were connecting
            close(id);
        }
        return "";
    }

    private Link link(String id) throws Failure {
        Link link = links.get(id);
        if (link == null) {
            throw new Failure("lost", "it was closed");
        }
        return link;
    }

    private <T extends JmsSession> T session(String id, Class<T> type) throws Failure {
        JmsSession session = sessions.get(id);
        if (session == null) {
            throw new Failure("lost", "it was closed");
        }
        return type.cast(session);
    }

    private interface Call {
        String run() throws Exception;
    }

    private String answer(String id, Call call) {
        Link link = links.get(id);
        try {
            return "ok " + call.run();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable t) {
            Failure failure = Failures.of(t);
            String words = failure.getMessage();
            return failure.kind + " " + (link == null ? words : link.scrub(words));
        }
    }
}
