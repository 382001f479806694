package dev.stagesim.io.bundle;

import dev.stagesim.predict.Profile;
import java.nio.file.Path;
import java.util.List;

/**
 * The rows of a bundle that match a request.
 *
 * @param device source folder below {@code compute/}
 * @param model source folder below the device
 * @param warnings messages for the user about ignored rows or operators
 */
public record Bundle(Profile profile, String device, String model, List<Path> files, List<String> warnings) {
    public Bundle {
        files = List.copyOf(files);
        warnings = List.copyOf(warnings);
    }
}
