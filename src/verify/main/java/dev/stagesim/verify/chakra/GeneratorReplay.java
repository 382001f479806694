package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.generate.LegacyForm;
import dev.stagesim.sim.trace.generate.PatternOptions;
import dev.stagesim.sim.trace.generate.TracePattern;
import dev.stagesim.sim.trace.generate.TracePatterns;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.ToolArguments;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Generates traces of communication patterns like one revision of the generator. */
enum GeneratorReplay {
    CURRENT,
    DIMENSIONS,
    FIRST;

    private static final int DEFAULT_NPUS = 64;
    private static final int DEFAULT_DIMS = 2;
    private static final int UNSIGNED_BITS = 64;
    private static final int SIGNED_BITS = 63;

    private List<TracePattern> patterns() {
        return switch (this) {
            case CURRENT -> TracePatterns.CURRENT;
            case DIMENSIONS -> TracePatterns.DIMENSIONS;
            case FIRST -> TracePatterns.FIRST;
        };
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(List.of("--num_npus"));
        if (this != CURRENT) {
            options.add("--num_dims");
        }
        if (this != FIRST) {
            options.addAll(List.of("--default_runtime", "--default_tensor_size", "--default_comm_size"));
        }
        return options;
    }

    List<Difference> replay(ChakraCase recorded) throws IOException {
        ToolArguments arguments = ToolArguments.parse(recorded.arguments(), options());
        PatternOptions options = PatternOptions.reference((int) arguments.number("--num_npus", DEFAULT_NPUS));
        options = options.with(
                bits(arguments, "--default_runtime", options.runtime(), true),
                bits(arguments, "--default_tensor_size", options.tensorSize(), true),
                bits(arguments, "--default_comm_size", options.commSize(), this == DIMENSIONS));
        if (this != CURRENT) {
            options = options.withDims((int) Math.max(0, arguments.number("--num_dims", DEFAULT_DIMS)), true);
        }
        return recorded.compare(this == FIRST ? legacy(options) : current(options));
    }

    /** Parses a number, signed or unsigned, as 64 bits. */
    private static long bits(ToolArguments arguments, String option, long otherwise, boolean isUnsigned) {
        String text = arguments.find(option).orElse(Long.toString(otherwise));
        try {
            BigInteger value = new BigInteger(ToolArguments.digits(text));
            if (isUnsigned
                    ? value.signum() >= 0 && value.bitLength() <= UNSIGNED_BITS
                    : value.bitLength() <= SIGNED_BITS) {
                return value.longValue();
            }
        } catch (NumberFormatException notANumber) {
            // rejected below
        }
        throw StageException.input(Problem.of("case", option, text + " is out of range"));
    }

    private Map<String, byte[]> current(PatternOptions options) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        EtMetadata metadata = new EtMetadata(this == CURRENT ? "1.0.0" : "0.0.4", List.of());
        long shift = 0;
        for (TracePattern pattern : patterns()) {
            for (int npu = 0; npu < options.numNpus(); npu++) {
                EtTemplate template = new EtTemplate(metadata, pattern.nodes(npu, options));
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                template.write(out, shift);
                files.put(pattern.name() + "." + npu + ".et", out.toByteArray());
                shift += template.nodes();
            }
        }
        return files;
    }

    private Map<String, byte[]> legacy(PatternOptions options) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        for (TracePattern pattern : patterns()) {
            for (int npu = 0; npu < options.numNpus(); npu++) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (LegacyWriter writer = new LegacyWriter(out)) {
                    for (EtNode node : pattern.nodes(npu, options)) {
                        writer.write(LegacyForm.of(node));
                    }
                }
                files.put(pattern.name() + "." + npu + ".eg", out.toByteArray());
            }
        }
        return files;
    }
}
