package dev.stagesim.stage.vidurprofile;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.ProfileSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Sizes of operators, ascending and unique.
 *
 * @param tokens token counts
 * @param chunks prefill chunks
 * @param kvTokens cached tokens, up to and including the model's context
 * @param batchSizes requests of a decode batch
 */
record ProfileSizes(List<Integer> tokens, List<Integer> chunks, List<Integer> kvTokens, List<Integer> batchSizes) {
    static ProfileSizes of(ProfileSettings.Grid grid, int maxPosition) {
        List<Problem> problems = new ArrayList<>();
        List<Integer> tokens = ascending("tokens", grid.tokens(), problems);
        List<Integer> chunks = ascending("chunks", grid.chunks(), problems);
        List<Integer> kv = ascending("kv_tokens", grid.kvTokens(), problems);
        List<Integer> batches = ascending("batch_sizes", grid.batchSizes(), problems);
        StageException.refuse(problems);
        return new ProfileSizes(tokens, chunks, within(kv, maxPosition), batches);
    }

    private static List<Integer> ascending(String key, List<Integer> values, List<Problem> problems) {
        TreeSet<Integer> distinct = new TreeSet<>(values);
        if (distinct.isEmpty()) {
            problems.add(Problem.config("profile.grid." + key, "the list is empty, expected sizes"));
        }
        return List.copyOf(distinct);
    }

    private static List<Integer> within(List<Integer> kvTokens, int maxPosition) {
        TreeSet<Integer> kept = new TreeSet<>(kvTokens);
        if (kept.last() > maxPosition) {
            kept = new TreeSet<>(kept.headSet(maxPosition));
            kept.add(maxPosition);
        }
        return List.copyOf(kept);
    }
}
