package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.pytorch.DeviceTraceReader;
import dev.stagesim.io.json.pytorch.HostTraceReader;
import dev.stagesim.io.json.pytorch.LinkedTraceWriter;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.pytorch.Conversion;
import dev.stagesim.sim.trace.pytorch.ConvertRules;
import dev.stagesim.sim.trace.pytorch.Converter;
import dev.stagesim.sim.trace.pytorch.LinkRules;
import dev.stagesim.sim.trace.pytorch.Linker;
import dev.stagesim.sim.trace.pytorch.PlusTrace;
import dev.stagesim.sim.trace.pytorch.SyncTable;
import dev.stagesim.verify.Difference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** PyTorch traces linked and converted; linked ones are compared as JSON, converted ones byte for byte. */
final class PytorchPart implements ChakraPart {
    private static final String LINKED = "linked_0.json";
    private static final String LOG = "simulate.log";

    @Override
    public String name() {
        return "pytorch";
    }

    @Override
    public List<Difference> replay(ChakraCase recorded) throws IOException {
        Path work = Files.createTempDirectory("stagesim-verify");
        try {
            return replay(recorded, work.resolve(LINKED));
        } finally {
            Files.deleteIfExists(work.resolve(LINKED));
            Files.delete(work);
        }
    }

    private static List<Difference> replay(ChakraCase recorded, Path linked) throws IOException {
        Path given = recorded.folder().resolve("in");
        Map<String, byte[]> ours = new TreeMap<>();
        List<Difference> differences = new ArrayList<>();
        Optional<PlusTrace> trace = Optional.empty();
        for (JsonAt step : recorded.json().get("steps").items()) {
            try {
                if (step.get("tool").asString().equals("chakra_trace_link")) {
                    trace = Optional.of(link(given, step, linked));
                } else {
                    Path file = Files.exists(linked) ? linked : given.resolve(LINKED);
                    convert(file, step.get("argv").asStrings(), ours);
                    if (trace.isPresent()) {
                        twice(trace.get(), ours, differences);
                    }
                }
            } catch (StageException refused) {
                if (step.get("exit_code").asInt() == 0) {
                    throw refused;
                }
                break;
            }
            if (step.get("exit_code").asInt() != 0) {
                differences.add(new Difference("outcome", step.get("error").asString(), "a result"));
            }
        }
        differences.addAll(compare(recorded, ours, linked));
        return differences;
    }

    private static PlusTrace link(Path given, JsonAt step, Path linked) throws IOException {
        LinkRules rules = new LinkRules(true, LinkRules.USUAL_PAUSE, table(step));
        PlusTrace trace = Linker.link(
                        HostTraceReader.read(given.resolve("host_0.json")),
                        DeviceTraceReader.read(given.resolve("kineto_0.json")),
                        rules)
                .trace();
        LinkedTraceWriter.write(linked, trace, true);
        return trace;
    }

    private static Optional<SyncTable> table(JsonAt step) {
        return step.find("sync_table").map(table -> {
            TreeMap<Long, long[]> starts = new TreeMap<>();
            table.members().forEach((end, list) -> starts.put(Long.parseLong(end), list.asLongs()));
            return new SyncTable(starts);
        });
    }

    private static void convert(Path linked, List<String> arguments, Map<String, byte[]> ours) throws IOException {
        String output = arguments.get(arguments.indexOf("--output") + 1);
        Conversion conversion = Converter.convert(HostTraceReader.readLinked(linked), new ConvertRules(true, 0, false));
        ours.put(output, bytes(conversion));
        if (arguments.contains("--simulate")) {
            ours.put(LOG, String.join("\n", conversion.simulation()).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** What was linked just now converts to the same as the file that was written. */
    private static void twice(PlusTrace trace, Map<String, byte[]> ours, List<Difference> differences)
            throws IOException {
        byte[] direct = bytes(Converter.convert(trace, new ConvertRules(true, 0, false)));
        boolean isSame = ours.values().stream().anyMatch(bytes -> Arrays.equals(bytes, direct));
        if (!isSame) {
            differences.add(new Difference("without a file between", "the same", direct.length + " other bytes"));
        }
    }

    private static byte[] bytes(Conversion conversion) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (EtWriter writer = EtWriter.of(out, conversion.metadata())) {
            for (EtNode node : conversion.nodes()) {
                writer.write(node);
            }
        }
        return out.toByteArray();
    }

    private static List<Difference> compare(ChakraCase recorded, Map<String, byte[]> ours, Path linked)
            throws IOException {
        List<Difference> differences = new ArrayList<>();
        Path wanted = recorded.folder().resolve("out").resolve(LINKED);
        if (Files.exists(wanted) && Files.exists(linked)) {
            JsonSame.differences(Json.read(wanted, JsonMode.NON_FINITE), Json.read(linked, JsonMode.NON_FINITE))
                    .forEach(differences::add);
        } else if (Files.exists(wanted)) {
            differences.add(new Difference(LINKED, "a file", "none"));
        }
        Map<String, byte[]> expected = recorded.expected();
        expected.keySet().removeAll(List.of(LINKED));
        differences.addAll(recorded.compare(expected, ours));
        return differences;
    }
}
