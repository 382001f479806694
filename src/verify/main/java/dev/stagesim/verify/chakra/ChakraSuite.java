package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtJson;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.sim.trace.flexflow.FlexFlowTraces;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.text.TextGroups;
import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import dev.stagesim.verify.ToolArguments;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Suite of the execution-trace tools of Chakra, with the list of its parts. */
public final class ChakraSuite {
    private static final List<ChakraPart> PARTS = List.of(
            new ChakraPart("text", ChakraSuite::text),
            new ChakraPart("text_numdims", ChakraSuite::textWithDimensions),
            new ChakraPart("legacy_v001", ChakraSuite::legacy),
            new ChakraPart("generator", GeneratorReplay.CURRENT::replay),
            new ChakraPart("generator_numdims", GeneratorReplay.DIMENSIONS::replay),
            new ChakraPart("generator_cpp_v001", GeneratorReplay.FIRST::replay),
            new ChakraPart("feeder", FeederReplay::replay),
            new ChakraPart("jsonizer", ChakraSuite::json),
            new ChakraPart("pytorch", PytorchReplay::replay),
            new ChakraPart("visualizer", VisualizerReplay::replay, VisualizerReplay::deviation),
            new ChakraPart("timeline", ChakraSuite::timeline));
    private static final List<String> FILES = List.of("--input_filename", "--output_filename");
    private static final List<String> TEXT_OPTIONS =
            List.of("--log-filename", "--input", "--output", "--num-npus", "--num-passes");
    private static final List<String> TIMELINE_OPTIONS =
            List.of("--input_filename", "--output_filename", "--num_npus", "--npu_frequency", "--log_filename");

