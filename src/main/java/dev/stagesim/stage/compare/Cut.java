package dev.stagesim.stage.compare;

import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.compare.TokenGaps.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Completion times of requests that are cut to fewer tokens than they have; remembers those that cannot be. */
final class Cut {
    private static final int MOST_SHOWN = 5;
    private final Optional<TokenGaps> gaps;
    private final List<String> wrong = new ArrayList<>();

    Cut(Optional<TokenGaps> gaps) {
        this.gaps = gaps;
    }

    /** When the last of the first {@code tokens} tokens came; {@link #check} says whether that could be known. */
    long completion(RequestRow row, long tokens) {
        Span span = gaps.map(g -> g.spans().getOrDefault(row.id(), Span.NONE)).orElse(Span.NONE);
        long expected = Math.max(0, tokens - 1);
        if (span.gaps() != expected) {
            wrong.add("request " + row.id() + " has " + span.gaps() + " of " + expected);
        }
        return row.first() + span.time();
    }

    /** Refuses a token table that lacks rows of a request, or has more than one for a token. */
    void check() {
        if (!wrong.isEmpty()) {
            String more = wrong.size() > MOST_SHOWN ? ", and " + (wrong.size() - MOST_SHOWN) + " more requests" : "";
            throw StageException.input(Problem.of(
                            "artifact error",
                            gaps.map(TokenGaps::file).orElse("token_metrics.csv"),
                            "has not one row for each token after the first that the other side has: "
                                    + String.join(", ", wrong.subList(0, Math.min(MOST_SHOWN, wrong.size()))) + more)
                    .note(
                            "expected",
                            "the rows of token_index 1 to tokens - 1, each once, of every request that is cut"));
        }
    }
}
