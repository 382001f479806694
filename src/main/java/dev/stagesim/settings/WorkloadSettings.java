package dev.stagesim.settings;

import java.nio.file.Path;
import java.util.Optional;

/** What is to be run: the section {@code workload}. One record per kind. */
public sealed interface WorkloadSettings
        permits ServingWorkload,
                CatalogWorkload,
                MnkWorkload,
                ChakraTextWorkload,
                ChakraGenerateWorkload,
                PytorchWorkload,
                PytorchSyntheticWorkload,
                TfWorkload {
    /** A finished run to use instead of making one, for the kinds that have the key. */
    default Optional<Path> dir() {
        return Optional.empty();
    }
}
