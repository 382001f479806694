package dev.stagesim.io.measured;

import java.io.IOException;
import java.nio.file.Path;

/** One format of measurements: tells its files from others and reads them. */
interface ResultFormat {
    /** The value of {@code real.source} that selects it. */
    String name();

    /** What its files are, for messages and the reference. */
    String describe();

    /** Whether a file or directory looks like one of this format. */
    boolean recognises(Glimpse file);

    /** Reads it; what is wrong with it is the user's error. */
    Measurement read(Path file, ReadOptions options) throws IOException;
}
