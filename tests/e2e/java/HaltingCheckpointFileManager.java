import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.checkpointing.FileContextBasedCheckpointFileManager;

/** Spark's own, but for one file of a query's logs (such as {@code commits/1}): instead of writing it, the JVM dies. */
public final class HaltingCheckpointFileManager extends FileContextBasedCheckpointFileManager {
    private static final String HALT_AT = System.getenv("SPARK_HALT_AT_LOG");

    public HaltingCheckpointFileManager(Path path, Configuration configuration) {
        super(path, configuration);
    }

    @Override
    public CheckpointFileManager.CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
        if (path.toString().endsWith("/" + HALT_AT)) {
            Runtime.getRuntime().halt(137);
        }
        return super.createAtomic(path, overwrite);
    }
}
