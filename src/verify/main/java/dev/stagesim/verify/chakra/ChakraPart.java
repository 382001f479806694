package dev.stagesim.verify.chakra;

import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Replays the recorded runs of one tool.
 *
 * @param name name of the part's folder in the corpus
 * @param deviation the documented deviation of the product in a case
 */
record ChakraPart(String name, Replay replay, Function<ChakraCase, Optional<Deviation>> deviation) {
    /** Replays a case. */
    interface Replay {
        /**
         * Replays a case with a recorded result, or compares the output of a failed tool.
         *
         * @return the differences; empty if there are none
         * @throws dev.stagesim.model.StageException of kind input if the product rejects the case, which is correct if the
         *     tool failed
         * @throws IOException if a file cannot be read
         */
        List<Difference> of(ChakraCase recorded) throws IOException;
    }

    ChakraPart(String name, Replay replay) {
        this(name, replay, recorded -> Optional.empty());
    }
}
