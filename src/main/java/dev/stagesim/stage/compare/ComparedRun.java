package dev.stagesim.stage.compare;

import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stage.compare.Facts.Figure;
import dev.stagesim.stats.LogHistogram;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of the two runs, read.
 *
 * @param label what the report calls it
 * @param runType stage that made it
 * @param sha256 digest over its artifacts
 * @param model model it ran; empty when the run does not say
 * @param hardware hardware it ran on
 * @param rows its requests in order of id
 * @param tokens reads the gaps between its tokens, request by request; empty when it has no table of them
 * @param spread the gaps of all requests, where the run has counted them; empty otherwise
 * @param published aggregates that its author published
 * @param facts its settings and what else it says of itself
 */
record ComparedRun(
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
    ComparedRun {
        rows = List.copyOf(rows);
        published = List.copyOf(published);
    }

    /** True when its source told aggregates and no requests. */
    boolean aggregatesOnly() {
        return rows.isEmpty() && !published.isEmpty();
    }

    /** True when it has the times of each request's tokens. */
    boolean hasTokens() {
        return tokens.isPresent();
    }

    /** True when it has gaps between tokens, be it only those of all requests together. */
    boolean hasGaps() {
        return hasTokens() || spread.isPresent();
    }

    /**
     * The gaps of some requests; empty when the run does not tell those from the gaps of others.
     *
     * @param wanted number of tokens wanted, by request
     * @param most number of them that the run may have, by request
     */
    Optional<TokenGaps> gaps(Map<Long, Long> wanted, Map<Long, Long> most) {
        if (hasTokens()) {
            return tokens.map(source -> source.read(wanted));
        }
        long expected =
                most.values().stream().mapToLong(n -> Math.max(0, n - 1)).sum();
        return spread.filter(all -> all.count() == expected).map(TokenGaps::of);
    }

    /** A number that the run says of itself; empty when it does not. */
    Optional<Double> number(Figure figure) {
        return Optional.ofNullable(facts.figures().get(figure));
    }
}
