package sparkjms;

import jakarta.jms.ConnectionFactory;
import java.net.URI;
import java.util.Hashtable;
import java.util.Map;
import javax.naming.Context;
import javax.naming.InitialContext;

/** Makes the client's connection factory: from its class and bean properties, or by JNDI. */
final class Factories {
    private static final String[] URL_PROPERTIES = {"brokerURL", "remoteURI", "url", "URL", "uri", "serverUrl"};

    private Factories() {}

    static ConnectionFactory make(Link link, String url) throws Exception {
        boolean jndi = !link.under("jndi.").isEmpty();
        Object factory = jndi ? lookUp(link, url) : construct(link, url);
        if (!(factory instanceof ConnectionFactory)) {
            String found = factory == null ? "nothing" : factory.getClass().getName();
            throw new Failure("factory", found + " is not a " + ConnectionFactory.class.getName());
        }
        for (Map.Entry<String, String> property : link.under("bean.").entrySet()) {
            Beans.set(factory, property.getKey(), property.getValue());
        }
        return (ConnectionFactory) factory;
    }

    private static Object lookUp(Link link, String url) throws Exception {
        Hashtable<String, String> environment = new Hashtable<>(link.under("jndi."));
        if (url != null) {
            environment.put(Context.PROVIDER_URL, url);
        }
        Context context = new InitialContext(environment);
        try {
            return context.lookup(link.get("factory"));
        } finally {
            context.close();
        }
    }

    /** The url first: some clients build themselves anew when it is set. */
    private static Object construct(Link link, String url) throws Exception {
        Class<?> type = Class.forName(link.get("factory"), true, Factories.class.getClassLoader());
        if (!ConnectionFactory.class.isAssignableFrom(type)) {
            throw new Failure("factory", type.getName() + " is not a " + ConnectionFactory.class.getName());
        }
        if (link.get("hostProperty") != null) {
            return withHostAndPort(type, link, url);
        } else if (link.get("urlProperty") != null) {
            return withUrl(type, link.get("urlProperty"), url);
        }
        for (String name : URL_PROPERTIES) {
            if (Beans.has(type, name)) {
                return withUrl(type, name, url);
            }
        }
        try {
            return type.getConstructor(String.class).newInstance(url);
        } catch (NoSuchMethodException none) {
            throw new Failure("factory", type.getName() + " takes a url neither as a property nor in its constructor");
        }
    }

    private static Object withUrl(Class<?> type, String property, String url) throws Exception {
        Object factory = type.getConstructor().newInstance();
        Beans.set(factory, property, url);
        return factory;
    }

    private static Object withHostAndPort(Class<?> type, Link link, String url) throws Exception {
        URI uri = new URI(url);
        if (uri.getHost() == null || uri.getPort() < 0) {
            throw new Failure("url", "it must be of the form scheme://host:port");
        }
        Object factory = type.getConstructor().newInstance();
        Beans.set(factory, link.get("hostProperty"), uri.getHost());
        Beans.set(factory, link.get("portProperty"), Integer.toString(uri.getPort()));
        return factory;
    }
}
