package dev.stagesim.verify.chakra;

import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Replays the recorded runs of one tool. */
interface ChakraPart {
    /** Name of the part's folder in the corpus. */
    String name();

    /**
     * Replays a case with a recorded result, or compares the output of a failed tool.
     *
     * @return the differences; empty if there are none
     * @throws dev.stagesim.model.StageException of kind input if the product rejects the case, which is correct if the tool
     *     failed
     * @throws IOException if a file cannot be read
     */
    List<Difference> replay(ChakraCase recorded) throws IOException;

    /** Returns the documented deviation of the product in this case. */
    default Optional<Deviation> deviation(ChakraCase recorded) {
        return Optional.empty();
    }
}
