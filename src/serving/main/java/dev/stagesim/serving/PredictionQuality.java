package dev.stagesim.serving;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.HeldOut;
import dev.stagesim.predict.Learner;
import dev.stagesim.predict.Learners;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.config.ProfileSettings.EvaluatedPredictor;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;

/** Cross-validation errors of predictors on a bundle, by tensor-parallel size, predictor and operator. */
public record PredictionQuality(Map<Integer, Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>>> errors) {
    /** Default outlier threshold of the interpolation. */
    private static final double OUTLIERS = 0.2;

    private static final ForestSpec FOREST = new ForestSpec(250, 16, 2);
    private static final long SEED = 42;
    private static final int FOLDS = 10;

    public static PredictionQuality of(
            Map<Integer, Bundle> bundles, List<EvaluatedPredictor> wanted, StageContext context) {
        Map<Integer, Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>>> errors = new LinkedHashMap<>();
        int done = 0;
        for (Map.Entry<Integer, Bundle> bundle : bundles.entrySet()) {
            Profile profile = bundle.getValue().profile();
            Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>> byPredictor = new LinkedHashMap<>();
            for (EvaluatedPredictor evaluated : new TreeSet<>(wanted)) {
                context.progress("cross-validating predictors", done++, (long) bundles.size() * wanted.size());
                byPredictor.put(evaluated, HeldOut.errors(profile, learner(evaluated)));
            }
            errors.put(bundle.getKey(), byPredictor);
        }
        return new PredictionQuality(errors);
    }

    /** Returns the errors on the bundle of a run; tensor-parallel sizes without transfer times are skipped. */
    public static PredictionQuality ofWritten(
            ModelCard model,
            HardwareCard hardware,
            int blockSize,
            List<Integer> tensorParallelSizes,
            List<EvaluatedPredictor> wanted,
            StageContext context)
            throws IOException {
        Map<Integer, Bundle> bundles = new LinkedHashMap<>();
        for (int degree : wanted.isEmpty() ? List.<Integer>of() : tensorParallelSizes) {
            BundleRequest request =
                    BundleRequest.of(model, hardware).withBlockSize(blockSize).onDevices(degree, 1);
            read(request, context).ifPresent(bundle -> bundles.put(degree, bundle));
        }
        return of(bundles, wanted, context);
    }

    private static Optional<Bundle> read(BundleRequest request, StageContext context) throws IOException {
        try {
            return Optional.of(BundleReader.read(context.out(), request));
        } catch (StageException e) {
            return Optional.empty(); // incomplete; already reported by a warning
        }
    }

    private static Learner learner(EvaluatedPredictor evaluated) {
        return switch (evaluated) {
            case INTERPOLATION -> Learners.interpolation(OptionalDouble.of(OUTLIERS));
            case RANDOM_FOREST -> Learners.forest(FOREST, SEED, seed -> Mt19937.numpySeed(seed)::masked);
            case LINEAR_REGRESSION -> {
                List<Boolean> both = List.of(true, false);
                yield Learners.linear(LinearRegression.grid(both, List.of(1, 2, 3, 4, 5), both, both), FOLDS);
            }
        };
    }

    /** Writes {@code prediction_quality.csv}, if there are results. */
    public void write(Path out) throws IOException {
        if (errors.values().stream().allMatch(Map::isEmpty)) {
            return;
        }
        try (TableWriter writer = TableWriter.in(out, BundleTables.PREDICTION_QUALITY)) {
            for (Map.Entry<Integer, Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>>> degree : errors.entrySet()) {
                for (Map.Entry<EvaluatedPredictor, Map<Operator, HeldOut.Error>> predictor :
                        degree.getValue().entrySet()) {
                    for (Map.Entry<Operator, HeldOut.Error> operator :
                            predictor.getValue().entrySet()) {
                        HeldOut.Error error = operator.getValue();
                        writer.put((long) degree.getKey())
                                .put(operator.getKey().column())
                                .put(name(predictor.getKey()))
                                .put(error.mean())
                                .put(error.median())
                                .put((long) error.rows());
                        writer.endRow();
                    }
                }
            }
        }
    }

    private static String name(EvaluatedPredictor evaluated) {
        return KeyNames.constant(evaluated);
    }

    /** Returns a table per tensor-parallel size with the mean and median error of each predictor. */
    public List<DataTable> tables() {
        List<DataTable> tables = new ArrayList<>();
        errors.forEach((degree, byPredictor) -> {
            if (!byPredictor.isEmpty()) {
                tables.add(table(degree, byPredictor));
            }
        });
        return tables;
    }

    private static DataTable table(int degree, Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>> byPredictor) {
        DataTable table = new DataTable("Cross-validation of predictors, tensor-parallel size " + degree
                        + ": absolute error, % (five folds)")
                .columns("operator", "#rows");
        TreeSet<Operator> operators = new TreeSet<>();
        byPredictor.forEach((evaluated, errors) -> {
            table.number(name(evaluated) + " mean").number("median");
            operators.addAll(errors.keySet());
        });
        for (Operator operator : operators) {
            List<String> cells = new ArrayList<>(List.of(operator.column(), rows(operator, byPredictor)));
            for (Map<Operator, HeldOut.Error> errors : byPredictor.values()) {
                Optional<HeldOut.Error> error = Optional.ofNullable(errors.get(operator));
                cells.add(error.map(e -> Numbers.fixed(e.mean(), 2)).orElse(Numbers.NONE));
                cells.add(error.map(e -> Numbers.fixed(e.median(), 2)).orElse(Numbers.NONE));
            }
            table.row(cells.toArray(new String[0]));
        }
        return table;
    }

    private static String rows(Operator operator, Map<EvaluatedPredictor, Map<Operator, HeldOut.Error>> byPredictor) {
        return byPredictor.values().stream()
                .flatMap(errors -> Optional.ofNullable(errors.get(operator)).stream())
                .map(error -> Numbers.count(error.rows()))
                .findFirst()
                .orElse(Numbers.NONE);
    }
}
