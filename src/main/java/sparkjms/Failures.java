package sparkjms;

import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import javax.naming.NameNotFoundException;
import javax.naming.NamingSecurityException;
import javax.naming.NoInitialContextException;
import javax.net.ssl.SSLException;
import javax.security.auth.login.LoginException;

/** The one place that sorts what a JMS client throws into the kinds Python knows. */
final class Failures {
    private Failures() {}

    /** The failure of a call on an open connection. */
    static Failure of(Throwable thrown) {
        return thrown instanceof Failure ? (Failure) thrown : new Failure(kind(thrown), words(thrown));
    }

    /** The failure of an attempt to connect: what is not known to be something else means nobody answered. */
    static Failure connecting(Throwable thrown) {
        Failure failure = of(thrown);
        boolean jms = thrown instanceof JMSException || thrown instanceof IOException;
        return jms && failure.kind.equals("other") ? new Failure("lost", failure.getMessage()) : failure;
    }

    private static String kind(Throwable thrown) {
        boolean lost = false;
        for (Throwable t : causes(thrown)) {
            if (t instanceof JMSSecurityException || t instanceof LoginException || t instanceof NamingSecurityException) {
                return "access";
            } else if (t instanceof InvalidClientIDException) {
                return "busy";
            } else if (t instanceof GeneralSecurityException || refusedByTls(t)) {
                return "tls";
            } else if (t instanceof InvalidSelectorException) {
                return "selector";
            } else if (t instanceof InvalidDestinationException) {
                return "destination";
            } else if (t instanceof UnknownHostException) {
                return "host";
            } else if (t instanceof AbstractMethodError || t instanceof UnsupportedOperationException) {
                return "unsupported";
            } else if (t instanceof NameNotFoundException || t instanceof NoInitialContextException) {
                return "jndi";
            } else if (t instanceof ClassNotFoundException || t instanceof LinkageError) {
                return "dependency";
            }
            lost |= t instanceof IllegalStateException || t instanceof IOException || soundsLost(t);
        }
        return lost ? "lost" : "other";
    }

    /** TLS itself said no; a line that breaks while it is being set up is merely lost. */
    private static boolean refusedByTls(Throwable thrown) {
        String words = String.valueOf(thrown.getMessage()).toLowerCase(Locale.ROOT);
        boolean broken = thrown.getCause() instanceof SocketException || thrown.getCause() instanceof EOFException;
        broken |= words.contains("closed") || words.contains("reset") || words.contains("shut down");
        return thrown instanceof SSLException && !broken;
    }

    /** Clients have exceptions of their own for a connection that is gone; their names say so. */
    private static boolean soundsLost(Throwable thrown) {
        String name = thrown.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        return name.contains("connect") || name.contains("communication") || name.contains("closed") || name.contains("unblocked")
                || name.contains("timedout") || name.contains("timeout");
    }

    private static Set<Throwable> causes(Throwable thrown) {
        Set<Throwable> all = new LinkedHashSet<>();
        for (Throwable t = thrown; t != null && all.add(t); t = t.getCause()) {
            Throwable linked = t instanceof JMSException ? ((JMSException) t).getLinkedException() : null;
            if (linked != null) {
                all.add(linked);
            }
        }
        return all;
    }

    private static String words(Throwable thrown) {
        StringBuilder words = new StringBuilder();
        for (Throwable t : causes(thrown)) {
            String message = t.getMessage() == null ? t.getClass().getSimpleName() : t.getMessage();
            boolean byName = t instanceof LinkageError || t instanceof RuntimeException || t instanceof UnknownHostException;
            String part = byName && t.getMessage() != null ? t.getClass().getSimpleName() + ": " + message : message;
            if (words.indexOf(message) < 0) {
                words.append(words.length() == 0 ? "" : "; caused by ").append(part);
            }
        }
        return words.toString();
    }
}
