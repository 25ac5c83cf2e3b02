package sparkjms;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Walks the urls and connects to the first that answers. */
final class Connector {
    private static final Set<String> TRY_THE_NEXT = Set.of("lost", "host");

    private Connector() {}

    static Connection connect(Link link) throws Failure {
        Tls.use(link);
        if (link.get("url.0") == null) { // JNDI knows where the broker is
            return connect(link, null);
        }
        List<String> tried = new ArrayList<>();
        Failure last = null;
        for (int i = 0; link.get("url." + i) != null; i++) {
            String url = link.get("url." + i);
            try {
                return connect(link, url);
            } catch (Failure failure) {
                if (!TRY_THE_NEXT.contains(failure.kind)) {
                    throw failure;
                }
                tried.add(url + " (" + failure.getMessage() + ")");
                // One that may come back outweighs one that cannot exist.
                last = last != null && last.kind.equals("lost") ? last : failure;
            }
        }
        throw new Failure(last.kind, String.join("; ", tried));
    }

    private static Connection connect(Link link, String url) throws Failure {
        Failure refused = url == null ? null : Tls.firstRefusal(link, url);
        if (refused != null) {
            throw refused;
        }
        try {
            return open(link, Factories.make(link, url));
        } catch (Exception | LinkageError e) {
            Failure failure = Failures.connecting(e);
            throw TRY_THE_NEXT.contains(failure.kind) && url != null ? explained(link, url, failure) : failure;
        }
    }

    private static Connection open(Link link, ConnectionFactory factory) throws Exception {
        Connection connection = link.get("user") == null && link.get("password") == null
                ? factory.createConnection()
                : factory.createConnection(link.get("user"), link.get("password"));
        try {
            if (link.get("clientId") != null) {
                connection.setClientID(link.get("clientId"));
            }
            // Some clients speak with the broker only when they must: a refusal belongs here, where it is understood.
            connection.getMetaData();
            return connection;
        } catch (Exception | LinkageError e) {
            connection.close();
            throw e;
        }
    }

    /** Some clients hide why they could not connect; an unknown name or a refused certificate is worth saying. */
    private static Failure explained(Link link, String url, Failure failure) {
        try {
            String host = new URI(url).getHost();
            if (host != null) {
                InetAddress.getByName(host);
            }
        } catch (URISyntaxException e) {
            return failure;
        } catch (UnknownHostException e) {
            return new Failure("host", "unknown host " + e.getMessage());
        }
        Failure refused = Tls.refusal(link, url);
        return refused == null ? failure : refused;
    }
}
