package dev.stagesim.verify.chakra;

import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** One tool whose recorded runs are replayed. */
interface ChakraPart {
    /** Name of the part's folder in the corpus. */
    String name();

    /**
     * Replays a case whose recording is a result, or compares what a failing tool left behind.
     *
     * @return where ours differs; empty when it is the same
     * @throws dev.stagesim.model.StageException of kind input when we refuse the case; right where the tool failed
     * @throws IOException when a file cannot be read
     */
    List<Difference> replay(ChakraCase recorded) throws IOException;

    /** Returns the documented rule by which the product differs from the tool in this case. */
    default Optional<Deviation> deviation(ChakraCase recorded) {
        return Optional.empty();
    }
}
