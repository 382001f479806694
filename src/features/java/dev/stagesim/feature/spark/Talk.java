package dev.stagesim.feature.spark;

import dev.stagesim.sweep.TokenPart;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A conversation with whoever hands work to workers elsewhere. */
interface Talk extends AutoCloseable {
    /** Makes a run; what is sent is a {@link dev.stagesim.pipeline.PortableRun}. */
    String RUN = "run";

    /** Makes what a run rests on; what is sent is the same. */
    String PREPARE = "prepare";

    /** Counts parts of token tables; what is sent are {@link TokenPart}s with tabs between. */
    String COUNT = "count";

    /** Asks for figures without a run; what is sent is a run. */
    String ASK = "ask";

    /**
     * What came of a piece of work.
     *
     * @param name its name
     * @param place where it was done; empty when nobody has done it
     * @param words the first says how it ended
     */
    record Answer(String name, String place, List<String> words) {
        public Answer {
            words = List.copyOf(words);
        }

        /** How it ended. */
        String how() {
            return words.get(0);
        }
    }

    /**
     * Sends a piece of work.
     *
     * @param places where it had better be done; empty for anywhere
     */
    void send(String name, String verb, List<String> places, String what) throws IOException, InterruptedException;

    /** Waits a while for the next answer; null when there is none yet. */
    @Nullable
    Answer poll(long ms) throws IOException, InterruptedException;

    /** Says that there is no more work, and waits for the end. */
    void end() throws IOException, InterruptedException;

    @Override
    void close();
}
