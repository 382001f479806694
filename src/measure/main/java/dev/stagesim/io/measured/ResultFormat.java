package dev.stagesim.io.measured;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;

/** One format of measurements: recognises and reads its files. */
public abstract class ResultFormat {
    private final String name;
    private final String description;

    /**
     * @param name the value of {@code real.source} that selects it
     * @param description short description for messages and the reference
     */
    public ResultFormat(String name, String description) {
        this.name = name;
        this.description = description;
    }

    public final String name() {
        return name;
    }

    public final String describe() {
        return description;
    }

    /** True if a file or directory has this format. */
    public abstract boolean recognises(FormatProbe file);

    /**
     * Reads a file.
     *
     * @throws StageException (input) if the file contains errors
     */
    public abstract Measurement read(Path file, ReadOptions options) throws IOException;
}
