package dev.stagesim.feature.trainplan;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Failures;
import dev.stagesim.sim.training.Finalists;
import dev.stagesim.sim.training.SearchSpace;
import dev.stagesim.sim.training.StrategySearch;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.TrainingMachine;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Inputs of a plan.
 *
 * @param model architecture
 * @param machine devices and links
 * @param job workload of a step
 * @param space search space
 * @param objective quantity to minimise
 */
record PlanRequest(
        Architecture model,
        TrainingMachine machine,
        TrainingJob job,
        SearchSpace space,
        StrategySearch.Objective objective) {
    private static final double GIGA = 1e9;
    private static final double BITS = 8;
    private static final double HOUR = 3600;

    /** Returns this request with a calibrated device efficiency. */
    PlanRequest calibrated(double factor) {
        return new PlanRequest(model, machine.withEfficiencyFactor(factor), job, space, objective);
    }

    static PlanRequest of(TrainPlanSettings settings) {
        TrainingMachine machine = TrainingMachine.of(settings.hardware());
        machine = settings.cluster().domain().map(machine::domain).orElse(machine);
        machine = settings.cluster().networkGbps().isPresent()
                ? machine.network(settings.cluster().networkGbps().get() * GIGA / BITS)
                : machine;
        machine = machine.spread(settings.run().spreadPercent() / 100);
        TrainPlanSettings.SoftwareSettings software = settings.software();
        TrainingJob job = new TrainingJob(
                settings.sequence(),
                settings.batch().global(),
                precision(settings.precision()),
                new TrainingJob.Kernels(software.fusedAttention(), 1, 1, software.hostMs() / 1e3),
                new TrainingJob.Overlap(
                        software.overlaps().overlapTensor(),
                        software.overlaps().overlapData(),
                        software.overlaps().overlapExpert()),
                new TrainingJob.Exchange(
                        software.dispatch().dispatchOncePerNode(),
                        software.dispatch().maxExpertNodes().orElse(Integer.MAX_VALUE),
                        software.dispatch().fp8Dispatch() ? 1 : 2),
                new TrainingJob.Storage(
                        software.gradientBytes(),
                        false,
                        software.momentBytes(),
                        software.fp8Weights(),
                        software.fp8Activations(),
                        software.logitBytes(),
                        software.sharding()));
        return new PlanRequest(
                Architecture.of(settings.model()),
                machine,
                job,
                space(settings, machine),
                switch (settings.objective()) {
                    case STEP_TIME -> StrategySearch.Objective.STEP_TIME;
                    case COST, ENERGY -> StrategySearch.Objective.DEVICE_TIME;
                    case TOKENS_PER_DAY -> StrategySearch.Objective.withFailures(failures(settings));
                });
    }

    static Failures failures(TrainPlanSettings settings) {
        TrainPlanSettings.RunSettings run = settings.run();
        return new Failures(run.deviceMtbfH() * HOUR, run.checkpointS(), run.restartS());
    }

    private static TrainingMachine.Precision precision(TrainPlanSettings.TrainingPrecision precision) {
        return switch (precision) {
            case BF16 -> TrainingMachine.Precision.BITS16;
            case FP8 -> TrainingMachine.Precision.BITS8;
            case FP8_TENSORWISE -> TrainingMachine.Precision.BITS8_TENSOR;
            case FP8_ROWWISE -> TrainingMachine.Precision.BITS8_ROW;
            case MXFP8 -> TrainingMachine.Precision.BITS8_BLOCK;
            case NVFP4 -> TrainingMachine.Precision.BITS4;
        };
    }

    /** Returns the format that the units of a device multiply. */
    private static Precision format(TrainPlanSettings.TrainingPrecision precision) {
        return switch (precision) {
            case BF16 -> Precision.BF16;
            case FP8, FP8_TENSORWISE, FP8_ROWWISE -> Precision.FP8;
            case MXFP8 -> Precision.MXFP8;
            case NVFP4 -> Precision.NVFP4;
        };
    }

    private static <T> List<T> distinct(List<T> values) {
        return values.stream().distinct().toList();
    }

    private static SearchSpace space(TrainPlanSettings settings, TrainingMachine machine) {
        TrainPlanSettings.SearchSettings search = settings.search();
        double reserve = settings.cluster().reserveGb().map(gb -> gb * GIGA).orElse(machine.reserve());
        if (reserve >= machine.memory()) {
            throw StageException.input(Problem.config(
                            "cluster.reserve_gb",
                            String.format(
                                    Locale.ROOT,
                                    "a reserve of %.1f GB leaves no memory on %s, which has %.1f GB",
                                    reserve / GIGA,
                                    machine.name(),
                                    machine.memory() / GIGA))
                    .hint("lower it, or raise " + settings.hardware().usableMemKey()));
        }
        return new SearchSpace(
                search.devices().isEmpty() ? List.of(settings.cluster().devices()) : distinct(search.devices()),
                new SearchSpace.Axes(
                        distinct(search.degrees().tp()),
                        distinct(search.degrees().pp()),
                        distinct(search.degrees().vp()),
                        distinct(search.degrees().cp()),
                        distinct(search.degrees().ep())),
                distinct(search.zero()),
                distinct(search.shard()),
                distinct(search.microBatch()),
                distinct(search.recompute()),
                distinct(search.schedule()),
                machine.memory() - reserve,
                Math.max(search.top(), Finalists.MIN_CANDIDATES));
    }

    /** Finds settings for experts and low precision that have no effect. */
    private static void checkEffect(TrainPlanSettings settings, List<Problem> problems) {
        TrainPlanSettings.SoftwareSettings software = settings.software();
        if (!settings.model().isMixtureOfExperts()) {
            String none = "has no effect: " + settings.model().name() + " has no experts";
            boolean[] request = {
                !settings.search().degrees().ep().isEmpty(),
                software.overlaps().overlapExpert(),
                software.dispatch().fp8Dispatch(),
                software.dispatch().maxExpertNodes().isPresent()
            };
            String[] keys = {
                "search.ep", "software.overlap_expert", "software.fp8_dispatch", "software.max_expert_nodes"
            };
            for (int i = 0; i < keys.length; i++) {
                if (request[i]) {
                    problems.add(Problem.config(keys[i], none));
                }
            }
        } else if (software.dispatch().maxExpertNodes().isPresent()
                && !software.dispatch().dispatchOncePerNode()) {
            problems.add(Problem.config(
                    "software.max_expert_nodes", "has no effect with software.dispatch_once_per_node=false"));
        }
        checkSearch(settings, problems);
        settings.measured()
                .filter(Files::isDirectory)
                .ifPresent(file -> problems.add(Problem.config("measured", file + " is a directory, not a CSV file")));
        if (settings.precision() == TrainPlanSettings.TrainingPrecision.BF16 && software.fp8Weights()) {
            problems.add(Problem.config("software.fp8_weights", "has no effect: products of bf16 need 16 bits"));
        }
    }

    /** Finds axes and objectives that have no effect or lack inputs. */
    private static void checkSearch(TrainPlanSettings settings, List<Problem> problems) {
        TrainPlanSettings.SearchSettings search = settings.search();
        if (!search.degrees().vp().isEmpty()
                && !search.schedule().isEmpty()
                && !search.schedule().contains(PipelineSchedule.INTERLEAVED)) {
            problems.add(Problem.config("search.vp", "has no effect: only interleaved has virtual stages")
                    .hint("add interleaved to search.schedule"));
        }
        if (!search.shard().isEmpty() && search.zero().equals(List.of(0))) {
            problems.add(Problem.config("search.shard", "has no effect with search.zero=[0]"));
        }
        boolean hasPrice = settings.cluster().priceUsdHr().isPresent()
                || settings.hardware().costs().priceUsdHrTyp().isPresent();
        if (settings.objective() == TrainPlanSettings.Objective.COST && !hasPrice) {
            problems.add(Problem.config(
                    "cluster.price_usd_hr",
                    "the card of " + settings.hardware().name() + " has no price, and objective=cost requires one"));
        }
        if (settings.objective() == TrainPlanSettings.Objective.ENERGY
                && settings.hardware().costs().powerW().isEmpty()) {
            problems.add(Problem.config(
                    "hardware.power_w",
                    "the card of " + settings.hardware().name() + " has no power, and objective=energy requires it"));
        }
    }

    /** Moments and gradients have 16 or 32 bits. */
    private static void checkBytes(String key, int bytes, List<Problem> problems) {
        if (bytes != 2 && bytes != 4) {
            problems.add(Problem.config(key, "is " + bytes + ", expected 2 or 4"));
        }
    }

    /** Reports all invalid settings at once. */
    static void check(TrainPlanSettings settings) {
        List<Problem> problems = new ArrayList<>();
        checkEffect(settings, problems);
        checkBytes("software.moment_bytes", settings.software().momentBytes(), problems);
        checkBytes("software.gradient_bytes", settings.software().gradientBytes(), problems);
        Precision format = format(settings.precision());
        if (settings.hardware().formatTflops(format).isEmpty()) {
            boolean has8 = settings.hardware().formatTflops(Precision.FP8).isPresent();
            problems.add(Problem.config(
                    "precision",
                    settings.hardware().name() + " cannot multiply " + KeyNames.constant(format) + "; choose bf16"
                            + (has8 ? " or fp8" : "")));
        }
        int devices = settings.search().devices().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(settings.cluster().devices());
        StageException.refuse(problems);
        checkLinks(settings, devices);
        PlanRequest.of(settings);
    }

    /** Requires a link or a network for several devices. */
    private static void checkLinks(TrainPlanSettings settings, int devices) {
        TrainingMachine machine = TrainingMachine.of(settings.hardware());
        String name = settings.hardware().name();
        List<Problem> problems = new ArrayList<>();
        if (settings.cluster().domain().filter(domain -> domain > 1).isPresent() && !machine.hasLink()) {
            problems.add(
                    Problem.config("cluster.domain", "the card of " + name + " has no link between devices of a host")
                            .hint("leave cluster.domain out, or set hardware.scaleup_uni_gbs"));
        }
        boolean isMany = devices > settings.cluster().domain().orElse(machine.domain());
        if (isMany
                && settings.cluster().networkGbps().isEmpty()
                && settings.hardware().host().nicGbpsPerAccelTyp().isEmpty()) {
            problems.add(Problem.config(
                            "cluster.network_gbps",
                            "the card of " + name + " has no network, and " + devices + " devices require one")
                    .hint("set cluster.network_gbps, or plan for " + machine.domain() + " devices"));
        }
        StageException.refuse(problems);
    }
}
