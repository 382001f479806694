package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtJson;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.verify.Difference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Traces printed as JSON. */
final class JsonizerPart implements ChakraPart {
    @Override
    public String name() {
        return "jsonizer";
    }

    @Override
    public List<Difference> replay(ChakraCase recorded) throws IOException {
        Arguments arguments = Arguments.parse(recorded.arguments(), List.of("--input_filename", "--output_filename"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (EtReader trace = EtReader.open(recorded.file(arguments.get("--input_filename")))) {
            EtJson.write(trace, out);
        }
        return recorded.compare(Map.of(arguments.get("--output_filename"), out.toByteArray()));
    }
}
