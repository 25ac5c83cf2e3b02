package sparkjms;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** TLS by Java's own settings, which all clients honour; and why a broker or this side refuses it. */
final class Tls {
    private static final Pattern SECURE = Pattern.compile("(?i)^\\W*(\\w*(ssl|tls)|amqps|tcps|smfs|wss|amqpwss)\\b"
            + "|sslEnabled=true");
    private static final Pattern ADDRESS = Pattern.compile("//\\[?([^/?,\\]]+?)\\]?:(\\d+)");
    private static final int ANSWER_MS = 3000;
    private static final int AFTERWARDS_MS = 700;

    private static final Set<String> TRIED = ConcurrentHashMap.newKeySet();

    private Tls() {}

    /** One helper serves one set of options, so the settings of the process are theirs. */
    static void use(Link link) {
        link.under("tls.").forEach((name, value) -> System.setProperty("javax.net.ssl." + name, value));
    }

    /** The same, once for each url: clients may take half a minute to find out, and not tell. */
    static Failure firstRefusal(Link link, String url) {
        return TRIED.contains(url) ? null : refusal(link, url);
    }

    /** Why TLS with the broker cannot work, or null when nothing is known against it. */
    static Failure refusal(Link link, String url) {
        Matcher address = ADDRESS.matcher(url);
        if (!SECURE.matcher(url).find() || !address.find()) {
            return null;
        }
        try (SSLSocket socket = (SSLSocket) SSLSocketFactory.getDefault().createSocket()) {
            socket.connect(new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2))), ANSWER_MS);
            socket.setSoTimeout(ANSWER_MS);
            if (!"false".equals(link.get("verifyHostName"))) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
            }
            socket.startHandshake();
            socket.setSoTimeout(AFTERWARDS_MS); // TLS 1.3 refuses a client's certificate after the handshake
            if (socket.getInputStream().read() >= 0) { // some brokers speak first
                TRIED.add(url);
            }
            return null;
        } catch (SocketTimeoutException silent) {
            TRIED.add(url);
            return null;
        } catch (IOException | RuntimeException e) {
            Failure failure = Failures.of(e);
            return failure.kind.equals("tls") ? failure : null;
        }
    }
}
