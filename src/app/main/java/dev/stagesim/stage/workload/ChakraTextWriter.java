package dev.stagesim.stage.workload;

import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.trace.flexflow.FlexFlowTraces;
import dev.stagesim.sim.trace.text.TextForm;
import dev.stagesim.sim.trace.text.TextGroups;
import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextProgram;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.sim.trace.text.TextWorkload;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.StageContext;
import dev.stagesim.traces.ChakraTextWorkload;
import dev.stagesim.traces.ChakraTextWorkload.Input;
import dev.stagesim.traces.TraceFolder;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Converts a workload text or a task graph and writes the traces and a summary. */
final class ChakraTextWriter {
    private static final int DEFAULT_NPUS = 8;
    private static final int DEFAULT_MEGAHERTZ = 1000;

    private final ChakraTextWorkload settings;
    private final CompatMode compat;
    private final StageContext context;
    private final TraceFolder folder;

    ChakraTextWriter(ChakraTextWorkload settings, CompatMode compat, StageContext context) {
        this.settings = settings;
        this.compat = compat;
        this.context = context;
        folder = new TraceFolder(context.out(), settings.prefix());
    }

    void write() throws IOException {
        Path file = ShippedFiles.file(settings.file().orElseThrow(), context.home());
        String content = content(file);
        if (settings.input() == Input.FLEXFLOW) {
            graph(new FlexFlowTraces(file.toString(), content));
        } else {
            text(TextWorkload.parse(file.toString(), content, compat == CompatMode.CHAKRA));
        }
    }

    private static String content(Path file) throws IOException {
        try {
            return InputFile.text(file);
        } catch (NoSuchFileException missing) {
            throw StageException.input(Problem.config("workload.file", "there is no file " + file), missing);
        } catch (MalformedInputException notText) {
            throw StageException.input(Problem.config("workload.file", file + " is not UTF-8 text"), notText);
        }
    }

    private void text(TextWorkload written) throws IOException {
        TextOptions options = options(written);
        TextWorkload workload = settings.npuFrequency().map(written::faster).orElse(written);
        TextProgram program = new TextProgram(workload, options);
        TextForm form = new TextForm(program);
        if (compat != CompatMode.CHAKRA && program.nones() > 0) {
            context.warn(Numbers.count(program.nones()) + " collectives of a processor are of type NONE and become"
                    + " all-reduces, as in the reference; workload.skip_none=true leaves them out");
        }
        if (compat != CompatMode.CHAKRA) {
            program.omissions().forEach(context::warn);
        }
        int npus = options.numNpus();
        long perNpu = program.nodes().size();
        if (options.schema() == TextSchema.V0_0_1) {
            TraceFolder.forEach(npus, npu -> folder.writeLegacy(npu, form.legacyNodes(npu * perNpu)));
        } else if (form.isUniform()) {
            folder.copies(new EtTemplate(form.metadata(), form.nodes(0)), npus);
        } else {
            TraceFolder.forEach(npus, npu -> folder.write(npu, form.metadata(), form.nodes(npu)));
            folder.groups(groups(options.groups()));
        }
        summary(
                workload.parallelism() + ", " + Numbers.count(workload.layers().size()) + " layers",
                npus,
                npus * perNpu);
    }

    private TextOptions options(TextWorkload workload) {
        TextSchema schema =
                settings.schema().orElse(settings.numDims().isPresent() ? TextSchema.V0_0_4 : TextSchema.V1_0_0);
        boolean hasGroups = compat != CompatMode.CHAKRA && TextProgram.hasGroups(workload);
        if (hasGroups && schema == TextSchema.V0_0_1) {
            throw StageException.input(Problem.config(
                    "workload.schema",
                    "a transformer requires communicator groups, which schema v0_0_1 does not support"));
        }
        int npus = npus(hasGroups ? TextProgram.npus(workload) : OptionalInt.empty());
        // Schema 0.0.1 requires at least one dimension.
        boolean namesDims = settings.numDims().isPresent() || schema == TextSchema.V0_0_1;
        return new TextOptions(
                schema,
                compat == CompatMode.CHAKRA,
                settings.skipNone() || TextProgram.isExtension(workload),
                npus,
                settings.numPasses().orElse(1),
                namesDims,
                settings.numDims().orElse(namesDims ? 1 : 0),
                TextProgram.groups(workload, npus));
    }

    /** Returns the number of processors; setting and text must agree. */
    private int npus(OptionalInt ofText) {
        int npus = settings.numNpus().orElse(ofText.orElse(DEFAULT_NPUS));
        if (ofText.isPresent() && ofText.getAsInt() != npus) {
            throw StageException.input(Problem.config(
                            "workload.num_npus", "is " + npus + ", but the text states all_gpus: " + ofText.getAsInt())
                    .hint("omit workload.num_npus, or change all_gpus in the first line of the text"));
        }
        return npus;
    }

    private static Map<Integer, List<Integer>> groups(TextGroups groups) {
        Map<Integer, List<Integer>> numbered = new TreeMap<>();
        for (List<Integer> members : groups.members()) {
            numbered.put(numbered.size() + 1, members);
        }
        return numbered;
    }

    private void graph(FlexFlowTraces traces) throws IOException {
        long nodes = 0;
        boolean isLegacy =
                settings.schema().filter(schema -> schema == TextSchema.V0_0_1).isPresent();
        for (int npu : traces.npus()) {
            if (isLegacy) {
                folder.writeLegacy(
                        npu, traces.legacy(npu, settings.npuFrequency().orElse(DEFAULT_MEGAHERTZ)));
            } else {
                folder.write(npu, FlexFlowTraces.METADATA, traces.nodes(npu));
            }
            nodes += traces.nodes(npu).size();
        }
        summary("a task graph", traces.npus().size(), nodes);
    }

    private void summary(String what, int npus, long nodes) throws IOException {
        String name = String.valueOf(settings.file().orElseThrow().getFileName());
        new Report("Execution traces of " + name)
                .answer("Generated from " + what + ": " + Numbers.count(npus) + " traces with " + Numbers.count(nodes)
                        + " nodes in total.")
                .summary(context.out());
        context.headline("npus", npus);
        context.headline("nodes", nodes);
    }
}
