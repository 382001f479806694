package dev.stagesim.stage.realbench;

import dev.stagesim.settings.RealSettings;
import java.io.IOException;
import java.nio.file.Path;

/** One format of measurements: tells its files from others and reads them. */
interface ResultFormat {
    /** The value of {@code real.source} that selects it. */
    RealSettings.Source source();

    /** What its files are, for messages. */
    String describe();

    /** Whether the file or directory looks like one of this format. */
    boolean recognises(Path file) throws IOException;

    /** Reads it; what is wrong with it is the user's error. */
    Measurement read(Path file, RealSettings settings) throws IOException;
}
