package dev.stagesim.io.trace;

import dev.stagesim.contract.Member;
import java.util.Locale;
import java.util.Optional;

/** Source of a workload's requests, and the effect of a length limit. Stages that use the workload report it. */
@Member("workload.json 1 | Source of the requests of a serving workload, and the effect of workload.max_tokens.")
public record WorkloadDocument(
        @Member("Number of requests.") int requests,
        @Member("Maximum prompt plus output tokens among the requests.") long longestTokens,
        @Member("Source of the prompt and output lengths.") String lengths,
        @Member("Arrival process.") String arrivals,
        @Member("Seed of the draws.") long seed,
        @Member("Maximum prompt plus output tokens of a request; null for no limit.") Optional<Integer> maxTokens,
        @Member("Treatment of requests over the limit: workload.overlong; null without a limit.")
                Optional<String> overlong,
        @Member("Requests with a truncated prompt or output.") long truncatedRequests,
        @Member("Prompt tokens that were removed.") long truncatedPromptTokens,
        @Member("Output tokens that were removed.") long truncatedOutputTokens,
        @Member("Requests or rows over the limit that were left out or drawn again.") long droppedRequests) {
    /**
     * Returns one sentence about truncated and dropped requests and the keys that change it, or empty if there are none.
     */
    public Optional<String> truncation() {
        if (truncatedRequests == 0 && droppedRequests == 0) {
            return Optional.empty();
        }
        String limit = "workload.max_tokens=" + maxTokens.orElse(0);
        String text = "";
        if (truncatedRequests > 0) {
            text = count(truncatedRequests) + " of " + count(requests)
                    + (requests == 1 ? " request was" : " requests were") + " truncated to " + limit + ": "
                    + count(truncatedPromptTokens) + " prompt and " + count(truncatedOutputTokens)
                    + " output tokens are not in the result";
        }
        if (droppedRequests > 0) {
            text += (text.isEmpty() ? "" : "; ") + count(droppedRequests) + " requests over " + limit
                    + " were left out";
        }
        return Optional.of(text + " (workload.overlong=" + overlong.orElse("") + "). Raise workload.max_tokens to keep"
                + " them, or set workload.overlong=error to refuse them.");
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
