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
            new TextPart(),
            new TextDimsPart(),
            new LegacyPart(),
            new GeneratorPart("generator", GeneratorPart.Revision.CURRENT),
            new GeneratorPart("generator_numdims", GeneratorPart.Revision.DIMENSIONS),
            new GeneratorPart("generator_cpp_v001", GeneratorPart.Revision.FIRST),
            new FeederPart(),
            new JsonizerPart(),
            new PytorchPart(),
            new VisualizerPart(),
            new TimelinePart());

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
            differences = recorded.isHelpRequest() ? recorded.compare(Map.of()) : part.replay(recorded);
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
        return part.deviation(recorded)
                .map(rule -> CaseResult.deviates(part.name(), recorded.id(), rule))
                .orElseGet(() -> CaseResult.passed(part.name(), recorded.id()));
    }

    /** Traces printed as JSON. */
    private static final class JsonizerPart implements ChakraPart {
        @Override
        public String name() {
            return "jsonizer";
        }

        @Override
        public List<Difference> replay(ChakraCase recorded) throws IOException {
            ToolArguments arguments =
                    ToolArguments.parse(recorded.arguments(), List.of("--input_filename", "--output_filename"));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (EtReader trace = EtReader.openAsPython(recorded.file(arguments.get("--input_filename")))) {
                EtJson.write(trace, out);
            }
            return recorded.compare(Map.of(arguments.get("--output_filename"), out.toByteArray()));
        }
    }

    /** Timelines of issue and callback logs, byte for byte. */
    private static final class TimelinePart implements ChakraPart {
        private static final List<String> OPTIONS =
                List.of("--input_filename", "--output_filename", "--num_npus", "--npu_frequency", "--log_filename");

        @Override
        public String name() {
            return "timeline";
        }

        @Override
        public List<Difference> replay(ChakraCase recorded) throws IOException {
            ToolArguments arguments = ToolArguments.parse(recorded.arguments(), OPTIONS);
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
    }

    /** Text converted to schema 1.0.0. */
    private static final class TextPart implements ChakraPart {
        private static final List<String> OPTIONS =
                List.of("--log-filename", "--input", "--output", "--num-npus", "--num-passes");

        @Override
        public String name() {
            return "text";
        }

        @Override
        public List<Difference> replay(ChakraCase recorded) throws IOException {
            ToolArguments arguments = ToolArguments.parse(recorded.arguments(), OPTIONS);
            if (arguments.others().isEmpty()) {
                // Without a command the converter prints its usage.
                return recorded.compare(Map.of());
            }
            if (!arguments.others().equals(List.of("Text"))) {
                throw StageException.input(Problem.of("case", "argv", "expected the command Text"));
            }
            TextOptions options = new TextOptions(
                    TextSchema.V1_0_0,
                    true,
                    false,
                    arguments.count("--num-npus"),
                    arguments.count("--num-passes"),
                    false,
                    0,
                    TextGroups.none(arguments.count("--num-npus")));
            return recorded.compare(TextRun.files(
                    recorded, recorded.file(arguments.get("--input")), arguments.get("--output"), options));
        }
    }

    /** Text and task graphs of FlexFlow converted to schema 0.0.1. */
    private static final class LegacyPart implements ChakraPart {
        @Override
        public String name() {
            return "legacy_v001";
        }

        @Override
        public List<Difference> replay(ChakraCase recorded) throws IOException {
            ToolArguments arguments = ToolArguments.parse(recorded.arguments(), TextDimsPart.OPTIONS);
            Path input = recorded.file(arguments.get("--input_filename"));
            String prefix = arguments.get("--output_filename");
            if (arguments.get("--input_type").equals("FlexFlow")) {
                return recorded.compare(flexFlow(input, prefix, arguments.number("--npu_frequency")));
            }
            return recorded.compare(
                    TextRun.files(recorded, input, prefix, TextDimsPart.options(arguments, TextSchema.V0_0_1)));
        }

        private static Map<String, byte[]> flexFlow(Path input, String prefix, long megahertz) throws IOException {
            FlexFlowTraces traces = new FlexFlowTraces(input.toString(), TextRun.text(input));
            Map<String, byte[]> files = new TreeMap<>();
            for (int npu : traces.npus()) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (LegacyWriter writer = new LegacyWriter(out)) {
                    for (LegacyNode node : traces.legacy(npu, megahertz)) {
                        writer.write(node);
                    }
                }
                files.put(prefix + "." + npu + ".eg", out.toByteArray());
            }
            return files;
        }
    }

    /** Text converted to schema 0.0.4, in which collectives name network dimensions. */
    private static final class TextDimsPart implements ChakraPart {
        /** Options of the converter before it had subcommands. */
        static final List<String> OPTIONS = List.of(
                "--input_type",
                "--input_filename",
                "--output_filename",
                "--num_dims",
                "--num_npus",
                "--num_passes",
                "--npu_frequency",
                "--log_filename");

        @Override
        public String name() {
            return "text_numdims";
        }

        @Override
        public List<Difference> replay(ChakraCase recorded) throws IOException {
            ToolArguments arguments = ToolArguments.parse(recorded.arguments(), OPTIONS);
            TextOptions options = options(arguments, TextSchema.V0_0_4);
            return recorded.compare(TextRun.files(
                    recorded,
                    recorded.file(arguments.get("--input_filename")),
                    arguments.get("--output_filename"),
                    options));
        }

        static TextOptions options(ToolArguments arguments, TextSchema schema) {
            return new TextOptions(
                    schema,
                    true,
                    false,
                    arguments.count("--num_npus"),
                    arguments.count("--num_passes"),
                    true,
                    arguments.count("--num_dims"),
                    TextGroups.none(arguments.count("--num_npus")));
        }
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
