package dev.stagesim.io.bundle;

import dev.stagesim.predict.Profile;
import java.nio.file.Path;
import java.util.List;

/**
 * The rows of a bundle that a request asked for.
 *
 * @param device folder below {@code compute/} they come from
 * @param model folder below the device
 * @param warnings what a person should know: rows or operators left out
 */
public record Bundle(Profile profile, String device, String model, List<Path> files, List<String> warnings) {
    public Bundle {
        files = List.copyOf(files);
        warnings = List.copyOf(warnings);
    }
}
