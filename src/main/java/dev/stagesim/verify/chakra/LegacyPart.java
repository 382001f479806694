package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.sim.trace.flexflow.FlexFlowTraces;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.verify.Difference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Text and task graphs of FlexFlow converted to schema 0.0.1. */
final class LegacyPart implements ChakraPart {
    @Override
    public String name() {
        return "legacy_v001";
    }

    @Override
    public List<Difference> replay(ChakraCase recorded) throws IOException {
        Arguments arguments = Arguments.parse(recorded.arguments(), TextDimsPart.OPTIONS);
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
