package dev.stagesim.stage;

import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Computes the metrics of a stage without artifacts, for searches that evaluate thousands of candidates.
 *
 * @param <S> settings record of the stage
 */
public interface Oracle<S extends Record> {
    /** Returns metrics that are known before the run, such as devices and their price, by name. */
    SortedMap<String, Double> known(S settings);

    /**
     * Returns the headline metrics of a run with these settings, the metrics of {@link #known}, and further metrics.
     *
     * @throws dev.stagesim.model.StageException (input) if the run is not possible
     */
    SortedMap<String, Double> figures(S settings, OracleContext context) throws IOException;

    /** Returns the remarks about defaults that a run with these settings reports. */
    default List<String> notes(S settings, OracleContext context) throws IOException {
        return List.of();
    }

    /** Returns approximate metrics within a fraction of a second; empty if there is no fast approximation. */
    default SortedMap<String, Double> estimates(S settings, OracleContext context) throws IOException {
        return new TreeMap<>();
    }
}
