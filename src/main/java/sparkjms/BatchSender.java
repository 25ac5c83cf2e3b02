package sparkjms;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import java.io.ByteArrayInputStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** Sends batches of rows as messages, within one transaction until it is committed. */
final class BatchSender extends JmsSession {
    private MessageProducer producer;

    BatchSender(Link link) {
        super(link);
    }

    @Override
    void prepare() throws JMSException {
        producer = session.createProducer(destination(link.get("destination")));
        producer.setDisableMessageID("false".equals(link.get("messageIds")));
    }

    /** Sends the rows of the next frame; answers how many. */
    String send() throws Exception {
        byte[] frame = link.takeFrame();
        int sent = 0;
        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader stream = new ArrowStreamReader(new ByteArrayInputStream(frame), allocator)) {
            while (stream.loadNextBatch()) {
                RowReader rows = new RowReader(session, stream.getVectorSchemaRoot());
                for (int i = 0; i < rows.count(); i++) {
                    checkAlive();
                    send(rows, i);
                    sent++;
                }
            }
        }
        return Integer.toString(sent);
    }

    private void send(RowReader rows, int i) throws JMSException {
        Message message = rows.message(i);
        int mode = rows.persistent(i) ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT;
        producer.send(message, mode, rows.priority(i), rows.timeToLive(i));
    }
}
