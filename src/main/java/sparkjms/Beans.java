package sparkjms;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sets bean properties from text, by the types their setters take. */
final class Beans {
    private static final Map<Class<?>, Function<String, Object>> READERS = Map.of(
            String.class, text -> text,
            int.class, Integer::valueOf, Integer.class, Integer::valueOf,
            long.class, Long::valueOf, Long.class, Long::valueOf,
            double.class, Double::valueOf, Double.class, Double::valueOf,
            boolean.class, Beans::bool, Boolean.class, Beans::bool,
            Consumer.class, Beans::setting);

    private Beans() {}

    static boolean has(Class<?> type, String name) {
        return setter(type, name) != null;
    }

    /** A dot leads into a bean that the bean holds: {@code prefetchPolicy.queuePrefetch}. */
    static void set(Object bean, String path, String text) throws Exception {
        int dot = path.indexOf('.');
        Object inner = dot < 0 ? null : held(bean, path.substring(0, dot));
        if (inner != null) {
            set(inner, path.substring(dot + 1), text);
        } else {
            setOwn(bean, path, text);
        }
    }

    private static Object held(Object bean, String name) throws Exception {
        for (Method method : bean.getClass().getMethods()) {
            if (method.getParameterCount() == 0 && method.getName().equalsIgnoreCase("get" + name)) {
                return method.invoke(bean);
            }
        }
        return null;
    }

    private static void setOwn(Object bean, String name, String text) throws Exception {
        Method setter = setter(bean.getClass(), name);
        if (setter == null) {
            throw new Failure("property", name + " " + String.join(",", names(bean.getClass())));
        }
        Class<?> wanted = setter.getParameterTypes()[0];
        Object value;
        try {
            value = READERS.get(wanted).apply(text);
        } catch (IllegalArgumentException e) {
            throw new Failure("value", name + " " + wanted.getSimpleName().toLowerCase(java.util.Locale.ROOT));
        }
        try {
            setter.invoke(bean, value);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        }
    }

    private static Method setter(Class<?> type, String name) {
        String wanted = "set" + name;
        Method found = null;
        for (Method method : type.getMethods()) {
            boolean fits = settable(method) && method.getName().equalsIgnoreCase(wanted);
            if (fits && (found == null || method.getParameterTypes()[0] == String.class)) {
                found = method;
            }
        }
        return found;
    }

    private static TreeSet<String> names(Class<?> type) {
        TreeSet<String> names = new TreeSet<>();
        for (Method method : type.getMethods()) {
            if (settable(method)) {
                String name = method.getName().substring(3);
                boolean acronym = name.length() > 1 && Character.isUpperCase(name.charAt(1));
                names.add(acronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1));
            }
        }
        return names;
    }

    private static boolean settable(Method method) {
        return method.getName().startsWith("set") && method.getName().length() > 3
                && method.getParameterCount() == 1 && READERS.containsKey(method.getParameterTypes()[0]);
    }

    /** {@code name=value}, for clients that take a function to be applied to a bean they make later. */
    private static Consumer<Object> setting(String text) {
        int equals = text.indexOf('=');
        return bean -> {
            try {
                set(bean, text.substring(0, equals), text.substring(equals + 1));
            } catch (Exception e) {
                throw new IllegalArgumentException(text, e);
            }
        };
    }

    private static Boolean bool(String text) {
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.valueOf(text);
        }
        throw new IllegalArgumentException();
    }
}
