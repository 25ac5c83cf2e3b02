import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/** Sends a message that says it is of a type (5 map, 6 stream) but whose body is not: URL QUEUE TYPE. */
public class SendGarbage {
    public static void main(String[] arguments) throws Exception {
        try (ServerLocator locator = ActiveMQClient.createServerLocator(arguments[0]);
                ClientSessionFactory factory = locator.createSessionFactory();
                ClientSession session = factory.createSession()) {
            ClientProducer producer = session.createProducer(arguments[1]);
            ClientMessage message = session.createMessage(Byte.parseByte(arguments[2]), true);
            message.setUserID(org.apache.activemq.artemis.utils.UUIDGenerator.getInstance().generateUUID());
            message.getBodyBuffer().writeBytes(new byte[] {1, 127, 127, 127, 127, 99, 98, 97});
            producer.send(message);
        }
    }
}
