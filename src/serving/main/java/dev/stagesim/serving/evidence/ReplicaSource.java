package dev.stagesim.serving.evidence;

import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A stage that simulates replicas of a model. */
public interface ReplicaSource<S extends Record> extends Stage<S> {
    /**
     * A simulated replica.
     *
     * @param name name in the run; empty if the run has one kind of replica
     * @param engine name of the engine card; empty if unknown
     */
    record NamedReplica(String name, String engine, ReplicaModel replica) {}

    /** Returns the replicas that a finished run simulated; for a search, those of its answer. */
    List<NamedReplica> replicas(S settings, Path run) throws IOException;
}
