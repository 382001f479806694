package dev.stagesim.stage.trainplan;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.training.Calibration;
import dev.stagesim.sim.training.Confirmation;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.StageCollectives;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.TrainingMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The answer: the best strategies, their pipelines run, and what each choice costs. */
final class Plan {
    private static final double HOUR = 3600;
    private static final double DAY = 24 * HOUR;
    private static final int CONFIRMED = 3;

    private final TrainPlanSettings settings;
    private final Question question;
    private final Optional<Calibration> calibration;
    private final StrategySearch.Result result;
    private final List<Confirmation> confirmed = new ArrayList<>();
    private final List<Optional<NetworkConfirmation>> networks = new ArrayList<>();
    private final StageCollectives collectives;
    private final List<Change> changes = new ArrayList<>();

    /**
     * The best step when one thing is changed.
     *
     * @param what the change
     * @param step seconds; empty when nothing fits
     */
    record Change(String what, OptionalDouble step) {}

    private Plan(
            TrainPlanSettings settings,
            Question question,
            Optional<Calibration> calibration,
            StrategySearch.Result result) {
        this.settings = settings;
        this.question = question;
        this.calibration = calibration;
        this.result = result;
        collectives = StageCollectives.of(winner(), question.model(), question.machine(), question.job());
    }

    static Plan of(TrainPlanSettings settings) throws IOException {
        Question plain = Question.of(settings);
        Optional<Calibration> calibration = Optional.empty();
        if (settings.measured().isPresent()) {
            calibration = Optional.of(Calibration.fit(
                    plain.model(),
                    plain.machine(),
                    MeasuredFile.read(settings.measured().get(), settings, plain)));
        }
        Question question =
                calibration.map(fit -> plain.calibrated(fit.factor())).orElse(plain);
        StrategySearch.Result result = StrategySearch.run(
                question.model(), question.machine(), question.job(), question.space(), question.objective());
        if (result.best().isEmpty()) {
            throw nothingFits(question, result);
        }
        Plan plan = new Plan(settings, question, calibration, result);
        for (Candidate candidate :
                result.best().subList(0, Math.min(CONFIRMED, result.best().size()))) {
            Confirmation confirmed = Confirmation.of(candidate, settings.batch().global());
            plan.confirmed.add(confirmed);
            plan.networks.add(NetworkConfirmation.of(confirmed, question.model(), question.machine(), question.job()));
        }
        plan.vary();
        return plan;
    }

    private static StageException nothingFits(Question question, StrategySearch.Result result) {
        return StageException.input(
                Problem.of(
                                "plan error",
                                "search",
                                result.visited() == 0
                                        ? "no strategy keeps the rules; rejected: " + result.rejected()
                                        : "none of " + result.visited() + " strategies fits "
                                                + gib(question.space().memory()) + " GiB of "
                                                + question.machine().name())
                        .hint(
                                result.visited() == 0
                                        ? "free an axis of search.*, or change cluster.devices or batch.global"
                                        : "take more devices, a shorter sequence, or allow recompute=full in search.recompute"));
    }

