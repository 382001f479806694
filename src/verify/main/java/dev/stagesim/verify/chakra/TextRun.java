package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.sim.trace.text.TextForm;
import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextProgram;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.sim.trace.text.TextWorkload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A conversion of text to traces, the reference's way. */
final class TextRun {
    private TextRun() {}

    /** Output files of the converter, by their names in the case. */
    static Map<String, byte[]> files(ChakraCase recorded, Path input, String prefix, TextOptions options)
            throws IOException {
        if (prefix.contains("/") && !Files.isDirectory(recorded.file(prefix).resolve(".."))) {
            throw StageException.input(Problem.of("case", prefix, "there is no such folder"));
        }
        TextWorkload workload = TextWorkload.parse(input.toString(), text(input), true);
        Map<String, byte[]> files = new TreeMap<>();
        TextForm form = new TextForm(new TextProgram(workload, options));
        if (options.schema() == TextSchema.V0_0_1) {
            long shift = 0;
            for (int npu = 0; npu < options.numNpus(); npu++) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (LegacyWriter writer = new LegacyWriter(out)) {
                    for (LegacyNode node : form.legacyNodes(shift)) {
                        writer.write(node);
                        shift++;
                    }
                }
                files.put(prefix + "." + npu + ".eg", out.toByteArray());
            }
            return files;
        }
        EtTemplate template = new EtTemplate(form.metadata(), form.nodes(0));
        for (int npu = 0; npu < options.numNpus(); npu++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            template.write(out, (long) npu * template.nodes());
            files.put(prefix + "." + npu + ".et", out.toByteArray());
        }
        return files;
    }

    static String text(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw StageException.input(Problem.of("case", file.toString(), "there is no such file"));
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw StageException.input(Problem.of("case", file.toString(), "is not UTF-8"), notText);
        }
    }
}
