import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.apache.activemq.broker.BrokerPlugin;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.SslContext;
import org.apache.activemq.security.AuthenticationUser;
import org.apache.activemq.security.SimpleAuthenticationPlugin;

/**
 * A persistent ActiveMQ Classic broker on loopback in a process of its own.
 *
 * <p>Prints {@code READY <openwire> <stomp> <ssl>} once it accepts connections, 0 for what it has not; stops in
 * order on SIGTERM, and when its standard input ends.
 */
public final class ClassicBroker {
    private static final String HOST = "127.0.0.1";

    public static void main(String[] args) throws Exception {
        Map<String, String> options = parse(args);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("classic");
        broker.setDataDirectory(options.get("data"));
        broker.setPersistent(true);
        broker.setUseJmx(false);
        broker.setUseShutdownHook(true);
        broker.setSchedulerSupport(false);
        if (options.containsKey("user")) {
            broker.setPlugins(new BrokerPlugin[] {login(options.get("user"), options.get("password"))});
        }
        int openwire = port(options, "port");
        int stomp = port(options, "stomp-port");
        broker.addConnector("tcp://" + HOST + ":" + openwire);
        broker.addConnector("stomp://" + HOST + ":" + stomp);
        int ssl = options.containsKey("key-store") ? secure(broker, options) : 0;
        broker.start();
        broker.waitUntilStarted();
        System.out.println("READY " + openwire + " " + stomp + " " + ssl);
        awaitParentsEnd();
        System.exit(0);
    }

    private static int secure(BrokerService broker, Map<String, String> options) throws Exception {
        char[] password = options.get("store-password").toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(options.get("key-store"), password), password);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(load(options.get("trust-store"), password));
        broker.setSslContext(new SslContext(keys.getKeyManagers(), trust.getTrustManagers(), null));
        int port = port(options, "ssl-port");
        boolean clients = options.containsKey("client-certificates");
        broker.addConnector("ssl://" + HOST + ":" + port + (clients ? "?transport.needClientAuth=true" : ""));
        return port;
    }

    private static KeyStore load(String path, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(new File(path))) {
            store.load(in, password);
        }
        return store;
    }

    private static SimpleAuthenticationPlugin login(String user, String password) {
        return new SimpleAuthenticationPlugin(List.of(new AuthenticationUser(user, password, "all")));
    }

    private static int port(Map<String, String> options, String name) throws IOException {
        int port = Integer.parseInt(options.getOrDefault(name, "0"));
        if (port != 0) {
            return port;
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    private static void awaitParentsEnd() {
        try {
            while (System.in.read() >= 0) {
                // only the end counts
            }
        } catch (IOException gone) {
            // the same as the end
        }
    }

    /** {@code --name value} pairs; a name without a value is a flag. */
    private static Map<String, String> parse(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < args.length; i++) {
            boolean valued = i + 1 < args.length && !args[i + 1].startsWith("--");
            options.put(args[i].substring(2), valued ? args[++i] : "");
        }
        return options;
    }
}
