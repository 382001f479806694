package dev.stagesim.io.bundle;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Measured bundles outside of the repository. Tests that need them are skipped if they are absent. */
public final class MeasuredBundles {
    private static final Path ROOT = Path.of(System.getProperty("stagesim.home", "."))
            .resolve("../shared/goldens/vidur/bundles/profiling")
            .toAbsolutePath()
            .normalize();

    private MeasuredBundles() {}

    public static Path root() {
        Assumptions.assumeTrue(Files.isDirectory(ROOT), () -> "no measured bundles: there is no directory " + ROOT);
        return ROOT;
    }

    public static BundleRequest llama2On(String hardware, int tensorParallel) {
        return BundleRequest.of(CardFiles.model("llama2_7b"), CardFiles.hardware(hardware))
                .in(Optional.empty(), Optional.empty(), Optional.of("a100_pairwise_nvlink"))
                .onDevices(tensorParallel, 1);
    }

    /** Returns the bundle with dense attention measurements. */
    public static BundleRequest qwen2OnA30() {
        ModelCard model = CardFiles.model("qwen2_7b");
        return BundleRequest.of(model, CardFiles.hardware("a30"))
                .in(Optional.empty(), Optional.of("Qwen/Qwen-2-7B"), Optional.of("a30_single_gpu"));
    }
}
