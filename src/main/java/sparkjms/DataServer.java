package sparkjms;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.function.Consumer;

/** Accepts data sockets on loopback from who knows the token. */
final class DataServer {
    private static final int MAX_TOKEN = 256;

    private final byte[] token;
    private final ServerSocket server;
    private final Consumer<Link> opened;
    private final Consumer<Link> closed;

    DataServer(String token, InetAddress address, Consumer<Link> opened, Consumer<Link> closed) throws IOException {
        this.token = token.getBytes(StandardCharsets.UTF_8);
        this.server = new ServerSocket(0, 50, address);
        this.opened = opened;
        this.closed = closed;
        start("jms-data-accept", this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    void close() throws IOException {
        server.close();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                start("jms-data-read", () -> serve(socket));
            } catch (IOException closing) {
                return;
            }
        }
    }

    /** A greeting is the token, then the settings; one byte answers it. */
    private void serve(Socket socket) {
        Link link = null;
        try (socket) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
            if (!trusted(in)) {
                return;
            }
            Map<String, String> settings = Link.decode(Link.readFrame(in));
            link = new Link(settings.get("id"), settings, socket);
            opened.accept(link);
            socket.getOutputStream().write(1);
            link.pump(in);
        } catch (IOException gone) {
            // Python closed its end, or ended
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            if (link != null) {
                closed.accept(link);
            }
        }
    }

    private boolean trusted(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_TOKEN) {
            return false;
        }
        byte[] given = new byte[length];
        in.readFully(given);
        return MessageDigest.isEqual(token, given);
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
