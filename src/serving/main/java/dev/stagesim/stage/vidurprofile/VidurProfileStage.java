package dev.stagesim.stage.vidurprofile;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleContents;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Report;
import dev.stagesim.serving.PredictionQuality;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Creates a profiling bundle in Vidur's layout. */
public final class VidurProfileStage implements Stage<VidurProfileSettings> {
    @Override
    public StageSpec<VidurProfileSettings> spec() {
        return new StageSpec<>(
                "vidur_profile",
                "Profile a model on a device: operator times in Vidur's layout.",
                VidurProfileSettings.class,
                () -> BundleTables.ALL,
                2,
                false);
    }

    @Override
    public List<Upstream> upstreams(VidurProfileSettings settings) {
        return List.of();
    }

    @Override
    public List<Path> reads(VidurProfileSettings settings, Path home) throws IOException {
        return settings.profile() instanceof ProfileSettings.Import imported
                ? BundleImporter.reads(settings.model(), settings.hardware(), imported)
                : List.of();
    }

    @Override
    public boolean measures(VidurProfileSettings settings) {
        return settings.profile() instanceof ProfileSettings.Torch || engine(settings);
    }

    private static boolean engine(VidurProfileSettings settings) {
        return settings.profile() instanceof ProfileSettings.Reference;
    }

    @Override
    public List<String> ignoredSections(VidurProfileSettings settings) {
        return engine(settings) || settings.profile() instanceof ProfileSettings.Roofline
                ? List.of()
                : List.of("engine");
    }

    @Override
    public void check(VidurProfileSettings settings, Path home) throws IOException {
        if (engine(settings)) {
            ofEngine().check(settings, home);
        }
    }

    private static StageKind<VidurProfileSettings> ofEngine() {
        return StageKind.of(ProfileSettings.Reference.class, "profile", "reference");
    }

    @Override
    public void run(VidurProfileSettings settings, StageContext context) throws IOException {
        if (settings.profile() instanceof ProfileSettings.Roofline roofline) {
            new RooflineProfiler(
                            settings.model(),
                            settings.hardware(),
                            roofline,
                            settings.engine().step(),
                            context)
                    .run();
        } else if (settings.profile() instanceof ProfileSettings.Import imported) {
            new BundleImporter(settings.model(), settings.hardware(), imported, context).run();
        } else if (settings.profile() instanceof ProfileSettings.Torch torch) {
            new TorchProfiler(settings.model(), settings.hardware(), torch, context).run();
        } else if (engine(settings)) {
            ofEngine().run(settings, context);
        } else {
            throw new IllegalStateException(
                    "no profiler for " + settings.profile().getClass());
        }
    }

