package dev.stagesim.verify.training;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.TrainingMachine;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Peak memory of the product's model, compared with SimuMax's different model. */
public final class SimuMaxSuite {
    private static final String NAME = "training-simumax";
    private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");
    private static final double NEAR = 0.05;
    private static final double FAR = 0.45;
    private static final Deviation OTHER_MODEL = new Deviation(
            "another-memory-model",
            "specs/training-planner.md#memory",
            "the memory models differ: the peak memory of the fullest stage differs by 5 % to 45 %");

    /** The suite. */
    public static final Suite SUITE = new Suite(
            NAME,
            "Peak memory of the product's training model compared with SimuMax, which is a different model. The corpus has"
                    + " cases/<case>/{model,strategy,expected}.json.",
            SimuMaxSuite::run);

    private SimuMaxSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        Path cases = Files.isDirectory(corpus.resolve("cases")) ? corpus.resolve("cases") : corpus;
        for (Path folder : Directories.list(cases, entry -> Files.isRegularFile(entry.resolve("strategy.json")))) {
            results.accept(compare(folder));
        }
    }

    private static LocatedJson read(Path folder, String file) throws IOException {
        return Json.read(folder.resolve(file), JsonMode.NON_FINITE);
    }

    private static CaseResult compare(Path folder) throws IOException {
        LocatedJson given = read(folder, "strategy.json");
        Architecture model = model(read(folder, "model.json"));
        Strategy strategy = strategy(given);
        int batch = strategy.data()
                * strategy.microBatch()
                * given.get("micro_batch_num").asInt();
        TrainingJob job = new TrainingJob(
                given.get("seq_len").asInt(),
                batch,
                TrainingMachine.Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(false),
                TrainingJob.Storage.DEFAULT);
        double ours = new MemoryModel(model, job)
                        .fullest(strategy, Layout.even(model.layers(), strategy.pipeline() * strategy.chunks()))
                        .total()
                / (1L << 30);
        double theirs = peak(read(folder, "expected.json").get("memory"));
        double error = Math.abs(ours / theirs - 1);
        String id = folder.getFileName().toString();
        if (error <= NEAR) {
            return CaseResult.passed(NAME, id);
        }
        return error <= FAR
                ? CaseResult.deviates(NAME, id, OTHER_MODEL)
                : CaseResult.failed(NAME, id, "peak_mem GiB", Double.toString(theirs), Double.toString(ours));
    }

    /** Returns the stage with the maximum memory. Values are text with a unit. */
    private static double peak(LocatedJson memory) {
        if (memory.has("peak_mem")) {
            return gib(memory.get("peak_mem").asString());
        }
        return memory.members().values().stream()
                .filter(stage -> stage.value() instanceof JsonValue.Obj && stage.has("peak_mem"))
                .mapToDouble(stage -> gib(stage.get("peak_mem").asString()))
                .max()
                .orElseThrow(() -> memory.expected("a stage with peak_mem"));
    }

    private static double gib(String text) {
        String[] parts = text.split(" ", 2);
        return Double.parseDouble(parts[0]) * Math.pow(1024, UNITS.indexOf(parts[1]) - UNITS.indexOf("GB"));
    }

    private static int number(LocatedJson json, String name, int otherwise) {
        return json.find(name).map(LocatedJson::asInt).orElse(otherwise);
    }

    private static Architecture model(LocatedJson json) {
        int heads = json.get("head_num").asInt();
        int width = number(json, "head_size", 128);
        int experts = number(json, "expert_num", 0);
        boolean isLatent = json.has("kv_lora_rank");
        int position = number(json, "qk_pos_emb_head_dim", 0);
        int feedForward = json.get("intermediate_size").asInt();
        return new Architecture(
                json.get("model_name").asString(),
                json.get("layer_num").asInt(),
                json.get("hidden_size").asInt(),
                new Architecture.Attention(
                        heads,
                        isLatent ? heads : json.get("kv_head_num").asInt(),
                        isLatent ? number(json, "qk_head_dim", width) + position : width,
                        number(json, "v_head_dim", width),
                        isLatent
                                ? new Architecture.Latent(
                                        number(json, "q_lora_rank", 0), number(json, "kv_lora_rank", 0), position)
                                : Architecture.Latent.NONE),
                feedForward,
                json.get("use_swiglu").asBool() ? 3 : 2,
                json.get("vocab_size").asInt(),
                false,
                experts == 0
                        ? Architecture.Mixture.NONE
                        : new Architecture.Mixture(
                                experts,
                                json.get("topk").asInt(),
                                number(json, "moe_ffn_hidden_size", feedForward),
                                number(json, "moe_shared_expert_intermediate_size", 0),
                                number(json, "dense_layers", 0),
                                1));
    }

    private static Strategy strategy(LocatedJson json) {
        int t = json.get("tp_size").asInt();
        int p = json.get("pp_size").asInt();
        int d = json.get("world_size").asInt() / (t * p);
        boolean recomputes = json.get("enable_recompute").asBool();
        boolean isFull =
                recomputes && json.get("recompute_granularity").asString().equals("full_block");
        return new Strategy(
                new Strategy.Degrees(t, p, d, 1, json.get("ep_size").asInt(), number(json, "etp_size", 1)),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                json.get("zero_state").asInt(),
                d,
                json.get("micro_batch_size").asInt(),
                json.get("enable_sequence_parallel").asBool(),
                isFull ? Recompute.FULL : recomputes ? Recompute.MODULES : Recompute.NONE);
    }
}
