package sparkjms;

import java.io.IOException;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

/** Writes rows into Arrow vectors of the journal's schema. */
final class RowWriter implements AutoCloseable {
    private static final byte[] PERSISTENT = Typed.utf8("PERSISTENT");
    private static final byte[] NON_PERSISTENT = Typed.utf8("NON_PERSISTENT");
    private static final int FIXED_BYTES = 128; // the columns of fixed width, offsets and validity

    private final BufferAllocator allocator = new RootAllocator();
    private final VectorSchemaRoot root = VectorSchemaRoot.create(Journal.SCHEMA, allocator);
    private final Texts properties = new Texts((MapVector) root.getVector("properties"));
    private final Texts map = new Texts((MapVector) root.getVector("map"));
    private final ListVector stream = (ListVector) root.getVector("stream");
    private final Values streamValues = new Values((StructVector) stream.getDataVector());
    private int rows;
    private long bytes;

    int rows() {
        return rows;
    }

    /** About what the rows take. */
    long bytes() {
        return bytes;
    }

    void add(Row row) {
        int i = rows++;
        bytes += FIXED_BYTES;
        ((FixedSizeBinaryVector) root.getVector("key")).setSafe(i, row.key);
        text("JMSMessageID", i, row.messageId);
        time("JMSTimestamp", i, row.timestamp);
        time("JMSDeliveryTime", i, row.deliveryTime);
        time("JMSExpiration", i, row.expiration);
        text("JMSCorrelationID", i, row.correlationId);
        text("JMSDestination", i, row.destination);
        text("JMSReplyTo", i, row.replyTo);
        text("JMSType", i, row.type);
        text("JMSDeliveryMode", i, row.persistent ? PERSISTENT : NON_PERSISTENT);
        ((IntVector) root.getVector("JMSPriority")).setSafe(i, row.priority);
        ((BitVector) root.getVector("JMSRedelivered")).setSafe(i, row.redelivered ? 1 : 0);
        ((IntVector) root.getVector("JMSXDeliveryCount")).setSafe(i, row.deliveryCount);
        text("JMSXGroupID", i, row.groupId);
        if (row.groupSeq != null) {
            ((IntVector) root.getVector("JMSXGroupSeq")).setSafe(i, row.groupSeq);
        }
        properties.set(i, row.properties);
        text("bodyType", i, Typed.utf8(row.bodyType));
        text("text", i, row.text);
        if (row.bytes != null) {
            bytes += row.bytes.length;
            ((VarBinaryVector) root.getVector("bytes")).setSafe(i, row.bytes);
        }
        if (row.map != null) {
            map.set(i, row.map);
        }
        if (row.stream != null) {
            int at = stream.startNewValue(i);
            for (Typed value : row.stream) {
                streamValues.set(at++, value);
            }
            stream.endValue(i, row.stream.size());
        }
    }

    /** The rows so far as an IPC stream; the writer is empty afterwards. */
    Chunk take() throws IOException {
        root.setRowCount(rows);
        long size = 1 << 16;
        for (FieldVector vector : root.getFieldVectors()) {
            size += vector.getBufferSize();
        }
        Chunk chunk = new Chunk((int) Math.min(size, Integer.MAX_VALUE - 8));
        try (ArrowStreamWriter writer = new ArrowStreamWriter(root, null, chunk)) {
            writer.writeBatch();
        }
        clear();
        return chunk;
    }

    void clear() {
        rows = 0;
        bytes = 0;
        for (FieldVector vector : root.getFieldVectors()) {
            vector.clear();
        }
        root.setRowCount(0);
    }

    @Override
    public void close() {
        root.close();
        allocator.close();
    }

    private void text(String column, int i, byte[] utf8) {
        put((VarCharVector) root.getVector(column), i, utf8);
    }

    private void put(VarCharVector vector, int i, byte[] utf8) {
        if (utf8 != null) {
            bytes += utf8.length;
            vector.setSafe(i, utf8);
        }
    }

    private void time(String column, int i, long millis) {
        if (millis != 0) {
            ((BigIntVector) root.getVector(column)).setSafe(i, millis);
        }
    }

    /** The structs of type and text. */
    private final class Values {
        private final StructVector vector;
        private final VarCharVector type;
        private final VarCharVector text;

        Values(StructVector vector) {
            this.vector = vector;
            this.type = (VarCharVector) vector.getChild("type");
            this.text = (VarCharVector) vector.getChild("value");
        }

        void set(int i, Typed value) {
            while (i >= vector.getValueCapacity()) {
                vector.reAlloc();
            }
            vector.setIndexDefined(i);
            put(type, i, value.type);
            put(text, i, value.text);
        }
    }

    /** A map column from names to typed values. */
    private final class Texts {
        private final MapVector vector;
        private final StructVector entries;
        private final VarCharVector names;
        private final Values values;

        Texts(MapVector vector) {
            this.vector = vector;
            this.entries = (StructVector) vector.getDataVector();
            this.names = (VarCharVector) entries.getChild("key");
            this.values = new Values((StructVector) entries.getChild("value"));
        }

        void set(int i, Map<byte[], Typed> entriesOfRow) {
            int at = vector.startNewValue(i);
            for (Map.Entry<byte[], Typed> entry : entriesOfRow.entrySet()) {
                while (at >= entries.getValueCapacity()) {
                    entries.reAlloc();
                }
                entries.setIndexDefined(at);
                put(names, at, entry.getKey());
                values.set(at, entry.getValue());
                at++;
            }
            vector.endValue(i, entriesOfRow.size());
        }
    }
}
