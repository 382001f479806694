package dev.stagesim.feature.pytorch.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.feature.pytorch.link.DeviceTrace;
import dev.stagesim.feature.pytorch.link.EventKind;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Streaming reader for traces of PyTorch's profiler (Kineto), plain or gzip-compressed. */
public final class DeviceTraceReader {
    private final String source;
    private final JsonParser in;
    private final DeviceTrace.Builder trace;
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, EventKind> kinds = new HashMap<>();

    private DeviceTraceReader(String source, JsonParser in) {
        this.source = source;
        this.in = in;
        trace = new DeviceTrace.Builder(source);
    }

    /**
     * Reads a file.
     *
     * @throws StageException of kind input if the file is missing, not JSON, or has no {@code traceEvents}
     */
    public static DeviceTrace read(Path file) throws IOException {
        String source = file.toString();
        try (InputStream content = TraceJsonFiles.open(file);
                JsonParser parser = TraceJsonFiles.parser(content)) {
            return new DeviceTraceReader(source, parser).document();
        } catch (JsonProcessingException malformed) {
            throw TraceJsonFiles.malformed(source, malformed);
        }
    }

    private DeviceTrace document() throws IOException {
        if (in.nextToken() != JsonToken.START_OBJECT) {
            throw TraceJsonFiles.expected(source, "an object with traceEvents", in);
        }
        boolean isFound = false;
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            boolean isEvents = in.currentName().equals("traceEvents");
            JsonToken value = in.nextToken();
            if (isEvents && value == JsonToken.START_ARRAY) {
                isFound = true;
                events();
            } else {
                in.skipChildren();
            }
        }
        JsonDocuments.end(in, source, TraceJsonFiles.CATEGORY);
        if (!isFound) {
            throw StageException.input(Problem.of(
                    TraceJsonFiles.CATEGORY, source, "there is no array traceEvents; is it a profiler trace?"));
        }
        return trace.build();
    }

    private void events() throws IOException {
        EventFields event = new EventFields();
        while (in.nextToken() == JsonToken.START_OBJECT) {
            event.clear();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                member(in.currentName(), event);
            }
            event.addTo(trace);
        }
        if (in.currentToken() != JsonToken.END_ARRAY) {
            throw TraceJsonFiles.expected(source, "an event, which is an object", in);
        }
    }

    private void member(String name, EventFields event) throws IOException {
        JsonToken value = in.nextToken();
        switch (name) {
            case "name" -> event.name = text();
            case "cat" -> event.kind = kinds.computeIfAbsent(text(), EventKind::of);
            case "tid" -> event.thread = text();
            case "ts" -> event.start = number(name, value);
            case "dur" -> event.duration = number(name, value);
            case "args" -> {
                if (value == JsonToken.START_OBJECT) {
                    while (in.nextToken() == JsonToken.FIELD_NAME) {
                        argument(in.currentName(), event);
                    }
                } else {
                    in.skipChildren();
                }
            }
            default -> in.skipChildren();
        }
    }

    private void argument(String name, EventFields event) throws IOException {
        JsonToken value = in.nextToken();
        switch (name) {
            case "External id" -> event.external = whole(value, -1);
            case "Record function id" -> event.record = whole(value, DeviceTrace.NONE);
            case "correlation" -> event.correlation = whole(value, -1);
            case "stream" -> event.stream = whole(value, DeviceTrace.NONE);
            case "device" -> event.device = whole(value, DeviceTrace.NONE);
            case "Process Group Name" -> event.group = text();
            case "Process Group Ranks" -> event.ranks = flat(value);
            case "Collective name" -> event.collective = text();
            case "dtype" -> event.dtype = text();
            case "In msg nelems" -> event.inElements = whole(value, -1);
            case "Out msg nelems" -> event.outElements = whole(value, -1);
            case "Src Rank" -> event.sourceRank = whole(value, -1);
            case "Dst Rank" -> event.targetRank = whole(value, -1);
            case "cuda_sync_kind" -> event.sync = text();
            case "wait_on_stream" -> event.awaitedStream = whole(value, -1);
            case "wait_on_cuda_event_record_corr_id" -> event.recordCorrelation = whole(value, -1);
            default -> in.skipChildren();
        }
    }

    /** Returns a scalar value as text. Skips a list or an object and returns an empty string. */
    private String text() throws IOException {
        if (in.currentToken().isStructStart()) {
            in.skipChildren();
            return "";
        }
        return texts.computeIfAbsent(in.getText(), same -> same);
    }

    /** Returns a list of numbers as text, whether it is a JSON list or a string. */
    private String flat(JsonToken value) throws IOException {
        if (value != JsonToken.START_ARRAY) {
            return text();
        }
        StringBuilder out = new StringBuilder();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            out.append(in.getText()).append(',');
            in.skipChildren();
        }
        return out.toString();
    }

    private double number(String name, JsonToken value) throws IOException {
        if (!value.isNumeric()) {
            throw TraceJsonFiles.expected(source, "a number for " + name, in);
        }
        return in.getDoubleValue();
    }

    /** Returns an integer, also if it is a string; {@code otherwise} for any other value. */
    private long whole(JsonToken value, long otherwise) throws IOException {
        if (value == JsonToken.VALUE_NUMBER_INT) {
            return in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                    ? in.getBigIntegerValue().longValue()
                    : in.getLongValue();
        }
        if (value == JsonToken.VALUE_STRING) {
            try {
                return Long.parseLong(in.getText().strip());
            } catch (NumberFormatException notANumber) {
                return otherwise;
            }
        }
        if (value == JsonToken.VALUE_NUMBER_FLOAT) {
            return (long) in.getDoubleValue();
        }
        in.skipChildren();
        return otherwise;
    }
}
