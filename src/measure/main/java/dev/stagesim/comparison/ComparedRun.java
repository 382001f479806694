package dev.stagesim.comparison;

import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stats.LogHistogram;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of the two compared runs.
 *
 * @param label name of the run in the report
 * @param runType stage of the run
 * @param sha256 digest over its artifacts
 * @param model model of the run; empty if absent
 * @param hardware hardware of the run; empty if absent
 * @param rows its requests in order of id
 * @param tokens reads the gaps between tokens by request; empty if the run has no token table
 * @param spread histogram of the gaps of all requests, if the run has one
 * @param published published aggregates
 * @param facts its settings and other stated facts
 */
public record ComparedRun(
        String label,
        String runId,
        String runType,
        String sha256,
        Optional<String> model,
        Optional<String> hardware,
        List<RequestRow> rows,
        Optional<TokenGaps.Source> tokens,
        Optional<LogHistogram> spread,
        List<Published> published,
        Facts facts) {
    public ComparedRun {
        rows = List.copyOf(rows);
        published = List.copyOf(published);
    }

    /** True if the source has aggregates and no requests. */
    public boolean aggregatesOnly() {
        return rows.isEmpty() && !published.isEmpty();
    }

    /** True if the run has the token times of each request. */
    public boolean hasTokens() {
        return tokens.isPresent();
    }

    /** True if the run has gaps between tokens, at least as a histogram of all requests. */
    public boolean hasGaps() {
        return hasTokens() || spread.isPresent();
    }

    /**
     * Returns the gaps of some requests; empty if the run has only a histogram of all requests.
     *
     * @param wanted number of tokens to read, by request
     * @param max maximum number of gaps
     */
    public Optional<TokenGaps> gaps(Map<Long, Long> wanted, Map<Long, Long> max) {
        if (hasTokens()) {
            return tokens.map(source -> source.read(wanted));
        }
        long expected = max.values().stream().mapToLong(n -> Math.max(0, n - 1)).sum();
        return spread.filter(all -> all.count() == expected).map(TokenGaps::of);
    }

    /** Returns a number that the run states, or empty. */
    public Optional<Double> number(Figure figure) {
        return Optional.ofNullable(facts.figures().get(figure));
    }
}
