package sparkjms;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The data socket of one consumer or producer. Bulk bytes pass here; py4j carries only the calls. */
final class Link {
    private static final long FRAME_WAIT_S = 60;

    final String id;
    private final Map<String, String> settings;
    private final Socket socket;
    private final BlockingQueue<byte[]> frames = new ArrayBlockingQueue<>(1);
    private final ExecutorService writer;

    Link(String id, Map<String, String> settings, Socket socket) {
        this.id = id;
        this.settings = settings;
        this.socket = socket;
        this.writer = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "jms-data-" + id);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A setting that Python sent when it connected, or null. */
    String get(String name) {
        return settings.get(name);
    }

    /** The settings whose names begin with a prefix, without it. */
    Map<String, String> under(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        settings.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }

    /** Takes secrets out of what is told: py4j logs answers. */
    String scrub(String words) {
        for (String secret : under("secret.").values()) {
            words = words.replace(secret, "********");
        }
        return words;
    }

    /** Sends bytes from another thread: the call that made them must be answered before Python reads them. */
    void write(Chunk chunk) {
        writer.execute(() -> {
            try {
                OutputStream out = socket.getOutputStream();
                chunk.writeTo(out);
                out.flush();
            } catch (IOException gone) {
                close();
            }
        });
    }

    /** The next frame that Python sent. */
    byte[] takeFrame() throws Failure, InterruptedException {
        byte[] frame = frames.poll(FRAME_WAIT_S, TimeUnit.SECONDS);
        if (frame == null) {
            throw new Failure("lost", "the rows announced never came");
        }
        return frame;
    }

    /** Reads frames until the other end closes. */
    void pump(DataInputStream in) throws IOException, InterruptedException {
        while (true) {
            frames.put(readFrame(in));
        }
    }

    void close() {
        writer.shutdown();
        try {
            socket.close();
        } catch (IOException ignored) {
            // closed is all that is wanted
        }
    }

    static byte[] readFrame(DataInputStream in) throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return frame;
    }

    static Map<String, String> decode(byte[] frame) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
        while (in.available() > 0) {
            String name = new String(readFrame(in), StandardCharsets.UTF_8);
            settings.put(name, new String(readFrame(in), StandardCharsets.UTF_8));
        }
        return settings;
    }
}
