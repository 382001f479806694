package dev.stagesim.sweep.search;

import dev.stagesim.sweep.search.Verdict.Rank;
import java.nio.file.Path;
import java.util.List;

/**
 * A search that ended.
 *
 * @param dir its directory
 * @param verdicts what became of each candidate, in order
 * @param configs the ready-to-run configurations of the winners, in order; for {@code --config-snapshot}
 * @param simulations number of simulations
 * @param found those of them that an earlier launch had made
 * @param seconds time they took together, from the first to the last
 */
public record SearchResult(
        Path dir, String id, List<Verdict> verdicts, List<Path> configs, int simulations, int found, double seconds) {
    public SearchResult {
        verdicts = List.copyOf(verdicts);
        configs = List.copyOf(configs);
    }

    /** The candidates that won. */
    public List<Verdict> winners() {
        return verdicts.stream().filter(one -> one.rank() == Rank.WON).toList();
    }
}
