package dev.stagesim.sweep;

import dev.stagesim.pipeline.Answers;
import dev.stagesim.pipeline.Pipeline;
import java.io.IOException;

/** Where the jobs of a sweep run; the package's documentation says how one is added. */
public interface Launcher {
    /** The part of the jobs that it runs; all, for most. */
    default Part part() {
        return Part.ALL;
    }

    /** What answers the questions of a search; the threads of this process, for most. */
    default Asking asking(Pipeline pipeline) throws IOException {
        return Asking.here(new Answers(pipeline));
    }

    /** How many questions of a search it takes at a time. */
    default int askedAtOnce() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * Runs the jobs of a launch and returns when each has ended, or when the launch was stopped and those under way have
     * ended.
     *
     * @throws IOException when the tables of the sweep cannot be written, or the place cannot be reached at all; what goes
     *     wrong with a single job is reported to the launch
     */
    void launch(Launch launch) throws IOException, InterruptedException;
}
