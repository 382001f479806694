package dev.stagesim.stage;

import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A stage's answer without artifacts, for searches that ask it thousands of times.
 *
 * @param <S> settings record of the stage
 */
public interface Oracle<S extends Record> {
    /** Figures that are known before anything is run, such as devices and their price; by name. */
    SortedMap<String, Double> known(S settings);

    /**
     * The headline figures that a run of these settings would record, those of {@link #known}, and more of the same kind.
     *
     * @throws dev.stagesim.model.StageException (input) when such a run could not be made
     */
    SortedMap<String, Double> figures(S settings, OracleContext context) throws IOException;

    /** About those figures, in a fraction of a second where they take longer; empty where there are none so soon. */
    default SortedMap<String, Double> estimates(S settings, OracleContext context) throws IOException {
        return new TreeMap<>();
    }
}