    /** Imports an existing bundle: checks its contents and copies the required files. */
    private record BundleImporter(
            ModelCard model, HardwareCard hardware, ProfileSettings.Import settings, StageContext context) {
        private static final int PIPELINE = 2;

        void run() throws IOException {
            Map<Integer, Bundle> bundles = read();
            Set<Path> files = new LinkedHashSet<>();
            Set<String> warnings = new LinkedHashSet<>();
            bundles.values().forEach(bundle -> {
                files.addAll(bundle.files());
                warnings.addAll(bundle.warnings());
            });
            Bundle any = bundles.values().iterator().next();
            files.addAll(BundleContents.transfersAndHost(settings.root(), request(model, hardware, settings, 1)));
            List<String> copied = new ArrayList<>();
            for (Path file : files) {
                copied.add(copy(file, any));
            }
            warnings.forEach(warning -> context.warn(relative(warning)));
            write(bundles, copied, warnings, any);
        }

        /** Returns the files that an import reads. */
        static List<Path> reads(ModelCard model, HardwareCard hardware, ProfileSettings.Import settings)
                throws IOException {
            Set<Path> files = new TreeSet<>();
            for (int degree : degrees(model, hardware, settings)) {
                files.addAll(BundleReader.files(settings.root(), request(model, hardware, settings, degree)));
            }
            files.addAll(BundleContents.transfersAndHost(settings.root(), request(model, hardware, settings, 1)));
            return List.copyOf(files);
        }

        /**
         * Returns the requested degrees, otherwise the degrees of the bundle; 1 if it has none, so that the reader reports the
         * cause.
         */
        private static List<Integer> degrees(ModelCard model, HardwareCard hardware, ProfileSettings.Import settings)
                throws IOException {
            if (!settings.tensorParallelSizes().isEmpty()) {
                return settings.tensorParallelSizes();
            }
            List<Integer> there =
                    BundleContents.tensorParallelSizes(settings.root(), request(model, hardware, settings, 1));
            return there.isEmpty() ? List.of(1) : there;
        }

        private static BundleRequest request(
                ModelCard model, HardwareCard hardware, ProfileSettings.Import settings, int degree) {
            return BundleRequest.of(model, hardware)
                    .in(settings.device(), settings.modelName(), settings.networkDevice())
                    .withBlockSize(settings.blockSize())
                    .withHostOverheads(settings.hostOverheads())
                    .onDevices(degree, settings.pipelineParallel() ? PIPELINE : 1);
        }

        /** Reads the bundle for each degree and reports all missing data at once; requested degrees must be complete. */
        private Map<Integer, Bundle> read() throws IOException {
            Map<Integer, Bundle> bundles = new TreeMap<>();
            Map<Integer, StageException> broken = new TreeMap<>();
            for (int degree : degrees(model, hardware, settings)) {
                try {
                    bundles.put(degree, BundleReader.read(settings.root(), request(model, hardware, settings, degree)));
                } catch (StageException e) {
                    broken.put(degree, e);
                }
            }
            if (bundles.isEmpty()
                    || (!broken.isEmpty() && !settings.tensorParallelSizes().isEmpty())) {
                Set<Problem> problems = new LinkedHashSet<>();
                broken.values().forEach(e -> problems.addAll(e.problems()));
                throw StageException.input(List.copyOf(problems));
            }
            broken.forEach((degree, e) -> context.warn(relative("tensor-parallel size " + degree + " is skipped: "
                    + e.problems().get(0).where() + ": " + e.problems().get(0).what())));
            return bundles;
        }

        /** Copies a file to the path of the cards' names for downstream stages; returns its path in the run. */
        private String copy(Path file, Bundle bundle) throws IOException {
            String inside = settings.root().relativize(file).toString().replace('\\', '/');
            String target = inside.replace("/" + bundle.model() + "/", "/" + PathPart.model(model.name()) + "/");
            Files.write(OutputFile.in(context.out(), target), InputFile.rawBytes(file));
            return target;
        }

        private void write(Map<Integer, Bundle> bundles, List<String> files, Set<String> warnings, Bundle any)
                throws IOException {
            Report out = new Report("Profile of " + model.name() + " on " + hardware.name())
                    .answer("Imported: folder " + any.device() + "/" + any.model() + ", tensor-parallel sizes "
                            + bundles.keySet().stream().map(String::valueOf).collect(Collectors.joining(", ")) + ".");
            PredictionQuality quality = PredictionQuality.of(bundles, settings.quality(), context);
            quality.write(context.out());
            out.tables(quality.tables());
            warnings.forEach(warning -> out.item(relative(warning)));
            out.summary(context.out());
            Json.write(
                    context.out().resolve("provenance.json"),
                    JsonValue.object()
                            .put("profiler", "import")
                            .put("model", model.name())
                            .put("hardware", hardware.name())
                            .put("device_folder", any.device())
                            .put("model_folder", any.model())
                            .put("files", JsonValue.strings(files))
                            .put(
                                    "warnings",
                                    JsonValue.strings(warnings.stream()
                                            .map(this::relative)
                                            .toList()))
                            .build());
            context.headline("files", files.size());
            context.headline(
                    "attention_rows",
                    any.profile().prefill().rows() + any.profile().decode().rows());
        }

        /** Artifacts do not depend on the location of the bundle. */
        private String relative(String warning) {
            return warning.replace(settings.root() + "/", "").replace(settings.root() + "\\", "");
        }
    }
}
