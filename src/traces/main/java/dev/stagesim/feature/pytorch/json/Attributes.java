package dev.stagesim.feature.pytorch.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the attributes of one node. */
final class Attributes {
    private static final long NONE = OpFacts.NONE;
    private static final int MAX_RANKS = 1 << 20;

    private final String source;
    private final JsonParser in;
    private final List<String> schemas = new ArrayList<>();

    private long rfId;
    private long fwParent;
    private long seqId;
    private long scope;
    private long tid;
    private long fwTid;
    private String opSchema = "";
    private boolean hasSchema;
    private boolean hasComm;
    private String group = "";
    private boolean hasGroup;
    private String collective = "";
    private String dtype = "";
    private long inElements;
    private long outElements;
    private long firstRank;
    private long rankStride;
    private long groupSize;

    Attributes(String source, JsonParser in) {
        this.source = source;
        this.in = in;
    }

    void clear() {
        rfId = NONE;
        fwParent = NONE;
        seqId = NONE;
        scope = NONE;
        tid = NONE;
        fwTid = NONE;
        opSchema = "";
        hasSchema = false;
        hasComm = false;
        hasGroup = false;
        group = "";
        collective = "";
        dtype = "";
        inElements = -1;
        outElements = -1;
        firstRank = -1;
        rankStride = -1;
        groupSize = -1;
    }

    /** Reads the list of attributes. */
    void read(JsonToken first) throws IOException {
        if (first != JsonToken.START_ARRAY) {
            throw TraceJsonFiles.expected(source, "a list of attributes", in);
        }
        while (in.nextToken() == JsonToken.START_OBJECT) {
            String name = "";
            String text = "";
            long number = NONE;
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String member = in.currentName();
                JsonToken value = in.nextToken();
                if (member.equals("name")) {
                    name = in.getText();
                } else if (member.equals("value") && value == JsonToken.VALUE_NUMBER_INT) {
                    number = whole();
                } else if (member.equals("value") && value.isScalarValue()) {
                    text = in.getText();
                } else {
                    in.skipChildren();
                }
            }
            put(name, number, text);
        }
    }

    /** Reads a member that is an attribute in schemas up to 1.0.1, or skips other members. */
    void member(String name, JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_NUMBER_INT) {
            put(name, whole(), "");
        } else if (value == JsonToken.VALUE_STRING) {
            put(name, NONE, in.getText());
        } else {
            in.skipChildren();
        }
    }

    private long whole() throws IOException {
        return in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? in.getBigIntegerValue().longValue()
                : in.getLongValue();
    }

    private void put(String name, long number, String text) {
        switch (name) {
            case "rf_id" -> rfId = number;
            case "fw_parent" -> fwParent = number;
            case "seq_id" -> seqId = number;
            case "scope" -> scope = number;
            case "tid" -> tid = number;
            case "fw_tid" -> fwTid = number;
            case "op_schema" -> {
                opSchema = known(text);
                hasSchema = true;
            }
            case "pg_name" -> {
                group = number == NONE ? text : Long.toString(number);
                hasGroup = true;
                hasComm = true;
            }
            default -> comm(name, number, text);
        }
    }

    private void comm(String name, long number, String text) {
        switch (name) {
            case "collective_name" -> collective = text;
            case "dtype" -> dtype = text;
            case "in_msg_nelems" -> inElements = number == NONE ? -1 : number;
            case "out_msg_nelems" -> outElements = number == NONE ? -1 : number;
            case "global_rank_start" -> firstRank = number == NONE ? -1 : number;
            case "global_rank_stride" -> rankStride = number == NONE ? -1 : number;
            case "pg_size" -> groupSize = number == NONE ? -1 : number;
            default -> {
                return;
            }
        }
        hasComm = true;
    }

    /** Deduplicates recent signatures, because they repeat. */
    private String known(String text) {
        if (text.isEmpty()) {
            return "";
        }
        int at = schemas.indexOf(text);
        if (at >= 0) {
            return schemas.get(at);
        }
        if (schemas.size() == 8) {
            schemas.remove(0);
        }
        schemas.add(text);
        return text;
    }

    OpFacts facts() {
        return new OpFacts(
                rfId,
                fwParent,
                seqId,
                scope,
                tid,
                fwTid,
                hasSchema ? Optional.of(opSchema) : Optional.empty(),
                hasComm ? Optional.of(comm()) : Optional.empty());
    }

    private CommFacts comm() {
        List<Integer> ranks = new ArrayList<>();
        if (firstRank >= 0 && rankStride > 0 && groupSize > 0 && groupSize <= MAX_RANKS) {
            for (long i = 0; i < groupSize; i++) {
                ranks.add((int) (firstRank + i * rankStride));
            }
        }
        return new CommFacts(
                given(collective),
                given(dtype),
                inElements,
                outElements,
                hasGroup ? Optional.of(group) : Optional.empty(),
                ranks,
                -1,
                -1);
    }

    private static Optional<String> given(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
