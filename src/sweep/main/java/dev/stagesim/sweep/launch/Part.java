package dev.stagesim.sweep.launch;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.sweep.launch.LauncherSettings.Assign;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One part of a sweep's jobs.
 *
 * @param index index of the part, from 0
 * @param count number of parts
 * @param assign rule that assigns jobs to parts
 */
public record Part(int index, int count, Assign assign) {
    /** The only part of an undivided sweep. */
    static final Part ALL = new Part(0, 1, Assign.ROUND_ROBIN);

    private static final Pattern FORM = Pattern.compile("([0-9]{1,6})/([0-9]{1,6})");

    public Part {
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("part " + index + " of " + count);
        }
    }

    /**
     * Parses {@code i/n}.
     *
     * @throws StageException (input) unless 0 <= i < n
     */
    static Part parse(String text, Assign assign) {
        Matcher form = FORM.matcher(text.strip());
        if (form.matches()) {
            int index = Integer.parseInt(form.group(1));
            int count = Integer.parseInt(form.group(2));
            if (index < count) {
                return new Part(index, count, assign);
            }
        }
        throw StageException.input(Problem.config("launcher.shard", "'" + text + "' is not a part of a sweep")
                .note("expected", "i/n with i from 0 to n-1, such as 0/4 to 3/4"));
    }

    /** True if there are other parts. */
    public boolean partial() {
        return count > 1;
    }

    /** True if a job belongs to this part. */
    public boolean has(PlannedJob job) {
        return switch (assign) {
            case ROUND_ROBIN -> job.num() % count == index;
            case HASH -> hash(job) % count == index;
        };
    }

    private static long hash(PlannedJob job) {
        String digest = Digests.sha256(String.join("\0", job.overrides()));
        return Long.parseLong(digest.substring(0, 15), 16);
    }

    /** Returns the name of the part's directory. */
    public String folder() {
        return index + "-of-" + count;
    }
}
