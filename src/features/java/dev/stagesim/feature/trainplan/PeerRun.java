package dev.stagesim.feature.trainplan;

import dev.stagesim.feature.trainplan.TrainPlanSettings.PeerSettings;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.training.CalculonFiles;
import dev.stagesim.io.training.PeerArguments;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Report;
import dev.stagesim.sim.training.calculon.CalculonStep;
import dev.stagesim.sim.training.calculon.Refusal;
import dev.stagesim.sim.training.peer.DeepSpeedZero;
import dev.stagesim.sim.training.peer.LlmAnalysis;
import dev.stagesim.sim.training.peer.MegatronMemory;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The estimate of another tool from its own files. */
final class PeerRun {
    private PeerRun() {}

    static void write(TrainPlanSettings settings, StageContext context) throws IOException {
        Map<String, String> figures = figures(settings);
        DataTable shown = new DataTable("Figures").columns("Figure", "#Value");
        try (TableWriter table =
                TableWriter.create(context.out().resolve(TrainPlanTables.PEER.name()), TrainPlanTables.PEER)) {
            for (Map.Entry<String, String> figure : figures.entrySet()) {
                table.put(figure.getKey()).put(figure.getValue()).endRow();
                shown.row(figure.getKey(), figure.getValue());
            }
        }
        String tool = Plan.id(settings.compat());
        String answer = tool + " says " + Count.of(figures.size(), "figure") + " of this training.";
        new Report("Training estimate of " + tool).answer(answer).table(shown).summary(context.out());
    }

    private static JsonAt read(Optional<Path> file) throws IOException {
        return Json.read(file.orElseThrow());
    }

    private static Map<String, String> figures(TrainPlanSettings settings) throws IOException {
        PeerSettings peer = settings.peer();
        return switch (settings.compat()) {
            case CALCULON -> calculon(peer);
            case LLM_ANALYSIS -> llmAnalysis(read(peer.arguments()));
            case MEGATRON_MEMORY -> megatron(read(peer.arguments()));
            default -> deepSpeed(read(peer.arguments()));
        };
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return number.isNaN() ? "none" : ShortestDouble.of(number);
        }
        return String.valueOf(value);
    }

    private static Map<String, String> calculon(PeerSettings peer) throws IOException {
        Map<String, String> out = new LinkedHashMap<>();
        try {
            CalculonStep.Result result = CalculonStep.run(
                    CalculonFiles.application(read(peer.application())),
                    CalculonFiles.machine(read(peer.system())),
                    CalculonFiles.execution(read(peer.execution())),
                    false);
            result.figures().all().forEach((name, value) -> out.put(name, text(value)));
        } catch (Refusal refusal) {
            throw refused(
                    "calculon", peer.execution().orElseThrow(), Plan.id(refusal.kind()) + ": " + refusal.getMessage());
        }
        return out;
    }

    private static StageException refused(String tool, Path file, String why) {
        return StageException.input(Problem.of("plan error", file.toString(), tool + " refuses it: " + why));
    }

    private static Map<String, String> llmAnalysis(JsonAt json) {
        Map<String, String> out = new LinkedHashMap<>();
        try {
            LlmAnalysis.run(PeerArguments.llmAnalysis(json)).forEach((name, value) -> out.put(name, text(value)));
        } catch (LlmAnalysis.Rejected rejected) {
            throw refused("llm-analysis", Path.of(json.source()), String.valueOf(rejected.getMessage()));
        }
        return out;
    }

    private static Map<String, String> megatron(JsonAt json) {
        OptionalLong batches = json.find("num_microbatches")
                .map(at -> OptionalLong.of(at.asLong()))
                .orElse(OptionalLong.empty());
        MegatronMemory.Report report = MegatronMemory.report(PeerArguments.megatron(json.get("arguments")), batches);
        Map<String, String> out = new LinkedHashMap<>();
        out.put("weight_and_optimizer_mib", text(report.statesMib()));
        out.put("activation_mib", text(report.activationMib()));
        out.put("total_mib", text(report.totalMib()));
        for (int i = 0; i < report.lines().size(); i++) {
            if (!report.lines().get(i).isEmpty()) {
                out.put("line_" + (i + 1), report.lines().get(i));
            }
        }
        return out;
    }

    private static Map<String, String> deepSpeed(JsonAt json) {
        int stage = json.get("stage").asInt();
        if (stage != 2 && stage != 3) {
            throw json.get("stage").expected("2 or 3");
        }
        DeepSpeedZero.Need need = PeerArguments.deepSpeed(stage, json.get("arguments"));
        Map<String, String> out = new LinkedHashMap<>();
        out.put("gpu_bytes", Long.toString(need.device()));
        out.put("cpu_bytes", Long.toString(need.host()));
        if (stage == 3) {
            out.put("largest_layer_bytes", Long.toString(need.largestLayer()));
        }
        return out;
    }
}
