package dev.stagesim.feature.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a process started here would see a graphics processor. */
final class VisibleGpus {
    private static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

    private VisibleGpus() {}

    /** Of this machine and this environment. */
    static boolean any() {
        return any(Path.of("/dev"), Optional.ofNullable(System.getenv(VARIABLE)));
    }

    /**
     * Of some devices.
     *
     * @param devices folder of the system's devices; a container may show any of them under its own number
     * @param shown which of them CUDA shows to processes; empty for all
     */
    static boolean any(Path devices, Optional<String> shown) {
        if (shown.map(String::strip)
                        .filter(list -> list.isEmpty() || list.startsWith("-"))
                        .isPresent()
                || !Files.isDirectory(devices)) {
            return false;
        }
        try (Stream<Path> all = Files.list(devices)) {
            return all.map(device -> String.valueOf(device.getFileName()))
                    .anyMatch(name -> name.matches("nvidia[0-9]+|dxg"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
