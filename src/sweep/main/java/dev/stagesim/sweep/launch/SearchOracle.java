package dev.stagesim.sweep.launch;

import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Stage;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Runs the queries of a search. Thread-safe. */
public interface SearchOracle extends AutoCloseable {
    /**
     * The metrics of a simulated run that leaves no artifacts, or the reason why there are none.
     *
     * @param figures the metrics by name; empty if the run was rejected
     * @param refused the reason in one line; empty if there are metrics
     */
    record Reply(SortedMap<String, Double> figures, String refused) {
        public Reply {
            figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
        }
    }

    /**
     * Runs a stage and returns its metrics.
     *
     * @throws StageException (failed) if no worker is available any more
     */
    Reply query(Stage<?> stage, RunRequest request);

    @Override
    void close();

    /** Returns an oracle that runs in this process. */
    static SearchOracle inProcess(OracleRunner runner) {
        return new SearchOracle() {
            @Override
            public Reply query(Stage<?> stage, RunRequest request) {
                try {
                    return new Reply(runner.figures(stage, request), "");
                } catch (StageException refused) {
                    String message = refused.problems().get(0).render();
                    int end = message.indexOf('\n');
                    return new Reply(new TreeMap<>(), end < 0 ? message : message.substring(0, end));
                }
            }

            @Override
            public void close() {}
        };
    }
}
