package dev.stagesim.sweep.launch;

import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import java.io.IOException;

/** Runs the jobs of a sweep, for example in local threads. The package documentation describes how to add a launcher. */
public interface Launcher {
    /** Returns the part of the jobs that this launcher runs; by default all. */
    default Part part() {
        return Part.ALL;
    }

    /** Returns the oracle for the queries of a search; by default threads of this process. */
    default SearchOracle oracle(Pipeline pipeline) throws IOException {
        return SearchOracle.inProcess(new OracleRunner(pipeline));
    }

    /** Returns the maximum number of concurrent queries of a search. */
    default int maxConcurrentQueries() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * Runs the jobs of a launch. Returns after the last job has ended. After a stop, returns when the running jobs have ended.
     *
     * @throws IOException if the tables of the sweep cannot be written, or the execution environment is not reachable; failures of
     *     single jobs are reported to the launch
     */
    void launch(Launch launch) throws IOException, InterruptedException;
}
