package sparkjms.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;

/**
 * A persistent Artemis broker on loopback in a process of its own, for tests, demonstrations and first steps.
 *
 * <p>Prints {@code READY <port> <TLS port or 0>} once it accepts connections; stops in order on SIGTERM.
 */
public final class ArtemisBroker {
    private static final String HOST = "127.0.0.1";

    private ArtemisBroker() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> options = parse(args);
        int port = port(options, "port");
        int tlsPort = options.containsKey("key-store") ? port(options, "tls-port") : 0;
        Configuration configuration = configuration(options, port);
        if (tlsPort != 0) {
            configuration.addAcceptorConfiguration("tls", tlsAcceptor(options, tlsPort));
        }
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
        broker.setConfiguration(configuration);
        if (options.containsKey("user")) {
            broker.setSecurityManager(security(options.get("user"), options.get("password")));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(broker)));
        broker.start();
        if (!broker.getActiveMQServer().isStarted()) {
            throw new IllegalStateException("the broker did not start");
        }
        System.out.println("READY " + port + " " + tlsPort);
        if (options.containsKey("die-with-parent")) {
            awaitParentsEnd();
            System.exit(0);
        }
    }

    private static Configuration configuration(Map<String, String> options, int port) throws Exception {
        String data = Path.of(options.getOrDefault("data", "artemis-data")).toAbsolutePath().toString();
        Configuration configuration = new ConfigurationImpl()
                .setName("artemis")
                .setPersistenceEnabled(true)
                .setJournalType(JournalType.NIO)
                .setJournalDirectory(data + "/journal")
                .setBindingsDirectory(data + "/bindings")
                .setLargeMessagesDirectory(data + "/large-messages")
                .setPagingDirectory(data + "/paging")
                .setSecurityEnabled(options.containsKey("user"))
                .setJMXManagementEnabled(false)
                .setCriticalAnalyzer(false)
                .setGlobalMaxSize(-1) // no paging and no blocking of senders unless asked for
                .setMaxDiskUsage(-1)
                .addAcceptorConfiguration("tcp", "tcp://" + HOST + ":" + port);
        if (options.containsKey("user")) {
            Role all = new Role("all", true, true, true, true, true, true, true, true, true, true, false, false);
            configuration.putSecurityRoles("#", Set.of(all));
        }
        AddressSettings settings = new AddressSettings()
                .setAutoCreateQueues(true)
                .setAutoCreateAddresses(true)
                .setAutoDeleteQueues(false)
                .setAutoDeleteAddresses(false)
                .setMaxSizeBytes(-1)
                .setMaxDeliveryAttempts(Integer.parseInt(options.getOrDefault("max-delivery-attempts", "10")));
        if (options.containsKey("page-above")) {
            settings.setMaxSizeBytes(Long.parseLong(options.get("page-above")));
            settings.setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
        }
        String deadLetters = options.get("dead-letter-address");
        if (deadLetters != null) {
            settings.setDeadLetterAddress(SimpleString.of(deadLetters));
            configuration.addQueueConfiguration(QueueConfiguration.of(deadLetters).setRoutingType(RoutingType.ANYCAST));
        }
        return configuration.addAddressSetting("#", settings);
    }

    private static String tlsAcceptor(Map<String, String> options, int port) {
        String password = options.get("store-password");
        String stores = "?sslEnabled=true&keyStoreType=PKCS12&trustStoreType=PKCS12"
                + "&keyStorePath=" + options.get("key-store") + "&keyStorePassword=" + password
                + "&trustStorePath=" + options.get("trust-store") + "&trustStorePassword=" + password;
        boolean clients = options.containsKey("client-certificates");
        return "tcp://" + HOST + ":" + port + stores + (clients ? "&needClientAuth=true" : "");
    }

    private static ActiveMQJAASSecurityManager security(String user, String password) {
        SecurityConfiguration users = new SecurityConfiguration();
        users.addUser(user, password == null ? "" : password);
        users.addRole(user, "all");
        return new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), users);
    }

    private static void stop(EmbeddedActiveMQ broker) {
        try {
            broker.stop();
        } catch (Exception e) {
            System.err.println("The broker did not stop in order: " + e);
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

    private static int port(Map<String, String> options, String name) throws IOException {
        int port = Integer.parseInt(options.getOrDefault(name, "0"));
        if (port != 0) {
            return port;
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    /** {@code --name value} pairs; a name without a value is a flag. */
    private static Map<String, String> parse(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < args.length; i++) {
            if (!args[i].startsWith("--")) {
                throw new IllegalArgumentException("Not an option: " + args[i]);
            }
            boolean valued = i + 1 < args.length && !args[i + 1].startsWith("--");
            options.put(args[i].substring(2), valued ? args[++i] : "");
        }
        return options;
    }
}
