package sparkjms;

import java.net.URL;
import java.net.URLClassLoader;

/** Loads the JMS client before Spark's jars: both bring Netty, in versions that do not mix. Only Arrow is shared. */
final class ChildFirstLoader extends URLClassLoader {
    ChildFirstLoader(URL[] jars, ClassLoader parent) {
        super("jms-client", jars, parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("java.") || name.startsWith("org.apache.arrow.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null) {
                try {
                    found = findClass(name);
                } catch (ClassNotFoundException notHere) {
                    return super.loadClass(name, resolve);
                }
            }
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    @Override
    public URL getResource(String name) {
        URL here = findResource(name);
        return here != null ? here : super.getResource(name);
    }
}
