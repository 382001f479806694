package dev.stagesim.feature.pytorch.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.feature.pytorch.trace.HostOp;
import dev.stagesim.feature.pytorch.trace.HostTrace;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.feature.pytorch.trace.TraceHeader;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads execution traces of PyTorch's observer, and linked traces; plain or gzip-compressed.
 *
 * <p>Keeps the file's text and represents nodes as spans of it, so that data not needed for linking costs only its
 * bytes.
 */
public final class HostTraceReader {
    private static final List<String> HEADER = List.of("schema", "pid", "time", "start_ts", "finish_ts");

    private final String source;
    private final byte[] json;
    private final JsonParser in;
    private final NodeFields node;

    private HostTraceReader(String source, byte[] json, JsonParser in) {
        this.source = source;
        this.json = json;
        this.in = in;
        node = new NodeFields(source, json, in);
    }

    /**
     * Reads a host trace.
     *
     * @throws StageException of kind input if the file is missing, not JSON, or has no {@code nodes}
     */
    public static HostTrace read(Path file) throws IOException {
        List<HostOp> ops = new ArrayList<>();
        TraceHeader header = read(file, ops, NodeFields::hostOp);
        return new HostTrace(file.toString(), header, ops);
    }

    /**
     * Reads a linked trace.
     *
     * @throws StageException of kind input if the file is missing, not JSON, or has no {@code nodes}
     */
    public static PlusTrace readLinked(Path file) throws IOException {
        List<PlusNode> nodes = new ArrayList<>();
        TraceHeader header = read(file, nodes, NodeFields::plusNode);
        return new PlusTrace(file.toString(), header, nodes);
    }

    private static <T> TraceHeader read(Path file, List<T> nodes, Function<NodeFields, T> make) throws IOException {
        byte[] json = InputFile.withoutNul(TraceJsonFiles.bytes(file), file);
        try (JsonParser parser = TraceJsonFiles.parser(json)) {
            return new HostTraceReader(file.toString(), json, parser).document(nodes, make);
        } catch (JsonProcessingException malformed) {
            throw TraceJsonFiles.malformed(file.toString(), malformed);
        }
    }

    private <T> TraceHeader document(List<T> nodes, Function<NodeFields, T> make) throws IOException {
        if (in.nextToken() != JsonToken.START_OBJECT) {
            throw TraceJsonFiles.expected(source, "an object with nodes", in);
        }
        Map<String, String> texts = new HashMap<>();
        Map<String, Long> numbers = new HashMap<>();
        List<String> rest = new ArrayList<>();
        boolean isFound = false;
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            int from = (int) in.currentTokenLocation().getByteOffset();
            JsonToken value = in.nextToken();
            if (name.equals("nodes") && value == JsonToken.START_ARRAY) {
                isFound = true;
                nodes(nodes, make);
            } else if (HEADER.contains(name) && value == JsonToken.VALUE_NUMBER_INT) {
                numbers.put(name, in.getLongValue());
            } else if (HEADER.contains(name) && value == JsonToken.VALUE_STRING) {
                texts.put(name, in.getText());
            } else {
                in.skipChildren();
                in.finishToken();
                int to = (int) in.currentLocation().getByteOffset();
                rest.add(new String(json, from, to - from, StandardCharsets.UTF_8));
            }
        }
        JsonDocuments.end(in, source, TraceJsonFiles.CATEGORY);
        if (!isFound) {
            throw StageException.input(Problem.of(
                    TraceJsonFiles.CATEGORY, source, "there is no array nodes; is it an execution trace of PyTorch?"));
        }
        List<String> missing = HEADER.stream()
                .filter(name -> !texts.containsKey(name) && !numbers.containsKey(name))
                .toList();
        return new TraceHeader(
                texts.getOrDefault("schema", ""),
                numbers.getOrDefault("pid", 0L),
                texts.getOrDefault("time", ""),
                numbers.getOrDefault("start_ts", 0L),
                numbers.getOrDefault("finish_ts", 0L),
                missing,
                rest);
    }

    private <T> void nodes(List<T> nodes, Function<NodeFields, T> make) throws IOException {
        while (in.nextToken() == JsonToken.START_OBJECT) {
            node.read();
            nodes.add(make.apply(node));
        }
        if (in.currentToken() != JsonToken.END_ARRAY) {
            throw TraceJsonFiles.expected(source, "a node, which is an object", in);
        }
    }
}
