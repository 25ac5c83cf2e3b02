package sparkjms;

import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The journal's columns, as {@code JOURNAL} in Python has them. */
final class Journal {
    private static final ArrowType STRING = new ArrowType.Utf8();
    private static final ArrowType LONG = new ArrowType.Int(64, true);
    private static final ArrowType INT = new ArrowType.Int(32, true);

    static final Schema SCHEMA = new Schema(List.of(
            new Field("key", FieldType.notNullable(new ArrowType.FixedSizeBinary(16)), null),
            column("JMSMessageID", STRING),
            column("JMSTimestamp", LONG),
            column("JMSDeliveryTime", LONG),
            column("JMSExpiration", LONG),
            column("JMSCorrelationID", STRING),
            column("JMSDestination", STRING),
            column("JMSReplyTo", STRING),
            column("JMSType", STRING),
            column("JMSDeliveryMode", STRING),
            column("JMSPriority", INT),
            column("JMSRedelivered", new ArrowType.Bool()),
            column("JMSXDeliveryCount", INT),
            column("JMSXGroupID", STRING),
            column("JMSXGroupSeq", INT),
            map("properties"),
            column("bodyType", STRING),
            column("text", STRING),
            column("bytes", new ArrowType.Binary()),
            map("map"),
            column("stream", new ArrowType.List(), value("item"))));

    private Journal() {}

    private static Field column(String name, ArrowType type, Field... children) {
        return new Field(name, FieldType.nullable(type), List.of(children));
    }

    private static Field value(String name) {
        return column(name, new ArrowType.Struct(), column("type", STRING), column("value", STRING));
    }

    private static Field map(String name) {
        Field key = new Field("key", FieldType.notNullable(STRING), null);
        Field entries = new Field("entries", FieldType.notNullable(new ArrowType.Struct()), List.of(key, value("value")));
        return column(name, new ArrowType.Map(false), entries);
    }
}
