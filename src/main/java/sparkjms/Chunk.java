package sparkjms;

import java.io.ByteArrayOutputStream;

/** Rows on their way to Python: an Arrow IPC stream in memory. */
final class Chunk extends ByteArrayOutputStream {
    Chunk(int expected) {
        super(expected);
    }
}
