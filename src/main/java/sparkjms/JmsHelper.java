package sparkjms;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import py4j.GatewayServer;

/**
 * The helper process: a py4j gateway on loopback whose entry point lives in the JMS client's own class loader.
 *
 * <p>Arguments: the parent's process id and the jars of that class loader. The token comes as the first line of
 * standard input, which then stays open for as long as the parent lives.
 */
public final class JmsHelper {
    private static final long FAREWELL_MS = 3000;

    private JmsHelper() {}

    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String token = input.readLine();
        if (token == null) {
            return;
        }
        InetAddress loopback = InetAddress.getLoopbackAddress();
        AutoCloseable client = loadClient(args, token, loopback);
        GatewayServer gateway = new GatewayServer.GatewayServerBuilder(client)
                .javaAddress(loopback).javaPort(0).authToken(token).build();
        gateway.start(true);
        int dataPort = (Integer) client.getClass().getMethod("dataPort").invoke(client);
        System.out.println("READY " + gateway.getListeningPort() + " " + dataPort);
        System.setOut(System.err); // nobody reads standard output from here on

        // A fork of the parent may keep standard input open, so its process is watched as well.
        ProcessHandle.of(Long.parseLong(args[0])).ifPresent(p -> p.onExit().thenRun(() -> leave(client)));
        awaitEnd(input);
        leave(client);
    }

    private static AutoCloseable loadClient(String[] args, String token, InetAddress loopback) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            jars.add(new File(args[i]).toURI().toURL());
        }
        ClassLoader loader = new ChildFirstLoader(jars.toArray(new URL[0]), JmsHelper.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader); // clients look up their services through it
        Class<?> type = loader.loadClass("sparkjms.JmsClient");
        return (AutoCloseable) type.getConstructor(String.class, InetAddress.class).newInstance(token, loopback);
    }

    private static void awaitEnd(BufferedReader input) {
        try {
            while (input.readLine() != null) {
                // nothing is said any more: only the end counts
            }
        } catch (IOException gone) {
            // the same as the end
        }
    }

    /** Closes sessions in an orderly way, since a mere exit raises the delivery count of all that was prefetched. */
    private static void leave(AutoCloseable client) {
        Thread closing = new Thread(() -> {
            try {
                client.close();
            } catch (Exception ignored) {
                // leaving anyway
            }
        });
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(FAREWELL_MS);
        } catch (InterruptedException ignored) {
            // leaving anyway
        }
        Runtime.getRuntime().halt(0);
    }
}
