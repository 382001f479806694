package dev.stagesim.verify.chakra;

import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.util.List;

/** Text converted to schema 0.0.4, whose collectives name network dimensions. */
final class TextDimsPart implements ChakraPart {
    /** Options of the converter before subcommands came. */
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
        Arguments arguments = Arguments.parse(recorded.arguments(), OPTIONS);
        TextOptions options = options(arguments, TextSchema.V0_0_4);
        return recorded.compare(TextRun.files(
                recorded,
                recorded.file(arguments.get("--input_filename")),
                arguments.get("--output_filename"),
                options));
    }

    static TextOptions options(Arguments arguments, TextSchema schema) {
        return new TextOptions(
                schema,
                true,
                false,
                arguments.count("--num_npus"),
                arguments.count("--num_passes"),
                true,
                arguments.count("--num_dims"),
                1);
    }
}