    /** Options of the text converter before it had subcommands. */
    private static final List<String> OLD_TEXT_OPTIONS = List.of(
            "--input_type",
            "--input_filename",
            "--output_filename",
            "--num_dims",
            "--num_npus",
            "--num_passes",
            "--npu_frequency",
            "--log_filename");

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "chakra",
            "Execution traces that the Chakra tools generate, convert and read, byte for byte. The corpus has"
                    + " <part>/<case>/{in/,out/,case.json}.",
            ChakraSuite::run);

    private ChakraSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (ChakraPart part : PARTS) {
            CaseFolders.replay(corpus.resolve(part.name()), path -> replay(part, ChakraCase.read(path)), results);
        }
    }

    private static CaseResult replay(ChakraPart part, ChakraCase recorded) throws IOException {
        List<Difference> differences;
        try {
            differences = recorded.isHelpRequest()
                    ? recorded.compare(Map.of())
                    : part.replay().of(recorded);
        } catch (StageException refusal) {
            return recorded.isFailure() && refusal.kind() == StageException.Kind.INPUT
                    ? CaseResult.passed(part.name(), recorded.id())
                    : CaseResult.failed(
                            part.name(),
                            recorded.id(),
                            "outcome",
                            recorded.isFailure() ? recorded.error() : "a result",
                            refusal.problems().get(0).render());
        }
        if (recorded.isFailure()) {
            return CaseResult.failed(part.name(), recorded.id(), "outcome", recorded.error(), "a result");
        }
        if (!differences.isEmpty()) {
            return CaseResult.of(part.name(), recorded.id(), differences);
        }
        return part.deviation()
                .apply(recorded)
                .map(rule -> CaseResult.deviates(part.name(), recorded.id(), rule))
                .orElseGet(() -> CaseResult.passed(part.name(), recorded.id()));
    }

    /** Prints a trace as JSON. */
    private static List<Difference> json(ChakraCase recorded) throws IOException {
        ToolArguments arguments = ToolArguments.parse(recorded.arguments(), FILES);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (EtReader trace = EtReader.openAsPython(recorded.file(arguments.get("--input_filename")))) {
            EtJson.write(trace, out);
        }
        return recorded.compare(Map.of(arguments.get("--output_filename"), out.toByteArray()));
    }

    /** Converts issue and callback logs to a timeline. */
    private static List<Difference> timeline(ChakraCase recorded) throws IOException {
        ToolArguments arguments = ToolArguments.parse(recorded.arguments(), TIMELINE_OPTIONS);
        long npus = arguments.number("--num_npus");
        long frequency = arguments.number("--npu_frequency");
        Path file = recorded.file(arguments.get("--input_filename"));
        List<IssueLog.Run> runs = IssueLog.read(
                file.toString(),
                Files.readAllLines(file, StandardCharsets.UTF_8).iterator(),
                npus);
        if (frequency == 0 && !runs.isEmpty()) {
            throw StageException.input(Problem.of("case", "--npu_frequency", "expected a frequency above 0"));
        }
        String json = likeReference(runs, frequency, npus);
        return recorded.compare(Map.of(arguments.get("--output_filename"), json.getBytes(StandardCharsets.UTF_8)));
    }

    /** Converts text to schema 1.0.0. */
    private static List<Difference> text(ChakraCase recorded) throws IOException {
        ToolArguments arguments = ToolArguments.parse(recorded.arguments(), TEXT_OPTIONS);
        if (arguments.others().isEmpty()) {
            // Without a command the converter prints its usage.
            return recorded.compare(Map.of());
        }
        if (!arguments.others().equals(List.of("Text"))) {
            throw StageException.input(Problem.of("case", "argv", "expected the command Text"));
        }
        int npus = arguments.count("--num-npus");
        TextOptions options = new TextOptions(
                TextSchema.V1_0_0, true, false, npus, arguments.count("--num-passes"), false, 0, TextGroups.none(npus));
        Path input = recorded.file(arguments.get("--input"));
        return recorded.compare(TextRun.files(recorded, input, arguments.get("--output"), options));
    }

    /** Converts text to schema 0.0.4, in which collectives name network dimensions. */
    private static List<Difference> textWithDimensions(ChakraCase recorded) throws IOException {
        return oldText(recorded, ToolArguments.parse(recorded.arguments(), OLD_TEXT_OPTIONS), TextSchema.V0_0_4);
    }

    /** Converts text and task graphs of FlexFlow to schema 0.0.1. */
    private static List<Difference> legacy(ChakraCase recorded) throws IOException {
        ToolArguments arguments = ToolArguments.parse(recorded.arguments(), OLD_TEXT_OPTIONS);
        if (!arguments.get("--input_type").equals("FlexFlow")) {
            return oldText(recorded, arguments, TextSchema.V0_0_1);
        }
        Path input = recorded.file(arguments.get("--input_filename"));
        FlexFlowTraces traces = new FlexFlowTraces(input.toString(), TextRun.text(input));
        Map<String, byte[]> files = new TreeMap<>();
        for (int npu : traces.npus()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (LegacyWriter writer = new LegacyWriter(out)) {
                for (LegacyNode node : traces.legacy(npu, arguments.number("--npu_frequency"))) {
                    writer.write(node);
                }
            }
            files.put(arguments.get("--output_filename") + "." + npu + ".eg", out.toByteArray());
        }
        return recorded.compare(files);
    }

    private static List<Difference> oldText(ChakraCase recorded, ToolArguments arguments, TextSchema schema)
            throws IOException {
        int npus = arguments.count("--num_npus");
        TextOptions options = new TextOptions(
                schema,
                true,
                false,
                npus,
                arguments.count("--num_passes"),
                true,
                arguments.count("--num_dims"),
                TextGroups.none(npus));
        Path input = recorded.file(arguments.get("--input_filename"));
        return recorded.compare(TextRun.files(recorded, input, arguments.get("--output_filename"), options));
    }

    /** Converts JSON to the format of the reference: one line, and milliseconds, which viewers read as microseconds. */
    static String likeReference(List<IssueLog.Run> runs, long megahertz, long npus) {
        List<String> events = new ArrayList<>();
        for (IssueLog.Run run : runs) {
            String issued = ShortestDouble.of((double) run.issued() / megahertz / 1000);
            String duration = ShortestDouble.of((run.done() - run.issued()) / (double) (megahertz * 1000));
            events.add("{\"pid\": " + run.npu() + ", \"tid\": " + run.kind() + ", \"ts\": " + issued + ", \"dur\": "
                    + duration
                    + ", \"ph\": \"X\", \"name\": " + ascii(Json.quoted(run.name())) + ", \"args\": {\"ms\": "
                    + duration
                    + "}}");
        }
        return "{\"meta_user\": \"aras\", \"traceEvents\": [" + String.join(", ", events) + "], \"meta_cpu_count\": "
                + npus + "}";
    }

    private static String ascii(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x7f) {
                plain.append(c);
            } else {
                plain.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return plain.toString();
    }
}
