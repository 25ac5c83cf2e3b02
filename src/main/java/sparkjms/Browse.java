package sparkjms;

import jakarta.jms.Connection;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.Enumeration;

/** Counts what a browser sees. */
final class Browse {
    private Browse() {}

    static int count(Link link) throws Exception {
        Connection connection = Connector.connect(link);
        try {
            // AUTO_ACKNOWLEDGE: in a transacted session ActiveMQ Classic copies what it browses to its dead letters.
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = (Queue) Destinations.parse(session, link.get("destination"));
            QueueBrowser browser = session.createBrowser(queue, link.get("selector"));
            connection.start();
            Enumeration<?> messages = browser.getEnumeration();
            int count = 0;
            for (; messages.hasMoreElements(); messages.nextElement()) {
                count++;
            }
            return count;
        } finally {
            connection.close();
        }
    }
}
