package dev.stagesim.feature.suite;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.gzip.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/** Detects whether a child process would see a GPU. */
final class VisibleGpus {
    private static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

    private VisibleGpus() {}

    /** Checks this machine and environment. */
    static boolean any() {
        return any(Path.of("/dev"), Optional.ofNullable(System.getenv(VARIABLE)));
    }

    /**
     * Checks a set of devices.
     *
     * @param devices folder of the system's device files; a container may show any of them under another number
     * @param visible value of CUDA_VISIBLE_DEVICES; empty for all devices
     */
    static boolean any(Path devices, Optional<String> visible) {
        if (visible.map(String::strip)
                        .filter(list -> list.isEmpty() || list.startsWith("-"))
                        .isPresent()
                || !Files.isDirectory(devices)) {
            return false;
        }
        Predicate<Path> isGpu = device -> String.valueOf(device.getFileName()).matches("nvidia[0-9]+|dxg");
        return !Unchecked.get(() -> Directories.list(devices, isGpu)).isEmpty();
    }
}
