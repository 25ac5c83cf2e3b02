package sparkjms;

import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;

/** Receives messages in batches, within one transaction until it is committed. */
final class BatchReceiver extends JmsSession {
    // Long enough for the next message of a stream to arrive, short enough not to be felt on an empty queue.
    private static final long NEXT_MS = 2;

    private MessageCodec codec;
    private MessageConsumer consumer;
    private DeadLetters deadLetters;
    private int calls;

    BatchReceiver(Link link) {
        super(link);
    }

    @Override
    void prepare() throws Exception {
        codec = new MessageCodec(link.get("dedupKey"));
        consumer = Subscriptions.consumer(session, link);
        if (link.get("deadLetterQueue") != null) {
            deadLetters = new DeadLetters(session, link.get("deadLetterQueue"));
        }
    }

    /** Answers rows, bytes to be read from the data socket, and messages sent to the dead-letter queue. */
    String receive(int number, int maxMessages, long maxBytes, long timeoutMs) throws Exception {
        if (number != ++calls) { // py4j may repeat a call whose answer it missed: those rows would be lost
            throw new Failure("lost", "a call to the Java helper was repeated");
        }
        int dead = 0;
        try (RowWriter rows = new RowWriter()) {
            Message message = first(timeoutMs, rows);
            while (message != null) {
                dead += take(message, rows);
                boolean full = rows.rows() + dead >= maxMessages || rows.bytes() >= maxBytes;
                message = full ? null : next(NEXT_MS, rows);
            }
            checkAlive();
            if (rows.rows() == 0) {
                return "0 0 " + dead;
            }
            String taken = Integer.toString(rows.rows());
            Chunk chunk = rows.take();
            int size = chunk.size(); // before it is written: a chunk being written is locked until Python reads it
            link.write(chunk);
            return taken + " " + size + " " + dead;
        }
    }

    private Message first(long timeoutMs, RowWriter rows) throws Exception {
        long end = System.nanoTime() + timeoutMs * 1_000_000;
        while (true) {
            checkAlive();
            long left = Math.max(1, (end - System.nanoTime()) / 1_000_000); // 0 would mean for ever
            Message message = next(left, rows);
            if (message != null || System.nanoTime() >= end) {
                return message;
            }
        }
    }

    /** Some clients read a body before they hand the message over: then nobody can put it aside. */
    private Message next(long waitMs, RowWriter rows) throws Exception {
        try {
            return consumer.receive(waitMs);
        } catch (RuntimeException e) {
            checkAlive();
            throw new Failure("unreadable", rows.rows() + " A message of " + link.get("destination")
                    + " cannot be read by its own JMS client, which does not even hand it over ("
                    + Failures.of(e).getMessage() + "): remove it with the broker's tools");
        }
    }

    /** Writes the message down, or sends it to the dead letters and answers 1. */
    private int take(Message message, RowWriter rows) throws Exception {
        try {
            rows.add(codec.read(message));
            return 0;
        } catch (Unreadable e) {
            checkAlive(); // a connection that broke makes a body unreadable too
            if (deadLetters == null) {
                String from = Destinations.text(message.getJMSDestination());
                throw new Failure("unreadable", rows.rows() + " Message " + message.getJMSMessageID() + " of " + from
                        + " cannot be written down: " + e.getMessage());
            }
            deadLetters.send(message, e.getMessage());
            return 1;
        }
    }
}