    static String gib(double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (1L << 30));
    }

    private void vary() {
        Strategy best = winner().strategy();
        axis("tensor parallelism", Strategy::tensor, best.tensor());
        axis("pipeline parallelism", Strategy::pipeline, best.pipeline());
        axis("virtual stages", Strategy::virtual, best.virtual());
        axis("context parallelism", Strategy::context, best.context());
        if (question.model().isMixture()) {
            axis("expert parallelism", Strategy::expert, best.expert());
        }
        axis("ZeRO stage", Strategy::zero, best.zero());
        axis("micro-batch", Strategy::microBatch, best.microBatch());
        axis("recomputation", s -> s.recompute().ordinal(), best.recompute().ordinal());
        changes.add(new Change(
                "half the network",
                elsewhere(question.machine().network(question.machine().network() / 2))));
        changes.add(new Change(
                "twice the network",
                elsewhere(question.machine().network(question.machine().network() * 2))));
        changes.add(new Change("10 % less compute", elsewhere(question.machine().slowed(0.9, 1))));
        changes.add(new Change(
                "10 % less memory bandwidth", elsewhere(question.machine().slowed(1, 0.9))));
    }

    private void axis(String name, Function<Strategy, Integer> value, int chosen) {
        StrategySearch.Result other = StrategySearch.run(
                question.model(),
                question.machine(),
                question.job(),
                question.space(),
                question.objective(),
                s -> value.apply(s) != chosen);
        changes.add(new Change(
                name + " other than " + (name.equals("recomputation") ? id(Recompute.values()[chosen]) : chosen),
                first(other)));
    }

    private OptionalDouble elsewhere(TrainingMachine machine) {
        return first(
                StrategySearch.run(question.model(), machine, question.job(), question.space(), question.objective()));
    }

    private static OptionalDouble first(StrategySearch.Result result) {
        return result.best().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(result.best().get(0).step().step());
    }

    static String id(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    TrainPlanSettings settings() {
        return settings;
    }

    Question question() {
        return question;
    }

    /** What the user's measured steps say of the device. */
    Optional<Calibration> calibration() {
        return calibration;
    }

    StrategySearch.Result result() {
        return result;
    }

    Candidate winner() {
        return result.best().get(0);
    }

    List<Confirmation> confirmed() {
        return confirmed;
    }

    /** The same by the collective simulator, where it could run them. */
    List<Optional<NetworkConfirmation>> networks() {
        return networks;
    }

    /** The collectives of a stage of the winner, each alone. */
    StageCollectives collectives() {
        return collectives;
    }

    List<Change> changes() {
        return changes;
    }

    /** The best, then what is only on the Pareto front, with their rank or 0. */
    Map<Candidate, Integer> shown() {
        Map<Candidate, Integer> shown = new LinkedHashMap<>();
        for (Candidate candidate : result.best()) {
            shown.put(candidate, shown.size() + 1);
        }
        result.front().forEach(candidate -> shown.putIfAbsent(candidate, 0));
        return shown;
    }

    double tokens() {
        return (double) settings.sequence() * settings.batch().global();
    }

    double tokensPerSecond(Candidate candidate) {
        return tokens() / candidate.step().step();
    }

    /** Utilisation in percent of the dense peak of the products' precision. */
    double utilisation(Candidate candidate, FlopsDefinition definition) {
        double flops = definition.perToken(
                question.model(), settings.sequence(), candidate.strategy().recompute() == Recompute.FULL);
        double peak = question.machine().peak(question.job().precision())
                * candidate.strategy().devices();
        return 100 * flops * tokensPerSecond(candidate) / peak;
    }

    /** Dollars of an hour of a device; 0 where none is known. */
    double price() {
        return settings.cluster()
                .priceUsdHr()
                .or(() -> settings.hardware().priceUsdHrTyp())
                .orElse(0.0);
    }

    double usdPerMillionTokens(Candidate candidate) {
        return price() * candidate.strategy().devices() / HOUR / tokensPerSecond(candidate) * 1e6;
    }

    /** Kilowatt-hours of a step at board power; 0 where none is known. */
    double kwhPerStep(Candidate candidate) {
        return settings.hardware().powerW().orElse(0.0)
                * candidate.strategy().devices()
                * candidate.step().step()
                / HOUR
                / 1e3;
    }

    /** Share of the time that goes into steps that count, with checkpoints as often as suits the failures. */
    double goodput(Candidate candidate) {
        double device = settings.run().deviceMtbfH() * HOUR;
        if (device == 0) {
            return 1;
        }
        double mtbf = device / candidate.strategy().devices();
        double save = settings.run().checkpointS();
        double interval = Math.sqrt(2 * mtbf * save);
        double lost = save == 0 ? 0 : save / interval + interval / (2 * mtbf);
        return Math.max(0, 1 - lost - settings.run().restartS() / mtbf);
    }

    /** Seconds between checkpoints that lose least. */
    double checkpointInterval(Candidate candidate) {
        double mtbf = settings.run().deviceMtbfH() * HOUR / candidate.strategy().devices();
        return Math.sqrt(2 * mtbf * settings.run().checkpointS());
    }

    /** Days of the whole training, failures included. */
    OptionalDouble days(Candidate candidate) {
        return settings.run().tokens().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        settings.run().tokens().get() / tokensPerSecond(candidate) / DAY / goodput(candidate));
    }

    /** Memory of every rank of the winner. */
    List<MemoryModel.Rank> ranks() {
        MemoryModel memory = new MemoryModel(question.model(), question.job());
        List<MemoryModel.Rank> ranks = new ArrayList<>();
        for (int rank = 0; rank < winner().strategy().pipeline(); rank++) {
            ranks.add(memory.rank(winner().strategy(), winner().layout(), rank));
        }
        return ranks;
    }

    int layersOfRank(int rank) {
        int layers = 0;
        for (int stage = rank;
                stage < winner().layout().stages();
                stage += winner().strategy().pipeline()) {
            layers += winner().layout().layers(stage);
        }
        return layers;
    }
}
