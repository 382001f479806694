package dev.stagesim.sweep.search;

import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import java.nio.file.Path;
import java.util.List;

/**
 * A finished search.
 *
 * @param dir its directory
 * @param verdicts the outcome of each candidate, in order
 * @param configs the configurations of the winners, in order; for {@code --config-snapshot}
 * @param simulations number of simulations
 * @param found number of simulations from an earlier launch
 * @param seconds total time from the first to the last simulation
 */
public record SearchResult(
        Path dir,
        String id,
        List<CandidateVerdict> verdicts,
        List<Path> configs,
        int simulations,
        int found,
        double seconds) {
    public SearchResult {
        verdicts = List.copyOf(verdicts);
        configs = List.copyOf(configs);
    }

    /** Returns the winning candidates. */
    public List<CandidateVerdict> winners() {
        return verdicts.stream().filter(verdict -> verdict.rank() == Rank.WON).toList();
    }
}
