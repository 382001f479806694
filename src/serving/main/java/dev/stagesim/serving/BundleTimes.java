package dev.stagesim.serving;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleContents;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.times.Packing;
import dev.stagesim.io.times.PredictorCache;
import dev.stagesim.io.times.ProfileDigest;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.Predictor;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.RandomForest;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Operator times from the profiling bundle, for the model, device, parallelism and block size of the settings. */
final class BundleTimes {
    /** Default block size of attention profiles. */
    private static final int DEFAULT_BLOCK_SIZE = 16;

    /** Version of the trained predictors; incremented when training gives other times for the same rows and settings. */
    private static final int TRAINING_VERSION = 1;

    private BundleTimes() {}

    /** Returns true if the bundle has host overheads for these settings. */
    static boolean hasHost(ReplicaModel settings, Path root) throws IOException {
        return BundleReader.hasHostOverheads(root, request(settings, root));
    }

    /** Returns the time from a request's arrival until it can be scheduled, in ms. */
    static double requestMs(ReplicaModel settings, Path root) throws IOException {
        return BundleReader.requestMs(root, request(settings, root));
    }

    private static BundleRequest request(ReplicaModel settings, Path root) throws IOException {
        return BundleRequest.of(settings.model(), settings.hardware())
                .onDevices(tensor(settings, root), settings.cluster().numPipelineStages());
    }

    /**
     * Returns the tensor-parallel size of the rows: the size of the run if the bundle has it or no times can be computed
     * for it, otherwise the nearest smaller size, or the smallest.
     */
    private static int tensor(ReplicaModel settings, Path root) throws IOException {
        int wanted = settings.cluster().tensorParallelSize();
        List<Integer> known =
                BundleContents.tensorParallelSizes(root, BundleRequest.of(settings.model(), settings.hardware()));
        if (known.isEmpty() || known.contains(wanted) || !isExtended(settings)) {
            return wanted;
        }
        return known.stream()
                .filter(size -> size < wanted)
                .reduce((smaller, larger) -> larger)
                .orElse(known.get(0));
    }

    /** Returns true if computed times extend the tables. Vidur's tables are used as they are. */
    private static boolean isExtended(ReplicaModel settings) {
        return settings.compat() != CompatMode.VIDUR
                && ExtendedTimes.canCompute(settings, settings.cluster().tensorParallelSize());
    }

    private static boolean means(PredictorSettings predictor) {
        return predictor instanceof PredictorSettings.Interpolation points
                && points.statistic() == PredictorSettings.Statistic.MEAN;
    }

    /** Warns if a calibrated bundle was fitted with another scheduler. */
    private static void warnOfOtherScheduler(ReplicaModel settings, Path root, Consumer<String> warn)
            throws IOException {
        Path calibration =
                root.resolve(JsonArtifact.of(CalibrationDocument.class).name());
        if (!Files.exists(calibration)) {
            return;
        }
        String now = ReplicaModel.name(settings.scheduler());
        Json.read(calibration)
                .find("scheduler")
                .map(LocatedJson::asString)
                .filter(then -> !then.equals(now))
                .ifPresent(then -> warn.accept("the bundle " + root.getFileName() + " was calibrated with scheduler="
                        + then + ", but this run has scheduler=" + now + ": its host times may not apply"));
    }

    /** Returns the times, extended by computed times beyond the tables if the cards permit it. */
    static OperatorTimes read(
            ReplicaModel settings,
            int longest,
            boolean host,
            Path root,
            Consumer<String> warn,
            Consumer<String> extrapolated,
            Optional<Path> cache)
            throws IOException {
        warnOfOtherScheduler(settings, root, warn);
        BundleRequest request = request(settings, root)
                .withBlockSize(blockSize(settings.scheduler(), warn))
                .withHostOverheads(host)
                .withMeans(means(settings.predictor()))
                .withVidurRules(settings.compat() == CompatMode.VIDUR);
        boolean isExtended = isExtended(settings);
        Optional<Bundle> complete =
                isExtended ? complete(root, request) : Optional.of(BundleReader.read(root, request));
        Bundle bundle = complete.isPresent() ? complete.get() : withoutTransfers(root, request);
        bundle.warnings().forEach(warn);
        OperatorTimes times = fitted(settings, bundle.profile(), extrapolated, cache);
        ExtendedTimes.Tables tables = new ExtendedTimes.Tables(times, request.tensorParallel(), complete.isPresent());
        return isExtended ? ExtendedTimes.of(settings, tables, longest, warn, extrapolated) : times;
    }

    /** Returns the rows with times of transfers; empty if they cannot be read. */
    private static Optional<Bundle> complete(Path root, BundleRequest request) throws IOException {
        try {
            return Optional.of(BundleReader.read(root, request));
        } catch (StageException missing) {
            return Optional.empty();
        }
    }

    /** Returns the rows without times of transfers. If other rows are missing too, the error names all. */
    private static Bundle withoutTransfers(Path root, BundleRequest request) throws IOException {
        try {
            return BundleReader.read(root, request.withoutTransfers());
        } catch (StageException missing) {
            return BundleReader.read(root, request);
        }
    }

    private static OperatorTimes fitted(
            ReplicaModel settings, Profile profile, Consumer<String> extrapolated, Optional<Path> cache)
            throws IOException {
        boolean asVidur = settings.compat() == CompatMode.VIDUR;
        Predictor predictor = Predictors.of(settings.predictor(), asVidur);
        predictor.extrapolated(profile).forEach(extrapolated);
        if (predictor instanceof RandomForest forest) {
            List<PredictionTable> tables = kept(Packing.TABLES, () -> forest.train(profile), profile, settings, cache);
            return TableTimes.of(forest.range().kvGranularity(), tables);
        }
        if (predictor instanceof LinearRegression linear) {
            return linear.fit(profile, kept(Packing.FORMS, () -> linear.choose(profile), profile, settings, cache));
        }
        return predictor.fit(profile);
    }

    /** Trains predictors, or reads trained ones from the cache; training takes seconds. */
    private static <T> T kept(
            Packing<T> packing, Supplier<T> training, Profile profile, ReplicaModel settings, Optional<Path> dir)
            throws IOException {
        Optional<PredictorCache<T>> cache =
                dir.map(place -> new PredictorCache<>(place.resolve("predictors"), packing));
        Map<String, String> origin = Map.of(
                "version", Integer.toString(TRAINING_VERSION),
                "settings", settings.predictor().toString(),
                "rows", ProfileDigest.of(profile));
        Optional<T> kept = cache.flatMap(c -> c.find(origin));
        if (kept.isPresent()) {
            return kept.get();
        }
        T trained = training.get();
        if (cache.isPresent()) {
            cache.get().store(origin, trained);
        }
        return trained;
    }

    /**
     * Returns the block size of the measured attention kernels. LightLLM and SGLang allocate memory in single tokens,
     * independent of the kernel.
     */
    private static int blockSize(SchedulerSettings scheduler, Consumer<String> warn) {
        if (scheduler instanceof SchedulerSettings.Sglang) {
            return DEFAULT_BLOCK_SIZE;
        }
        if (scheduler instanceof SchedulerSpec.LightLlm) {
            warn.accept("attention times were measured with KV blocks of " + DEFAULT_BLOCK_SIZE
                    + " tokens, although the lightllm scheduler allocates single tokens");
            return DEFAULT_BLOCK_SIZE;
        }
        return scheduler.blockSize();
    }
}
